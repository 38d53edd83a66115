package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
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

// heard records the delivered events with their times, and the confirmed ones.
type heard struct {
	mu        sync.Mutex
	ids       []string
	at        []time.Time
	confirmed []string
}

func (h *heard) confirm(id string) func() {
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.confirmed = append(h.confirmed, id)
	}
}

func (h *heard) all() (ids []string, at []time.Time, confirmed []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ids), slices.Clone(h.at), slices.Clone(h.confirmed)
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
		t.Error("an inbox without a handler is accepted")
	}
}

// TestOrder checks that events of a thread are delivered in order, and that no thread waits for another.
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
		if ids, _, _ := h.all(); !slices.Equal(ids, []string{"quick"}) {
			t.Errorf("%q were delivered while another thread's handler was running", ids)
		}
		close(held)
		synctest.Wait()
		if ids, _, _ := h.all(); !slices.Equal(ids[1:], want) {
			t.Errorf("the order is %q", ids)
		}
	})
}

// TestRedelivery checks that an event that was not accepted is delivered again, with backoff, that later events wait,
// and that it is confirmed when it is accepted.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		b := open(t, func(_ context.Context, e adapters.Event) error {
			h.note(e)
			if ids, _, _ := h.all(); e.ID == "one" && len(ids) < 12 {
				return errors.New("not now")
			}
			return nil
		})
		b.Put(event("a", "one"), h.confirm("one"))
		b.Put(event("a", "two"), h.confirm("two"))
		synctest.Wait()
		if _, _, confirmed := h.all(); len(confirmed) > 0 {
			t.Error("an event that was not accepted is confirmed")
		}
		<-time.After(time.Hour)
		synctest.Wait()
		ids, at, confirmed := h.all()
		if len(ids) != 13 || ids[12] != "two" || !slices.Equal(confirmed, []string{"one", "two"}) {
			t.Fatalf("%q were delivered, %q confirmed", ids, confirmed)
		}
		for i := range 10 {
			if before, after := at[i+1].Sub(at[i]), at[i+2].Sub(at[i+1]); after < before || after > time.Minute {
				t.Errorf("attempt %d came after %v, the previous one after %v", i+3, after, before)
			}
		}
	})
}

// TestRepetition checks that a repeated event is delivered once, but confirmed each time.
func TestRepetition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		held := make(chan struct{})
		b := open(t, func(_ context.Context, e adapters.Event) error {
			<-held
			h.note(e)
			return nil
		})
		for range 3 {
			b.Put(event("a", "one"), h.confirm("one"))
		}
		close(held)
		synctest.Wait()
		b.Put(event("a", "one"), h.confirm("one"))
		if ids, _, confirmed := h.all(); len(ids) != 1 || len(confirmed) != 4 {
			t.Errorf("delivered %d times and confirmed %d times", len(ids), len(confirmed))
		}
		// The memory of accepted events is bounded.
		for i := range 10_000 {
			b.Put(event("b", strconv.Itoa(i)), nil)
		}
		synctest.Wait()
		b.Put(event("a", "one"), nil)
		synctest.Wait()
		if ids, _, _ := h.all(); ids[len(ids)-1] != "one" {
			t.Error("an old event is still remembered")
		}
	})
}

// TestInvalid checks that an invalid event does not block its thread.
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
		if ids, _, _ := h.all(); !slices.Equal(ids, []string{"bad", "good"}) {
			t.Errorf("%q were delivered", ids)
		}
	})
}

// TestClose checks that Close cancels the handler's context, waits for it, and stops deliveries.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		var returned atomic.Bool
		b := open(t, func(ctx context.Context, e adapters.Event) error {
			h.note(e)
			<-ctx.Done()
			<-time.After(time.Second)
			returned.Store(true)
			return ctx.Err()
		})
		b.Put(event("a", "one"), h.confirm("one"))
		b.Put(event("a", "two"), h.confirm("two"))
		synctest.Wait()
		b.Close()
		if !returned.Load() {
			t.Error("the handler has not returned")
		}
		b.Put(event("a", "three"), h.confirm("three"))
		synctest.Wait()
		if ids, _, confirmed := h.all(); len(ids) != 1 || len(confirmed) > 0 {
			t.Errorf("%q were delivered, %q confirmed", ids, confirmed)
		}
	})
}

// TestReactions checks that reactions without a thread are ordered by their message.
func TestReactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h heard
		b := open(t, func(_ context.Context, e adapters.Event) error {
			if e.Kind == adapters.ReactionAdded {
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
		if ids, _, _ := h.all(); !slices.Equal(ids, []string{"added", "removed"}) {
			t.Errorf("the order is %q", ids)
		}
	})
}

// TestPutAtTheEndOfALane checks that an event that is put while its lane ends is delivered once.
func TestPutAtTheEndOfALane(t *testing.T) {
	t.Parallel()
	const events = 20_000
	handed := make(chan string, events)
	b := open(t, func(_ context.Context, e adapters.Event) error {
		handed <- e.ID
		return nil
	})
	for i := range events {
		id := strconv.Itoa(i)
		b.Put(event("one", id), nil)
		if got := <-handed; got != id {
			t.Fatalf("delivered %s, put %s", got, id)
		}
	}
	b.Close()
	if len(handed) > 0 {
		t.Errorf("%s was delivered twice", <-handed)
	}
}
