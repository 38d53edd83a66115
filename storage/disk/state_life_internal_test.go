package disk

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// TestClockChangeExpiresNothing checks that a changed clock does not expire what this process wrote. The next
// process follows the clock.
func TestClockChangeExpiresNothing(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"forward": 40 * 24 * time.Hour, "back": -40 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began, set, passed := time.Now(), time.Duration(0), time.Duration(0)
			c := StateConfig{File: filepath.Join(t.TempDir(), "log"), Now: func() time.Time { return setAnew(began.Add(passed), set) }}
			s := reopened(t, c)
			ctx := t.Context()
			puts := func(keys ...string) {
				t.Helper()
				for _, key := range keys {
					_, err := s.Append(ctx, "g/list", nil, time.Hour)
					if err = errors.Join(err, s.Put(ctx, key, nil, time.Hour)); err != nil {
						t.Fatal(err)
					}
				}
			}
			holds := func(keys ...string) {
				t.Helper()
				if got, err := s.Keys(ctx, "g"); err != nil || !slices.Equal(got, keys) {
					t.Errorf("it holds %v, not %v: %v", got, keys, err)
				}
			}
			puts("g/before")
			set = jump
			passed = time.Hour - time.Millisecond
			if err := s.compact(); err != nil {
				t.Fatal(err)
			}
			holds("g/before", "g/list")
			if first, err := s.PutOnce(ctx, "g/before", nil, time.Hour); first || err != nil {
				t.Errorf("it is not there: %v", err)
			}
			passed += 2 * time.Millisecond // expiries are rounded up
			holds()
			if err := s.Delete(ctx, "g/before"); err != nil {
				t.Fatal(err)
			}
			puts("g/meanwhile")
			set = 0
			holds("g/list", "g/meanwhile")
			set = jump
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			passed += time.Hour - time.Millisecond
			s = reopened(t, c)
			holds("g/list", "g/meanwhile")
			passed += 2 * time.Millisecond
			holds()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// setAnew returns the time of a clock that was changed: its monotonic reading stays as it was.
func setAnew(t time.Time, by time.Duration) time.Time {
	seconds := (*uint64)(unsafe.Pointer(&t)) //nolint:gosec // package time has no other way; it holds them above 30 bits of nanoseconds
	*seconds += uint64(by/time.Second) << 30
	return t
}

func reopened(t *testing.T, c StateConfig) *State {
	t.Helper()
	s, err := OpenState(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
