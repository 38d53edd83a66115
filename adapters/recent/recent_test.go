package recent_test

import (
	"testing"

	"atelier/adapters/recent"
)

func TestOldestIsDropped(t *testing.T) {
	t.Parallel()
	var s recent.Set[int]
	for i := range recent.Most {
		s.Add(i)
	}
	s.Add(0) // does not renew it
	if !s.Has(0) || !s.Has(1) {
		t.Error("a key was dropped too early")
	}
	s.Add(recent.Most)
	if s.Has(0) || !s.Has(1) || !s.Has(recent.Most) {
		t.Errorf("the oldest %v, the next %v, the new one %v", s.Has(0), s.Has(1), s.Has(recent.Most))
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	var m recent.Map[string, int]
	m.Put("a", 1)
	m.Put("a", 2)
	if got, ok := m.Get("a"); got != 2 || !ok {
		t.Errorf("got %d, %v", got, ok)
	}
}

// TestRemove checks that a removed key takes no room, and can be added again.
func TestRemove(t *testing.T) {
	t.Parallel()
	var s recent.Set[int]
	for i := range recent.Most {
		s.Add(i)
	}
	s.Remove(0)
	s.Remove(-1)
	s.Add(recent.Most)
	if s.Has(0) || !s.Has(1) {
		t.Errorf("the removed one %v, the next %v", s.Has(0), s.Has(1))
	}
	s.Add(0)
	if !s.Has(0) || s.Has(1) {
		t.Errorf("the removed one %v, the next %v", s.Has(0), s.Has(1))
	}
}
