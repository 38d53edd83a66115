package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"atelier/adapters"
	"atelier/adapters/inbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func event(thread, id string) adapters.Event {
	return adapters.Event{
		Kind: adapters.MessageSent, ID: id, Adapter: "chat", Thread: adapters.Thread{Adapter: "chat", Channel: thread},
		Message: &adapters.Message{Ref: adapters.MessageRef{Adapter: "chat", Channel: thread, ID: id}},
	}
}

// heard is what a handler was handed, and when.
type heard struct {
	mu  sync.Mutex
	ids []string
	at  []time.Time
}

func (h *heard) note(e adapters.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ids, h.at = append(h.ids, e.ID), append(h.at, time.Now())
}

func open(t *testing.T, handle adapters.Handler) *inbox.Inbox {
	t.Helper()
	b, err := inbox.New(inbox.Config{Handle: handle})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func TestNoHandler(t *testing.T) {
	t.Parallel()
	if _, err := inbox.New(inbox.Config{}); err == nil {
		t.Error("an inbox without a handler is made")
	}
}

// Events of a thread come in their order, and no thread waits for another.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		held := make(chan struct{})
		b := open(t, func(_ context.Context, e adapters.Event) error {
			if e.Thread.Channel == "slow" {
				<-held
			}
			h.note(e)
			return nil
		})
		var want []string
		for i := range 50 {
			b.Put(event("slow", fmt.Sprintf("slow %d", i)), nil)
			want = append(want, fmt.Sprintf("slow %d", i))
		}
		b.Put(event("quick", "quick"), nil)
		synctest.Wait()
		if !slices.Equal(h.ids, []string{"quick"}) {
			t.Errorf("%q were handed over while another thread's handler was at work", h.ids)
		}
		close(held)
		synctest.Wait()
		if !slices.Equal(h.ids[1:], want) {
			t.Errorf("they came as %q", h.ids)
		}
	})
}

// What is not taken comes again, later each time; what is behind it waits; it is confirmed
// when it is taken.
func TestAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		b := open(t, func(_ context.Context, e adapters.Event) error {
			h.note(e)
			if e.ID == "one" && len(h.ids) < 12 {
				return errors.New("not now")
			}
			return nil
		})
		confirmed := map[string]bool{}
		b.Put(event("a", "one"), func() { confirmed["one"] = true })
		b.Put(event("a", "two"), func() { confirmed["two"] = true })
		synctest.Wait()
		if len(confirmed) > 0 {
			t.Error("what was not taken is confirmed")
		}
		<-time.After(time.Hour)
		synctest.Wait()
		if len(h.ids) != 13 || h.ids[12] != "two" || !confirmed["one"] || !confirmed["two"] {
			t.Fatalf("%q were handed over, %v confirmed", h.ids, confirmed)
		}
		for i := range 10 {
			if before, after := h.at[i+1].Sub(h.at[i]), h.at[i+2].Sub(h.at[i+1]); i < 9 && i+2 < 12 && (after < before || after > time.Minute) {
				t.Errorf("try %d came after %v, and the one before after %v", i+2, after, before)
			}
		}
	})
}

// The same event is handed over once, and confirmed as often as the platform told of it.
func TestTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		held := make(chan struct{})
		b := open(t, func(_ context.Context, e adapters.Event) error {
			<-held
			h.note(e)
			return nil
		})
		confirmed := 0
		for range 3 {
			b.Put(event("a", "one"), func() { confirmed++ })
		}
		close(held)
		synctest.Wait()
		b.Put(event("a", "one"), func() { confirmed++ })
		if len(h.ids) != 1 || confirmed != 4 {
			t.Errorf("it was handed over %d times and confirmed %d times", len(h.ids), confirmed)
		}
		// Not for ever: what is remembered is bounded.
		for i := range 10_000 {
			b.Put(event("b", fmt.Sprint(i)), nil)
		}
		synctest.Wait()
		b.Put(event("a", "one"), nil)
		synctest.Wait()
		if h.ids[len(h.ids)-1] != "one" {
			t.Error("an event of long ago is remembered")
		}
	})
}

// What can never be taken holds nobody up.
func TestInvalid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		b := open(t, func(_ context.Context, e adapters.Event) error {
			h.note(e)
			if e.ID == "bad" {
				return fmt.Errorf("it has no text: %w", adapters.ErrInvalid)
			}
			return nil
		})
		b.Put(event("a", "bad"), nil)
		b.Put(event("a", "good"), nil)
		synctest.Wait()
		if !slices.Equal(h.ids, []string{"bad", "good"}) {
			t.Errorf("%q were handed over", h.ids)
		}
	})
}

// Close waits for the handler, whose context ends, and nothing is handed over after it.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		returned := false
		b := open(t, func(ctx context.Context, e adapters.Event) error {
			h.note(e)
			<-ctx.Done()
			<-time.After(time.Second)
			returned = true
			return ctx.Err()
		})
		confirmed := false
		b.Put(event("a", "one"), func() { confirmed = true })
		b.Put(event("a", "two"), func() { confirmed = true })
		synctest.Wait()
		b.Close()
		if !returned || confirmed {
			t.Errorf("the handler has returned: %v; what was not taken is confirmed: %v", returned, confirmed)
		}
		b.Put(event("a", "three"), func() { confirmed = true })
		synctest.Wait()
		if len(h.ids) != 1 || confirmed {
			t.Errorf("%q were handed over", h.ids)
		}
	})
}

// A reaction of which the platform does not tell the thread stands in line with its message's.
func TestReactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		b := open(t, func(_ context.Context, e adapters.Event) error {
			if e.Kind == adapters.ReactionAdded && !slices.Contains(h.ids, "added") {
				<-time.After(time.Second)
			}
			h.note(e)
			return nil
		})
		on := adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "1"}
		b.Put(adapters.Event{Kind: adapters.ReactionAdded, ID: "added", Adapter: "chat", Reaction: &adapters.Reaction{On: on}}, nil)
		b.Put(adapters.Event{Kind: adapters.ReactionRemoved, ID: "removed", Adapter: "chat", Reaction: &adapters.Reaction{On: on}}, nil)
		<-time.After(time.Minute)
		synctest.Wait()
		if !slices.Equal(h.ids, []string{"added", "removed"}) {
			t.Errorf("they came as %q", h.ids)
		}
	})
}
