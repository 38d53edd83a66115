package adapterstest

import (
	"context"
	"errors"
	"fmt"

	"atelier/adapters"
)

func breaking() map[string]check {
	return map[string]check{
		"broken lines":               {[]Feature{Breaks}, brokenLines},
		"what is told twice":         {[]Feature{Echoes}, toldTwice},
		"listening with a bad token": {[]Feature{Tokens}, badTokenHears},
		"sending with a bad token":   {[]Feature{Tokens}, badTokenSends},
		"checks":                     {[]Feature{Checks}, checking},
	}
}

// brokenLines checks that an adapter reconnects, and delivers the same events under the same keys, which the ear
// checks.
func brokenLines(s *scene) {
	e := s.listen()
	thread := s.thread()
	for i := range 3 {
		e.write(s.post(thread, fmt.Sprintf("message %d", i)))
		as[Breaking](s, s.p).Break(s.T)
		s.p.Connected(s.T)
	}
	e.write(s.post(thread, "the last"))
}

// toldTwice checks that a repetition by the platform is the same event, which the ear accepts once by its key.
func toldTwice(s *scene) {
	e := s.listen()
	thread := s.thread()
	for i := range 3 {
		event := e.write(s.post(thread, fmt.Sprintf("message %d", i)))
		as[Echoing](s, s.p).Echo(s.T, event.Message.Ref)
	}
	e.write(s.post(thread, "the last"))
}

func badTokenHears(s *scene) {
	refuse := as[Refusing](s, s.p).Refuse
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	for range 2 { // the second time the token is bad from the start
		var err error
		over := make(chan struct{})
		go func() {
			defer close(over)
			err = s.a.Listen(ctx, func(context.Context, adapters.Event) error { return nil })
		}()
		if refuse != nil {
			s.p.Connected(s.T)
			refuse(s.T)
			refuse = nil
		}
		s.wait("the end of Listen", over)
		s.is("listen", err, adapters.ErrRefused)
		s.said(err)
	}
}

func badTokenSends(s *scene) {
	thread := s.thread()
	as[Refusing](s, s.p).Refuse(s.T)
	_, err := s.a.Send(s.Context(), s.key(), adapters.Reply{Thread: thread, Text: "Hello."})
	s.is("send", err, adapters.ErrRefused)
	if c, ok := s.a.(adapters.Checker); ok {
		err := c.Check(s.Context())
		s.is("check", err, adapters.ErrRefused)
		s.said(err)
	}
	s.only(thread)
}

// said checks that an error has a sentence for people.
func (tr *trial) said(err error) {
	tr.Helper()
	if f, ok := errors.AsType[*adapters.Fault](err); !ok || f.Sentence == "" {
		tr.Errorf("%v says nothing to people", err)
	}
}

// checking checks that Check reports whether somebody listens.
func checking(s *scene) {
	c := as[adapters.Checker](s, s.a)
	silent := func(when string) {
		err := c.Check(s.Context())
		if err == nil {
			s.Fatalf("%s: connected, want an error", when)
		}
		s.said(err)
	}
	silent("before it listens")
	e := s.listen()
	e.write(s.post(s.thread(), "hello"))
	if err := c.Check(s.Context()); err != nil {
		s.Errorf("connected, but Check returns %v", err)
	}
	if err := c.Check(s.ended()); err == nil {
		s.Error("the context has ended, but the error does not say so")
	}
	e.end()
	silent("after it has listened")
}
