package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/chat"
)

// lists is an in-memory State without subscriptions.
type lists map[string][][]byte

func (l lists) Append(_ context.Context, key string, entry []byte, _ time.Duration) (int64, error) {
	l[key] = append(l[key], entry)
	return int64(len(l[key]) - 1), nil
}

func (l lists) Read(_ context.Context, key string, from int64) ([][]byte, error) {
	return l[key][min(from, int64(len(l[key]))):], nil
}

func (l lists) DeleteAll(_ context.Context, group string) error {
	for key := range l {
		if strings.HasPrefix(key, group+"/") {
			delete(l, key)
		}
	}
	return nil
}

func (lists) Publish(context.Context, string, []byte) error { return nil }

func (lists) Subscribe(context.Context, string) (<-chan []byte, error) {
	return nil, errors.New("nobody is told")
}

// stored is a store with a retention of 30 days, and a clock that can be moved.
func stored(t *testing.T) (s *Store, now *time.Time) {
	t.Helper()
	now = new(time.Time)
	*now = time.Date(2026, 3, 14, 12, 5, 0, 0, time.UTC)
	return New(lists{}, 30*day, func() time.Time { return *now }, slog.New(slog.DiscardHandler)), now
}

func record(t *testing.T, s *Store, thread string) {
	t.Helper()
	if err := s.Record(t.Context(), thread, "message00000000001", chat.Entry{Wrote: &chat.Wrote{ID: "message00000000001", Text: "x"}}); err != nil {
		t.Fatal(err)
	}
}

// TestManyThreads checks that the caches of a process are bounded.
func TestManyThreads(t *testing.T) {
	t.Parallel()
	s, _ := stored(t)
	for i := range 10 * MaxListed {
		if _, err := s.enlist(t.Context(), Line{Thread: fmt.Sprintf("threadof%08d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * maxHeld {
		record(t, s, fmt.Sprintf("threadin%08d", i))
		if _, err := s.Threads.Read(t.Context(), fmt.Sprintf("threadin%08d", i), Latest); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Index.List(t.Context(), s.now(), Latest); err != nil {
		t.Fatal(err)
	}
	if n, titles := len(s.Index.lines), len(s.Index.titles); n > 8*MaxListed || titles > 8*MaxListed {
		t.Errorf("%d threads are known, and %d titles", n, titles)
	}
	if n := len(s.Index.threads()); n != MaxListed {
		t.Errorf("%d threads are listed", n)
	}
	if n := len(s.Threads.held); n > maxHeld {
		t.Errorf("%d threads are held", n)
	}
	for i := range 2 * maxHeld {
		if _, err := s.Threads.Read(t.Context(), fmt.Sprintf("nosuch%010d", i), Latest); !errors.Is(err, adapters.ErrGone) {
			t.Fatal(err)
		}
	}
	if n := len(s.Threads.held); n > maxHeld {
		t.Errorf("%d threads are held", n)
	}
}

// TestManyDays checks that no more days are remembered than threads are kept.
func TestManyDays(t *testing.T) {
	t.Parallel()
	s, now := stored(t)
	for i := range 40 {
		record(t, s, fmt.Sprintf("threadin%08d", i))
		*now = now.Add(day)
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Index.read); n > 32 {
		t.Errorf("%d days are known", n)
	}
	if n := len(s.Index.lines); n > 30 {
		t.Errorf("%d threads are known", n)
	}
}

// TestForgottenTitles checks that the titles of deleted threads are forgotten.
func TestTitlesAreForgotten(t *testing.T) {
	t.Parallel()
	s, _ := stored(t)
	record(t, s, "thread0000000001")
	for _, want := range []int{1, 0} {
		if all, err := s.Index.List(t.Context(), s.now(), Latest); err != nil || len(all) != want || len(s.Index.titles) != want {
			t.Errorf("%v are listed, %q known: %v", all, s.Index.titles, err)
		}
		if err := s.Forget(t.Context(), "thread0000000001"); err != nil {
			t.Fatal(err)
		}
	}
}
