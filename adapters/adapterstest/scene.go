package adapterstest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
)

// trial is the test of one guarantee of one implementation.
type trial struct {
	*testing.T
	Make
}

// stage is a platform on which people and the bot act.
type stage struct {
	*trial

	p     Platform
	a     adapters.Adapter
	shelf *shelf
	ana   adapters.Person
	keys  int

	mu    sync.Mutex
	begun map[string]bool // messages with which threads begin, by id: they are ignored
	taken map[string]bool // messages that the bot deleted, by key: those events are ignored
}

// scene is a stage whose messages the test checks.
type scene struct{ *stage }

func newScene(t *testing.T, m Make) *scene {
	t.Helper()
	st := &stage{trial: &trial{t, m}, p: m.Open(t), shelf: newShelf(), begun: map[string]bool{}, taken: map[string]bool{}}
	t.Cleanup(func() { st.shelf.closed(t) })
	st.a = st.another()
	st.ana = st.p.Person(t, "Ana")
	return &scene{st}
}

// another returns a further connection of the same bot.
func (st *stage) another() adapters.Adapter {
	st.Helper()
	return st.p.Adapter(st.T, st.shelf.open)
}

// thread returns a new conversation, with several people if possible.
func (st *stage) thread() adapters.Thread {
	st.Helper()
	return st.place(st.lacks(Company) && !st.lacks(Private))
}

func (st *stage) place(private bool) adapters.Thread {
	st.Helper()
	thread := st.p.Thread(st.T, private)
	for _, m := range st.p.Shown(st.T, thread) {
		st.mu.Lock()
		st.begun[m.ID] = true
		st.mu.Unlock()
	}
	return thread
}

// begins reports whether an event must be ignored: a message that begins a thread, or the deletion of a message by
// the bot.
func (st *stage) begins(e adapters.Event) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return e.Message != nil && st.begun[e.Message.Ref.ID] || e.Cancel != nil && e.Cancel.Deleted && st.taken[e.Cancel.On.Key()]
}

// delete makes the bot delete what it sent.
func (st *stage) delete(sent adapters.MessageRef) {
	st.Helper()
	st.mu.Lock()
	for _, key := range sent.Keys() {
		st.taken[key] = true
	}
	st.mu.Unlock()
	st.noError(as[adapters.Deleter](st, st.a).Delete(st.Context(), sent))
}

// bob returns a second person, if there can be one.
func (st *stage) bob() adapters.Person {
	st.Helper()
	if st.lacks(Company) {
		return st.ana
	}
	return st.p.Person(st.T, "Bob")
}

// post returns a message for the bot.
func (st *stage) post(thread adapters.Thread, text string) Post {
	return Post{Thread: thread, By: st.ana, Text: text, Mention: !thread.Direct && !st.lacks(Mentions)}
}

// key returns a new key to send under.
func (st *stage) key() string {
	st.keys++
	return fmt.Sprintf("key-%d", st.keys)
}

// send sends a reply under a new key.
func (st *stage) send(r adapters.Reply) adapters.MessageRef {
	st.Helper()
	return st.sendUnder(st.key(), r)
}

func (st *stage) sendUnder(key string, r adapters.Reply) adapters.MessageRef {
	st.Helper()
	ref, err := st.a.Send(st.Context(), key, r)
	if err != nil {
		st.Fatalf("send: %v", err)
	}
	st.address(ref)
	return ref
}

// say sends a text.
func (st *stage) say(thread adapters.Thread, text string) adapters.MessageRef {
	st.Helper()
	return st.send(adapters.Reply{Thread: thread, Text: text})
}

// address checks that a reference is valid.
func (st *stage) address(ref adapters.MessageRef) {
	st.Helper()
	if ref.Adapter != st.a.Name() {
		st.Errorf("the message belongs to %q", ref.Adapter)
	}
	if err := (adapters.Reply{Thread: adapters.Thread{Adapter: "x", Channel: "x"}, Text: "x", AnswerTo: ref}).Validate(); err != nil {
		st.Errorf("invalid message reference: %v", err)
	}
	if keys := slices.Sorted(slices.Values(ref.Keys())); len(slices.Compact(keys)) != len(ref.Parts)+1 {
		st.Error("two parts have the same reference")
	}
}

// own returns the bot's messages in a thread.
func (s *scene) own(thread adapters.Thread) []Shown {
	s.Helper()
	return slices.DeleteFunc(s.p.Shown(s.T, thread), func(m Shown) bool { return !m.Own })
}

// of returns the messages of a sent reply, as shown in the thread.
func (s *scene) of(thread adapters.Thread, ref adapters.MessageRef) []Shown {
	s.Helper()
	ids := ids(ref)
	messages := slices.DeleteFunc(s.own(thread), func(m Shown) bool { return !slices.Contains(ids, m.ID) })
	if len(messages) != len(ids) {
		s.Fatalf("%d messages sent, %d shown", len(ids), len(messages))
	}
	return messages
}

// only checks that the bot has exactly these messages in a thread.
func (s *scene) only(thread adapters.Thread, refs ...adapters.MessageRef) {
	s.Helper()
	var want, got []string
	for _, ref := range refs {
		want = append(want, ids(ref)...)
	}
	for _, m := range s.own(thread) {
		got = append(got, m.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		s.Errorf("the bot posted %d messages %q, but reports %q", len(got), got, want)
	}
}

func ids(ref adapters.MessageRef) []string { return append([]string{ref.ID}, ref.Parts...) }

// message returns a message of a thread.
func (s *scene) message(thread adapters.Thread, id string) Shown {
	s.Helper()
	all := s.p.Shown(s.T, thread)
	i := slices.IndexFunc(all, func(m Shown) bool { return m.ID == id })
	if i < 0 {
		s.Fatalf("the message %q is not shown", id)
	}
	return all[i]
}

// as returns a platform or an adapter as one of its optional interfaces.
func as[I any](tb testing.TB, whole any) I {
	tb.Helper()
	part, ok := whole.(I)
	if !ok {
		tb.Fatalf("%v is neither implemented nor declared as missing", reflect.TypeFor[I]())
	}
	return part
}

// ended returns a context that has ended.
func (tr *trial) ended() context.Context {
	ctx, cancel := context.WithCancel(tr.Context())
	cancel()
	return ctx
}

// within runs something that must end in time.
func (tr *trial) within(what string, do func()) {
	tr.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	tr.wait(what, done)
}

// wait waits for something that must happen in time.
func (tr *trial) wait(what string, done <-chan struct{}) {
	tr.Helper()
	late := time.NewTimer(tr.Patience)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		tr.Fatalf("%s: it has not come within %v", what, tr.Patience)
	}
}

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
