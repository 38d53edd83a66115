package memo_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/memo"
)

var errDown = errors.New("down")

// counter answers with the number of times that it was asked.
type counter struct {
	asked int // by one caller at a time
	takes time.Duration
	err   error
}

func (c *counter) ask(ctx context.Context) (int, error) {
	c.asked++
	select {
	case <-time.After(c.takes):
		return c.asked, c.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (c *counter) memo() *memo.Memo[int] {
	life := func(err error) time.Duration {
		if err != nil {
			return time.Second
		}
		return time.Minute
	}
	return memo.New(memo.Config[int]{Ask: c.ask, Life: life, Clock: time.Now})
}

func want(t *testing.T, m *memo.Memo[int], value int, err error) {
	t.Helper()
	if got, gotErr := m.Get(t.Context()); got != value || !errors.Is(gotErr, err) {
		t.Errorf("got %d, %v, want %d, %v", got, gotErr, value, err)
	}
}

func TestValueExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		m := c.memo()
		want(t, m, 1, nil)
		time.Sleep(time.Minute - time.Nanosecond)
		want(t, m, 1, nil)
		time.Sleep(time.Nanosecond)
		want(t, m, 2, nil)
	})
}

func TestErrorExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{err: errDown}
		m := c.memo()
		want(t, m, 1, errDown)
		time.Sleep(time.Second - time.Nanosecond)
		want(t, m, 1, errDown)
		time.Sleep(time.Nanosecond)
		c.err = nil
		want(t, m, 2, nil)
	})
}

func TestCallersShareOneAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{takes: time.Second}
		m := c.memo()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { want(t, m, 1, nil) })
		}
		all.Wait()
		if c.asked != 1 {
			t.Errorf("asked %d times", c.asked)
		}
	})
}

// A cancelled caller gets its context's error at once, whether it asks or waits. The next one asks again.
func TestCancelledCallIsNotCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{takes: time.Minute}
		m := c.memo()
		began := time.Now()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := m.Get(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("they returned after %v", took)
		}
		if _, ok := m.Last(); ok {
			t.Error("an answer is kept")
		}
		asked := c.asked
		want(t, m, asked+1, nil)
	})
}

func TestLastValueSurvivesErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		m := c.memo()
		if _, ok := m.Last(); ok {
			t.Error("there is a value before anybody asked")
		}
		want(t, m, 1, nil)
		c.err = errDown
		time.Sleep(time.Hour)
		want(t, m, 2, errDown)
		if got, ok := m.Last(); got != 1 || !ok {
			t.Errorf("got %d, %v", got, ok)
		}
		m.Set(7, nil)
		want(t, m, 7, nil)
	})
}

// An answer from the future comes from a clock that was set back since.
func TestValueFromFutureIsDropped(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	c := &counter{}
	m := memo.New(memo.Config[int]{Ask: c.ask, Life: memo.For(time.Minute), Clock: func() time.Time { return now }})
	want(t, m, 1, nil)
	now = now.Add(-time.Hour)
	want(t, m, 2, nil)
}
