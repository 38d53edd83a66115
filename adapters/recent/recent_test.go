package recent_test

import (
	"testing"

	"atelier/adapters/recent"
)

func TestTheOldestIsForgotten(t *testing.T) {
	t.Parallel()
	var s recent.Set[int]
	for i := range recent.Most {
		s.Add(i)
	}
	s.Add(0) // does not make it younger
	if !s.Has(0) || !s.Has(1) {
		t.Error("there is room for it")
	}
	s.Add(recent.Most)
	if s.Has(0) || !s.Has(1) || !s.Has(recent.Most) {
		t.Errorf("the oldest %v, the next %v, the new one %v", s.Has(0), s.Has(1), s.Has(recent.Most))
	}
}

func TestAValueIsReplaced(t *testing.T) {
	t.Parallel()
	var m recent.Map[string, int]
	m.Put("a", 1)
	m.Put("a", 2)
	if got, ok := m.Get("a"); got != 2 || !ok {
		t.Errorf("got %d, %v", got, ok)
	}
}

// A key that was removed takes no room, and may come again.
func TestAKeyIsRemoved(t *testing.T) {
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
