package lanes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// One at a time has a key, others have theirs meanwhile, and nothing is kept.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		take := func(ctx context.Context, key string) func() {
			leave, err := turns.Take(ctx, key)
			if err != nil {
				t.Error(err)
			}
			return leave
		}
		leave := take(t.Context(), "a")
		took := make(chan string, 3)
		for range 2 {
			go func() {
				leave := take(t.Context(), "a")
				took <- "a"
				leave()
			}()
		}
		take(t.Context(), "b")()
		synctest.Wait()
		if len(took) != 0 {
			t.Error("two have the same key")
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := turns.Take(ctx, "a")
			took <- err.Error()
		}()
		synctest.Wait()
		cancel()
		if said := <-took; said != context.Canceled.Error() {
			t.Error("who gives up is told", said)
		}
		if _, err := turns.Take(ctx, "c"); !errors.Is(err, context.Canceled) {
			t.Errorf("who has given up before has it: %v", err)
		}
		leave()
		<-took
		<-took
		synctest.Wait()
		if len(turns.held) != 0 {
			t.Errorf("%d keys are kept", len(turns.held))
		}
	})
}
