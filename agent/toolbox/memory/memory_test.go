package memory

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/plan"
)

func newBudget(t *testing.T, limit int64) *Budget {
	t.Helper()
	b, err := New(Config{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLimit(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{Limit: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
	if b := newBudget(t, 0); b.Limit() < 64<<20 || b.Limit() > math.MaxInt64/2 {
		t.Errorf("the system's limit is %d bytes", b.Limit())
	}
	if b := newBudget(t, 4000); b.whole != 3000 {
		t.Errorf("of 4000 bytes %d are for work", b.whole)
	}
	for _, b := range []*Budget{nil, newBudget(t, 4000)} {
		giveBack, err := b.Take(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		giveBack()
	}
	lent, giveBack, err := (*Budget)(nil).Lend(t.Context(), math.MaxInt64)
	if err != nil || lent != math.MaxInt64 {
		t.Errorf("without a budget %d bytes are lent: %v", lent, err)
	}
	giveBack()
}

// TestTake checks that no more than the budget is taken at a time, and that all waiters get their share, in
// order.
func TestTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(t, 4000)
		var mu sync.Mutex
		var held, most int64
		var order []int
		var all sync.WaitGroup
		for i, n := range []int64{2000, 3000, 500, 2500, 1} {
			all.Go(func() {
				giveBack, err := b.Take(t.Context(), n)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				held += n
				most = max(most, held)
				order = append(order, i)
				mu.Unlock()
				<-time.After(time.Second) // of the bubble: it passes when nobody does anything
				mu.Lock()
				held -= n
				mu.Unlock()
				giveBack()
				giveBack() // once more gives back no more
			})
			synctest.Wait()
		}
		all.Wait()
		if most > b.whole || len(order) != 5 || order[0] != 0 || order[1] != 1 {
			t.Errorf("%d bytes were held at a time, in the order %v", most, order)
		}
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := newBudget(t, 4_000_000)
	_, err := b.Take(t.Context(), 5_000_000)
	if want := "It would take 5 MB of memory, and the limit is 3 MB; try something smaller."; !errors.Is(err, ErrTooLittle) ||
		plan.Sentence(err, plan.Message{}).String() != want {
		t.Errorf("too much: %v", err)
	}
	giveBack, err := b.Take(t.Context(), 3_000_000)
	if err != nil {
		t.Fatal(err)
	}
	defer giveBack()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Take(ended, 1)
	_, _, lendErr := b.Lend(ended, 1)
	for _, err := range []error{err, lendErr} {
		if !errors.Is(err, context.Canceled) || plan.Sentence(err, plan.Message{}).String() != "It was stopped before it finished." {
			t.Errorf("it does not stop waiting: %v", err)
		}
	}
}

// TestRuntimeFollows checks that the limit of Go's runtime shrinks by what is lent to programs.
func TestRuntimeFollows(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	const limit, whole = 8 << 30, 6 << 30
	b, err := New(Config{Limit: limit, Runtime: true})
	if err != nil {
		t.Fatal(err)
	}
	now := func() int64 { return debug.SetMemoryLimit(-1) }
	alone := now()
	if alone <= whole || alone >= limit {
		t.Errorf("it is held to %d bytes", alone)
	}
	lent, giveBack, err := b.Lend(t.Context(), 1<<30)
	if err != nil || lent != 1<<30 || now() != alone-lent {
		t.Errorf("with %d bytes lent it is held to %d: %v", lent, now(), err)
	}
	giveBack()
	lent, giveBack, err = b.Lend(t.Context(), limit) // more than there is: small work still finds some
	if err != nil || lent >= whole || now() != alone-lent {
		t.Errorf("with %d bytes lent it is held to %d: %v", lent, now(), err)
	}
	small, err := b.Take(t.Context(), large)
	if err != nil {
		t.Fatal(err)
	}
	small()
	giveBack()
	if now() != alone {
		t.Errorf("afterwards it is held to %d bytes, and not %d", now(), alone)
	}
	t.Setenv("GOMEMLIMIT", "1GiB")
	if _, err := New(Config{Limit: limit / 2, Runtime: true}); err != nil || now() != alone {
		t.Errorf("GOMEMLIMIT is not left to who set it: %d bytes, %v", now(), err)
	}
}
