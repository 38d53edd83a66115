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
