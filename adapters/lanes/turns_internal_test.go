package lanes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestTurns checks that a key has one holder at a time, that keys are independent, and that unused ones are removed.
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
			t.Error("a key has two holders")
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := turns.Take(ctx, "a")
			took <- err.Error()
		}()
		synctest.Wait()
		cancel()
		if said := <-took; said != context.Canceled.Error() {
			t.Error("a cancelled Take returned", said)
		}
		if _, err := turns.Take(ctx, "c"); !errors.Is(err, context.Canceled) {
			t.Errorf("Take with an ended context: %v", err)
		}
		leave()
		<-took
		<-took
		synctest.Wait()
		if len(turns.held) != 0 {
			t.Errorf("%d keys remain", len(turns.held))
		}
	})
}
