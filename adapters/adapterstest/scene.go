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

// scene is a platform of its own on which one promise is tried, with somebody there.
type scene struct {
	*testing.T
	Make

	p     Platform
	a     adapters.Adapter
	shelf *shelf
	ana   adapters.Person
	keys  int

	mu    sync.Mutex
	begun map[string]bool // messages with which threads begin, by id: they are not looked at
	taken map[string]bool // messages that the bot deleted, by key: that may be heard
}

func newScene(t *testing.T, m Make) *scene {
	t.Helper()
	s := &scene{T: t, Make: m, p: m.Open(t), shelf: newShelf(), begun: map[string]bool{}, taken: map[string]bool{}}
	t.Cleanup(func() { s.shelf.closed(t) })
	s.a = s.another()
	s.ana = s.p.Person(t, "Ana")
	return s
}

// another is one more connection of the same bot.
func (s *scene) another() adapters.Adapter {
	s.Helper()
	return s.p.Adapter(s.T, s.shelf.open)
}

// thread is a new conversation, of several people where there are such.
func (s *scene) thread() adapters.Thread {
	s.Helper()
	return s.place(s.lacks(Company) && !s.lacks(Private))
}

func (s *scene) place(private bool) adapters.Thread {
	s.Helper()
	thread := s.p.Thread(s.T, private)
	for _, m := range s.p.Shown(s.T, thread) {
		s.mu.Lock()
		s.begun[m.ID] = true
		s.mu.Unlock()
	}
	return thread
}

// begins tells whether an event is no more than that a thread begins, or that the bot deleted a message.
func (s *scene) begins(e adapters.Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Message != nil && s.begun[e.Message.Ref.ID] || e.Cancel != nil && e.Cancel.Deleted && s.taken[e.Cancel.On.Key()]
}

// delete lets the bot delete what it sent.
func (s *scene) delete(sent adapters.MessageRef) {
	s.Helper()
	s.mu.Lock()
	for _, key := range sent.Keys() {
		s.taken[key] = true
	}
	s.mu.Unlock()
	s.noError(as[adapters.Deleter](s, s.a).Delete(s.Context(), sent))
}

// bob is somebody else, where there is anybody.
func (s *scene) bob() adapters.Person {
	s.Helper()
	if s.lacks(Company) {
		return s.ana
	}
	return s.p.Person(s.T, "Bob")
}

// post is a message that is meant for the bot.
func (s *scene) post(thread adapters.Thread, text string) Post {
	return Post{Thread: thread, By: s.ana, Text: text, Mention: !thread.Direct && !s.lacks(Mentions)}
}

// key is a new key to send under.
func (s *scene) key() string {
	s.keys++
	return fmt.Sprintf("key-%d", s.keys)
}

// send sends a reply under a new key.
func (s *scene) send(r adapters.Reply) adapters.MessageRef {
	s.Helper()
	return s.sendUnder(s.key(), r)
}

func (s *scene) sendUnder(key string, r adapters.Reply) adapters.MessageRef {
	s.Helper()
	ref, err := s.a.Send(s.Context(), key, r)
	if err != nil {
		s.Fatalf("send: %v", err)
	}
	s.address(ref)
	return ref
}

// say sends a text.
func (s *scene) say(thread adapters.Thread, text string) adapters.MessageRef {
	s.Helper()
	return s.send(adapters.Reply{Thread: thread, Text: text})
}

// address checks that a reference can be one.
func (s *scene) address(ref adapters.MessageRef) {
	s.Helper()
	if ref.Adapter != s.a.Name() {
		s.Errorf("the message is one of %q", ref.Adapter)
	}
	if err := (adapters.Reply{Thread: adapters.Thread{Adapter: "x", Channel: "x"}, Text: "x", AnswerTo: ref}).Validate(); err != nil {
		s.Errorf("the message has no address: %v", err)
	}
	if keys := slices.Sorted(slices.Values(ref.Keys())); len(slices.Compact(keys)) != len(ref.Parts)+1 {
		s.Error("two parts have one address")
	}
}

// own are the messages of the bot in a thread.
func (s *scene) own(thread adapters.Thread) []Shown {
	s.Helper()
	return slices.DeleteFunc(s.p.Shown(s.T, thread), func(m Shown) bool { return !m.Own })
}

// of are the messages of what was sent, as they stand in the thread.
func (s *scene) of(thread adapters.Thread, ref adapters.MessageRef) []Shown {
	s.Helper()
	ids := ids(ref)
	messages := slices.DeleteFunc(s.own(thread), func(m Shown) bool { return !slices.Contains(ids, m.ID) })
	if len(messages) != len(ids) {
		s.Fatalf("of %d messages that were sent %d are there", len(ids), len(messages))
	}
	return messages
}

// only checks that the bot has nothing in a thread but these, each once.
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
		s.Errorf("the bot has posted %d messages %q, and says that they are %q", len(got), got, want)
	}
}

func ids(ref adapters.MessageRef) []string { return append([]string{ref.ID}, ref.Parts...) }

// message is one that stands in a thread.
func (s *scene) message(thread adapters.Thread, id string) Shown {
	s.Helper()
	all := s.p.Shown(s.T, thread)
	i := slices.IndexFunc(all, func(m Shown) bool { return m.ID == id })
	if i < 0 {
		s.Fatalf("the message %q is not shown", id)
	}
	return all[i]
}

// as is a platform or an adapter by what it can do besides, where the feature is there.
func as[I any](s *scene, whole any) I {
	s.Helper()
	part, ok := whole.(I)
	if !ok {
		s.Fatalf("it is no %v, and is not said to lack that", reflect.TypeFor[I]())
	}
	return part
}

// ended is a context that has ended.
func (s *scene) ended() context.Context {
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	return ctx
}

// within does something that must end, in a goroutine of its own.
func (s *scene) within(what string, do func()) {
	s.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	s.wait(what, done)
}

// wait waits for what must come.
func (s *scene) wait(what string, done <-chan struct{}) {
	s.Helper()
	late := time.NewTimer(s.Patience)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		s.Fatalf("%s: it has not come within %v", what, s.Patience)
	}
}
