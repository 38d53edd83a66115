package adapterstest

import (
	"context"
	"slices"
	"sync"
	"time"

	"atelier/adapters"
)

// ear is a handler that records events while an adapter listens.
type ear struct {
	s *stage
	a adapters.Adapter
	// take may fail; n is the number of the delivery of the event, from 1.
	take func(ctx context.Context, e adapters.Event, n int) error

	mu     sync.Mutex
	news   chan struct{}
	whose  map[string]string      // detects keys and messages that change
	tries  map[string][]time.Time // delivery times, by event
	taken  map[string]bool        // by event
	unread []adapters.Event       // accepted events that the check has not asked for, each once

	stop  context.CancelFunc
	over  chan struct{}
	err   error // once it is over
	ended bool
}

// listen makes the scene's adapter listen. The check must ask for all events ([ear.next]) before it ends.
func (st *stage) listen() *ear {
	st.Helper()
	return st.listenBy(st.a, nil)
}

func (st *stage) listenBy(a adapters.Adapter, take func(ctx context.Context, e adapters.Event, n int) error) *ear {
	st.Helper()
	e := &ear{
		s: st, a: a, take: take, news: make(chan struct{}, 1), over: make(chan struct{}),
		whose: map[string]string{}, tries: map[string][]time.Time{}, taken: map[string]bool{},
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(st.Context())) // ended by ear.end
	e.stop = stop
	go func() {
		defer close(e.over)
		e.err = a.Listen(ctx, e.handle)
	}()
	st.Cleanup(e.end)
	st.p.Connected(st.T)
	return e
}

// handle is an [adapters.Handler].
func (e *ear) handle(ctx context.Context, event adapters.Event) error {
	n := e.note(event)
	if e.s.begins(event) {
		return nil
	}
	if e.take != nil {
		if err := e.take(ctx, event, n); err != nil {
			return err
		}
	}
	e.mu.Lock()
	if key := event.Key(); !e.taken[key] {
		e.taken[key] = true
		e.unread = append(e.unread, event)
	}
	e.mu.Unlock()
	select {
	case e.news <- struct{}{}:
	default:
	}
	return nil
}

// note checks what must be true of every event, and counts it.
func (e *ear) note(event adapters.Event) (times int) {
	if err := event.Validate(); err != nil {
		e.s.Errorf("invalid event: %v", err)
	}
	if event.Adapter != e.a.Name() || event.Thread != (adapters.Thread{}) && event.Thread.Adapter != e.a.Name() {
		e.s.Errorf("an event of %q in a thread of %q was received by %q", event.Adapter, event.Thread.Adapter, e.a.Name())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := event.Message; m != nil {
		message := "message " + m.Ref.Key()
		if event.Kind == adapters.MessageEdited {
			message = "edit " + event.Key()
		}
		for key, of := range map[string]string{"event " + event.Key(): m.Ref.Key(), message: event.Key()} {
			if before, ok := e.whose[key]; ok && before != of {
				e.s.Errorf("the %s was received as %s, and as %s", key, before, of)
			}
			e.whose[key] = of
		}
	}
	e.tries[event.Key()] = append(e.tries[event.Key()], time.Now())
	return len(e.tries[event.Key()])
}

// next waits for the first event of a kind that was not asked for yet, and returns it.
func (e *ear) next(what string, is func(adapters.Event) bool) adapters.Event {
	e.s.Helper()
	late := time.NewTimer(e.s.Patience)
	defer late.Stop()
	for {
		e.mu.Lock()
		e.unread = slices.DeleteFunc(e.unread, e.s.begins) // received before the thread was known
		i := slices.IndexFunc(e.unread, is)
		if i >= 0 {
			found := e.unread[i]
			e.unread = slices.Delete(e.unread, i, i+1)
			e.mu.Unlock()
			return found
		}
		e.mu.Unlock()
		select {
		case <-e.news:
		case <-e.over:
			e.s.Fatalf("%s: Listen has ended: %v", what, e.err)
		case <-late.C:
			e.s.Fatalf("%s: not received within %v", what, e.s.Patience)
		}
	}
}

// message waits for a message.
func (e *ear) message(ref adapters.MessageRef) adapters.Event {
	e.s.Helper()
	event := e.next("a message", func(e adapters.Event) bool { return e.Message != nil && e.Message.Ref.Key() == ref.Key() })
	if event.Kind != adapters.MessageSent {
		e.s.Errorf("a message is of kind %q", event.Kind)
	}
	return event
}

// write lets somebody write, and waits for the event.
func (e *ear) write(p Post) adapters.Event {
	e.s.Helper()
	ref := e.s.p.Write(e.s.T, p)
	event := e.message(ref)
	if p.Thread.ID != "" || p.Thread.Direct {
		if event.Thread.Key() != p.Thread.Key() || event.Thread.Direct != p.Thread.Direct {
			e.s.Errorf("a message in %+v was received in %+v", p.Thread, event.Thread)
		}
	}
	if event.By.ID != p.By.ID || event.By.Name != p.By.Name || event.By.Admin != p.By.Admin {
		e.s.Errorf("a message by %+v was received from %+v", p.By, event.By)
	}
	return event
}

// end stops listening. It checks that Listen ends after all deliveries, and that there were no events that the
// check did not ask for.
func (e *ear) end() {
	e.s.Helper()
	if e.ended {
		return
	}
	e.ended = true
	e.s.pause()
	e.stop()
	e.s.wait("the end of Listen", e.over)
	if e.err != nil {
		e.s.Errorf("Listen returned %v after its context ended", e.err)
	}
	for _, event := range slices.DeleteFunc(e.unread, e.s.begins) {
		e.s.Errorf("unexpected event of kind %q: %+v %+v %+v", event.Kind, event.Message, event.Reaction, event.Cancel)
	}
}
