package quota_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs/quota"
	"atelier/storage"
	"atelier/storage/storagetest"
)

// watched counts the calls and the content of a State.
type watched struct {
	storage.State

	mu    sync.Mutex
	calls int
	there map[string]int // length of each value or list
	hook  func(when, key string)
}

func watch(s storage.State) *watched { return &watched{State: s, there: map[string]int{}} }

func one(int) int  { return 1 }
func none(int) int { return 0 }

func (w *watched) Get(ctx context.Context, key string) ([]byte, error) {
	w.count(key, nil)
	return w.State.Get(ctx, key)
}

func (w *watched) Read(ctx context.Context, key string, from int64) ([][]byte, error) {
	w.count(key, nil)
	return w.State.Read(ctx, key, from)
}

func (w *watched) Keys(ctx context.Context, group string) ([]string, error) {
	w.count(group, nil)
	return w.State.Keys(ctx, group)
}

func (w *watched) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	w.count(key, one)
	return w.State.Put(ctx, key, value, expiry)
}

func (w *watched) PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (bool, error) {
	w.count(key, one)
	if w.hook != nil {
		w.hook("before", key)
	}
	first, err := w.State.PutOnce(ctx, key, value, expiry)
	if w.hook != nil && first {
		w.hook("after", key)
	}
	return first, err
}

func (w *watched) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	w.count(key, func(n int) int { return n + 1 })
	return w.State.Append(ctx, key, value, expiry)
}

func (w *watched) Delete(ctx context.Context, key string) error {
	w.count(key, none)
	return w.State.Delete(ctx, key)
}

func (w *watched) count(key string, change func(before int) int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	if change != nil {
		if w.there[key] = change(w.there[key]); w.there[key] == 0 {
			delete(w.there, key)
		}
	}
}

// seen returns the number of calls since the last time, and the number of values.
func (w *watched) seen() (calls, there int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls, w.calls = w.calls, 0
	for _, n := range w.there {
		there += n
	}
	return calls, there
}

// takes returns why a request is refused; "" if it is allowed.
func takes(t *testing.T, q *quota.Quota, id string, by adapters.Person, in adapters.Thread) quota.Reason {
	t.Helper()
	refused, err := q.Take(t.Context(), id, by, in)
	check(t, err)
	if refused == nil {
		return ""
	}
	return refused.Why
}

// TestConcurrentTakesOfOneRequest: a second process takes the same request concurrently, while another seat
// becomes free.
func TestConcurrentTakesOfOneRequest(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "after"} {
		for i := range 20 { // they start at different seats
			c := storagetest.NewClock()
			s := state(t, c)
			second := make1(t, quota.Config{State: s, AtOnce: 2, ChannelAtOnce: 2, Now: c.Now})
			other, id := fmt.Sprint("other", i), fmt.Sprint("one", i)
			if why := takes(t, second, other, ann, den); why != "" {
				t.Fatal(why)
			}
			w := watch(s)
			once := false
			w.hook = func(at, key string) {
				if at != when || once || !strings.Contains(key, "/seat-") {
					return
				}
				once = true
				check(t, second.Done(t.Context(), other, ann, den))
				if why := takes(t, second, id, ann, den); why != "" {
					t.Errorf("the second is refused: %s", why)
				}
			}
			first := make1(t, quota.Config{State: w, AtOnce: 2, ChannelAtOnce: 2, Now: c.Now})
			if why := takes(t, first, id, ann, den); why != "" {
				t.Errorf("the first is refused: %s", why)
			}
			w.hook = nil
			if a, b := takes(t, second, "two", ann, den), takes(t, second, "three", ann, den); a != "" || b == "" {
				t.Errorf("beside one there is room for one, not %q and %q", a, b)
			}
			check(t, second.Done(t.Context(), "two", ann, den))
			check(t, first.Done(t.Context(), id, ann, den))
			for _, free := range []string{"four", "five"} {
				if why := takes(t, second, free, ann, den); why != "" {
					t.Errorf("%s: a seat is lost: %s", when, why)
				}
			}
		}
	}
}

// TestConcurrentTakes: many take the same request concurrently, while others come and go.
func TestConcurrentTakes(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	q := make1(t, quota.Config{State: state(t, c), AtOnce: 4, ChannelAtOnce: 8, Now: c.Now})
	for round := range 50 {
		id := fmt.Sprint("one", round)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				if refused, err := q.Take(t.Context(), id, ann, den); err != nil || refused != nil {
					t.Errorf("%v: %v", refused, err)
				}
			})
			all.Go(func() {
				other := fmt.Sprint("other", round, i%2)
				if _, err := q.Take(t.Context(), other, ann, den); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, done := range []string{id, fmt.Sprint("other", round, 0), fmt.Sprint("other", round, 1)} {
			check(t, q.Done(t.Context(), done, ann, den))
		}
	}
	for i := range 4 {
		if why := takes(t, q, fmt.Sprint("last", i), ann, den); why != "" {
			t.Errorf("a seat is lost: %s", why)
		}
	}
}

func TestAbandonedSeatExpires(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	q := make1(t, quota.Config{State: state(t, c), AtOnce: 1, Now: c.Now, Longest: time.Hour})
	if why := takes(t, q, "lost", ann, den); why != "" {
		t.Fatal(why)
	}
	c.Pass(time.Minute)
	if why := takes(t, q, "1", ann, den); why != "" {
		t.Errorf("what was never recorded is in the way: %s", why)
	}
	check(t, q.Hold(t.Context(), "1", ann, den))
	check(t, q.Hold(t.Context(), "unknown", ann, den))
	check(t, q.Done(t.Context(), "lost", ann, den)) // it has no seat to free
	c.Pass(59 * time.Minute)
	if why := takes(t, q, "2", ann, den); why != quota.AtOnce {
		t.Errorf("what is held is over: %q", why)
	}
	check(t, q.Done(t.Context(), "1", ann, den))
	for range 2 { // again after it expired
		if why := takes(t, q, "lost", ann, den); why != "" {
			t.Errorf("what was lost is refused: %s", why)
		}
	}
	if why := takes(t, q, "2", ann, den); why != quota.AtOnce {
		t.Errorf("two are at work: %q", why)
	}
}

func TestWithdrawnDoesNotCount(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	q := make1(t, quota.Config{State: state(t, c), AtOnce: 1, Requests: 2, Now: c.Now})
	for i := range 10 {
		if why := takes(t, q, "one", ann, den); why != "" {
			t.Fatalf("time %d: %s", i, why)
		}
		c.Pass(15 * time.Minute) // also into the next calendar hour
		check(t, q.Withdraw(t.Context(), "one", ann, den))
		check(t, q.Withdraw(t.Context(), "one", ann, den))
	}
	check(t, q.Withdraw(t.Context(), "unknown", ann, den))
	left, err := q.Left(t.Context(), ann, den)
	check(t, err)
	if left.Requests != 2 {
		t.Errorf("left is %+v", left)
	}
}

// TestStorageCallsOfRequest checks that their number is bounded, however many requests are active.
func TestStorageCallsOfRequest(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	w := watch(state(t, c))
	q := make1(t, quota.Config{State: w, AtOnce: 5, ChannelAtOnce: 50, Requests: 100, Now: c.Now})
	for i := range 25 { // half of the channel
		by := adapters.Person{ID: fmt.Sprint("p", i)}
		if why := takes(t, q, fmt.Sprint("r", i), by, den); why != "" {
			t.Fatal(why)
		}
	}
	w.seen()
	for _, step := range []struct {
		name string
		do   func() error
		most int
	}{
		{"take", func() error { _, err := q.Take(t.Context(), "one", ann, den); return err }, 12},
		{"hold", func() error { return q.Hold(t.Context(), "one", ann, den) }, 4},
		{"done", func() error { return q.Done(t.Context(), "one", ann, den) }, 8},
		{"done again", func() error { return q.Done(t.Context(), "one", ann, den) }, 2},
	} {
		check(t, step.do())
		if n, _ := w.seen(); n > step.most {
			t.Errorf("%s: %d calls", step.name, n)
		}
	}
}

// TestFloodLeavesNoState in State when it is refused, for each reason.
func TestFloodLeavesNoState(t *testing.T) {
	t.Parallel()
	for _, config := range []quota.Config{{Requests: 3}, {AtOnce: 3}, {ChannelAtOnce: 3}} {
		c := storagetest.NewClock()
		w := watch(state(t, c))
		config.State, config.Now = w, c.Now
		q := make1(t, config)
		refuse := func(id string) {
			if why := takes(t, q, id, ann, den); why != "" {
				if _, err := q.Tell(t.Context(), id, ann, den, why); err != nil {
					t.Error(err)
				}
			} else if id == "last" {
				t.Error("it is not refused")
			}
		}
		for i := range 4 {
			refuse(fmt.Sprint("r", i))
		}
		_, before := w.seen()
		for i := range 200 {
			refuse(fmt.Sprint("flood", i))
		}
		refuse("last")
		calls, after := w.seen()
		if after != before || calls > 201*20 {
			t.Errorf("%+v: %d stand there after %d, in %d calls", config, after, before, calls)
		}
	}
}
