package await_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"atelier/agent/await"
)

// All who wait are woken by each change, and none misses the last one.
func TestUntil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var changes await.Changes
		var n atomic.Int32
		var all sync.WaitGroup
		for i := range int32(100) {
			all.Go(func() {
				if err := changes.Until(t.Context(), func() bool { return n.Load() >= i }); err != nil {
					t.Error(err)
				}
			})
		}
		for range 99 {
			n.Add(1)
			changes.Notify()
		}
		all.Wait()
	})
}

func TestUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var changes await.Changes
		ctx, stop := context.WithCancel(t.Context())
		asked, ended := 0, make(chan error)
		go func() { ended <- changes.Until(ctx, func() bool { asked++; return false }) }()
		synctest.Wait()
		changes.Notify()
		synctest.Wait()
		if asked != 2 {
			t.Errorf("the condition was asked %d times", asked)
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// A condition that holds needs no change, even if the context has ended.
func TestUntilAtOnce(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var changes await.Changes
	if err := changes.Until(ctx, func() bool { return true }); err != nil {
		t.Error(err)
	}
}
