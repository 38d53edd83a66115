package adapterstest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"atelier/adapters"
)

func listening() map[string]check {
	return map[string]check{
		"the name":                         {nil, name},
		"listening ends":                   {nil, listeningEnds},
		"the last handler returns first":   {nil, lastHandler},
		"order within a thread":            {nil, order},
		"threads at once":                  {nil, threadsAtOnce},
		"what is not taken comes again":    {nil, comesAgain},
		"listening ends where none takes":  {nil, noneTakes},
		"what was not taken is kept":       {[]Feature{Later}, keptUntaken},
		"what is written while none hears": {[]Feature{Later}, writtenBefore},
	}
}

func name(s *scene) {
	if n := s.a.Name(); n != s.another().Name() || !regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`).MatchString(n) {
		s.Errorf("the name is %q and %q", n, s.another().Name())
	}
}

// listeningEnds checks that Listen ends with its context, whenever that ends, and that the adapter can listen
// again.
func listeningEnds(s *scene) {
	s.within("the end of a Listen whose context has ended", func() {
		err := s.another().Listen(s.ended(), func(context.Context, adapters.Event) error { return nil })
		if err != nil {
			s.Errorf("Listen returned %v", err)
		}
	})
	thread := s.thread()
	for i := range 3 {
		e := s.listenBy(s.another(), nil)
		e.write(s.post(thread, fmt.Sprintf("hello %d", i)))
		e.end()
	}
}

// pause lets other goroutines run, so that forbidden things would have time to happen.
func (st *stage) pause() {
	if st.Bubble {
		<-time.After(time.Second)
		return
	}
	for range 1000 {
		runtime.Gosched()
	}
}

func lastHandler(s *scene) {
	entered, ending := make(chan struct{}), make(chan struct{})
	var returned atomic.Bool
	var once sync.Once
	thread := s.thread()
	e := s.listenBy(s.a, func(context.Context, adapters.Event, int) error {
		once.Do(func() { close(entered) })
		<-ending
		s.pause()
		returned.Store(true)
		return nil
	})
	ref := s.p.Write(s.T, s.post(thread, "hold on"))
	s.wait("a message", entered)
	e.stop()
	close(ending)
	s.wait("the end of Listen", e.over)
	if !returned.Load() {
		s.Error("Listen has returned before the last handler")
	}
	e.message(ref)
}

// order checks that a thread's messages are delivered in order, one after another.
func order(s *scene) {
	people := []adapters.Person{s.ana, s.bob()}
	threads := []adapters.Thread{s.thread(), s.thread()}
	var mu sync.Mutex
	at := map[string]int{}
	count := func(key string, by int) int {
		mu.Lock()
		defer mu.Unlock()
		at[key] += by
		return at[key]
	}
	e := s.listenBy(s.a, func(_ context.Context, e adapters.Event, _ int) error {
		if count(e.Thread.Key(), 1) > 1 {
			s.Error("two messages of a thread are handled concurrently")
		}
		s.pause()
		count(e.Thread.Key(), -1)
		return nil
	})
	written := map[string][]string{}
	for i := range 12 {
		for _, thread := range threads {
			p := s.post(thread, fmt.Sprintf("message %d", i))
			p.By = people[i%2]
			written[thread.Key()] = append(written[thread.Key()], s.p.Write(s.T, p).Key())
		}
	}
	for _, thread := range threads {
		var last int64
		for i, key := range written[thread.Key()] {
			m := e.next("a message", func(e adapters.Event) bool { return e.Message != nil && e.Thread.Key() == thread.Key() }).Message
			if m.Ref.Key() != key {
				s.Errorf("message %d is the wrong one", i)
			}
			if i > 0 && m.Order <= last {
				s.Errorf("the order of message %d is %d, after %d", i, m.Order, last)
			}
			last = m.Order
		}
	}
}

// threadsAtOnce checks that a thread does not wait for another one's handler.
func threadsAtOnce(s *scene) {
	other := make(chan struct{})
	first, second := s.thread(), s.thread()
	e := s.listenBy(s.a, func(_ context.Context, e adapters.Event, _ int) error {
		if e.Message.Text == "two" {
			close(other)
			return nil
		}
		s.wait("a message of another thread, beside the first", other)
		return nil
	})
	one := s.p.Write(s.T, s.post(first, "one"))
	two := s.p.Write(s.T, s.post(second, "two"))
	e.message(two)
	e.message(one)
}

var errNotNow = errors.New("not now")

func comesAgain(s *scene) {
	const fails = 5
	thread, other := s.thread(), s.thread()
	e := s.listenBy(s.a, func(_ context.Context, e adapters.Event, n int) error {
		if e.Message.Text == "again" && n <= fails {
			return errNotNow
		}
		return nil
	})
	again := s.p.Write(s.T, s.post(thread, "again"))
	e.write(s.post(other, "meanwhile"))
	event := e.message(again)
	e.mu.Lock()
	tries := e.tries[event.Key()]
	e.mu.Unlock()
	if len(tries) <= fails {
		s.Fatalf("it was delivered %d times", len(tries))
	}
	var waits []time.Duration
	for i, at := range tries[1:] {
		waits = append(waits, at.Sub(tries[i]))
	}
	// A busy machine makes a wait longer, but hardly two by so much.
	first, last := slices.Min(waits[:2]), slices.Min(waits[fails-2:fails])
	if first <= 0 || last < 2*first {
		s.Errorf("redelivered after %v, and later after %v: the pauses %v do not grow", first, last, waits)
	}
}

func noneTakes(s *scene) {
	tried := make(chan struct{})
	var once sync.Once
	thread := s.thread()
	e := s.listenBy(s.a, func(context.Context, adapters.Event, int) error {
		once.Do(func() { close(tried) })
		return errNotNow
	})
	s.p.Write(s.T, s.post(thread, "hello"))
	s.wait("a message", tried)
	e.end()
}

// keptUntaken checks that an event that was not accepted is delivered to the next listener, as the same event.
func keptUntaken(s *scene) {
	keys := make(chan string, 100)
	thread := s.thread()
	first := s.listenBy(s.a, func(_ context.Context, e adapters.Event, n int) error {
		if n == 1 {
			keys <- e.Key()
		}
		return errNotNow
	})
	ref := s.p.Write(s.T, s.post(thread, "hello"))
	var key string
	s.within("a message", func() { key = <-keys })
	first.end()
	next := s.listenBy(s.another(), nil)
	if again := next.message(ref).Key(); again != key {
		s.Errorf("the event was %s, and is now %s", key, again)
	}
	next.write(s.post(thread, "and more"))
}

func writtenBefore(s *scene) {
	thread := s.thread()
	var refs []adapters.MessageRef
	for i := range 3 {
		refs = append(refs, s.p.Write(s.T, s.post(thread, fmt.Sprintf("early %d", i))))
	}
	e := s.listen()
	for i, ref := range refs {
		m := e.next("a message", func(e adapters.Event) bool { return e.Message != nil }).Message
		if m.Ref.Key() != ref.Key() || m.Text != fmt.Sprintf("early %d", i) {
			s.Errorf("message %d is %q", i, m.Text)
		}
	}
}
