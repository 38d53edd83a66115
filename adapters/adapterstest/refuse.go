package adapterstest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/adapters"
)

func refusing() map[string]check {
	return map[string]check{
		"replies that are none":     {nil, badReplies},
		"keys that are none":        {nil, badKeys},
		"threads of another":        {nil, threadsOfAnother},
		"threads that are gone":     {nil, threadsGone},
		"contexts that have ended":  {nil, contextsEnded},
		"a platform that is silent": {[]Feature{Stillness}, silentPlatform},
		"short pauses":              {[]Feature{Pauses}, shortPauses},
		"long pauses":               {[]Feature{Pauses}, longPauses},
		"threads that are closed":   {[]Feature{Rights}, threadsClosed},
	}
}

// refused checks that a reply is rejected and nothing of it is posted.
func (s *scene) refused(what, key string, r adapters.Reply, kind error) {
	s.Helper()
	ref, err := s.a.Send(s.Context(), key, r)
	s.is(what, err, kind)
	if !ref.IsZero() {
		s.Errorf("%s: no error", what)
	}
}

func badReplies(s *scene) {
	thread := s.thread()
	file := s.shelf.put("a.txt", "text/plain", []byte("a"))
	with := func(change func(a *adapters.Attachment)) []adapters.Attachment {
		other := file
		change(&other)
		return []adapters.Attachment{file, other}
	}
	many := make([]adapters.Choice, adapters.MaxChoices+1)
	for i := range many {
		many[i] = adapters.Choice{ID: fmt.Sprintf("c%d", i), Text: "x"}
	}
	for what, r := range map[string]adapters.Reply{
		"one that says nothing":        {},
		"a text that is no UTF-8":      {Text: "a\xffb"},
		"a mention of two lines":       {Text: "x", Mention: "a\nb"},
		"too many choices":             {Text: "x", Choices: many},
		"a choice without an id":       {Text: "x", Choices: []adapters.Choice{{Text: "x"}}},
		"a choice without a text":      {Text: "x", Choices: []adapters.Choice{{ID: "x"}}},
		"a choice's id with a space":   {Text: "x", Choices: []adapters.Choice{{ID: "a b", Text: "x"}}},
		"a file without a name":        {Text: "x", Files: with(func(a *adapters.Attachment) { a.Name = "" })},
		"a file's name of two lines":   {Text: "x", Files: with(func(a *adapters.Attachment) { a.Name = "a\nb" })},
		"a file that is nowhere":       {Text: "x", Files: with(func(a *adapters.Attachment) { a.Handle = "" })},
		"a link that is a program":     {Text: "x", Files: with(func(a *adapters.Attachment) { a.Link = "javascript:alert(1)" })},
		"a link to a file":             {Text: "x", Files: with(func(a *adapters.Attachment) { a.Link = "file:///etc/passwd" })},
		"a link to mark by with quote": {Text: "x", Files: with(func(a *adapters.Attachment) { a.MarkLink = "https://a\" onload=\"x" })},
		"a language that is none":      {Text: "x", Language: "e n"},
		"an answer to nobody":          {Text: "x", AnswerTo: adapters.MessageRef{ID: "x"}},
	} {
		r.Thread = thread
		s.refused(what, s.key(), r, adapters.ErrInvalid)
	}
	s.only(thread)
}

func badKeys(s *scene) {
	thread := s.thread()
	for _, key := range []string{"", " ", "a b", "a\nb", "\x00", "\x7f", "ä", strings.Repeat("x", adapters.MaxKey+1)} {
		s.refused(fmt.Sprintf("the key %q", key), key, adapters.Reply{Thread: thread, Text: "x"}, adapters.ErrInvalid)
		if r, ok := s.a.(adapters.Reporter); ok {
			_, err := r.Report(s.Context(), key, adapters.MessageRef{}, adapters.Progress{Thread: thread, Title: "x"})
			s.is(fmt.Sprintf("report under the key %q", key), err, adapters.ErrInvalid)
		}
	}
	s.only(thread)
}

func threadsOfAnother(s *scene) {
	thread := s.thread()
	r := adapters.Reply{Thread: thread, Text: "x"}
	for _, other := range []string{"elsewhere", "", s.a.Name() + "-2"} {
		r.Thread.Adapter = other
		s.refused(fmt.Sprintf("a thread of %q", other), s.key(), r, adapters.ErrInvalid)
	}
	r.Thread = thread
	r.Thread.Channel = ""
	s.refused("a thread without a channel", s.key(), r, adapters.ErrInvalid)
	s.only(thread)
}

func threadsGone(s *scene) {
	gone := s.p.Gone(s.T)
	s.refused("a thread that is gone", s.key(), adapters.Reply{Thread: gone, Text: "x"}, adapters.ErrGone)
	if r, ok := s.a.(adapters.Reporter); ok {
		_, err := r.Report(s.Context(), s.key(), adapters.MessageRef{}, adapters.Progress{Thread: gone, Title: "x"})
		s.is("report in a thread that is gone", err, adapters.ErrGone)
	}
	for _, strange := range []string{"0", "never", "../x", "<x>", "a b", "1 OR 1=1"} {
		thread := s.thread()
		thread.Channel, thread.ID = strange, strange
		if _, err := s.a.Send(s.Context(), s.key(), adapters.Reply{Thread: thread, Text: "x"}); !adapters.Final(err) {
			s.Errorf("the invalid thread %q: %v", strange, err)
		}
	}
}

// contextsEnded checks that nothing starts with an ended context.
func contextsEnded(s *scene) {
	e := s.listen()
	p := s.post(s.thread(), "take it")
	p.Files = []Upload{{Name: "a.txt", Type: "text/plain", Content: []byte("a")}}
	m := e.write(p).Message
	e.end()
	thread, ended := s.thread(), s.ended()
	_, err := s.a.Send(ended, s.key(), adapters.Reply{Thread: thread, Text: "x"})
	s.is("send", err, context.Canceled)
	s.only(thread)
	r, err := s.a.Fetch(ended, m.Files[0])
	if err == nil {
		err = errors.Join(errors.New("nothing"), r.Close())
	}
	s.is("fetch", err, context.Canceled)
	for what, do := range s.calls(thread, m.Ref) {
		s.is(what, do(ended), context.Canceled)
	}
	s.only(thread)
}

// calls returns the calls of the adapter's optional interfaces, about a message.
func (st *stage) calls(thread adapters.Thread, m adapters.MessageRef) map[string]func(context.Context) error {
	all := map[string]func(context.Context) error{}
	if a, ok := st.a.(adapters.Acknowledger); ok {
		all["acknowledge"] = func(ctx context.Context) error { return a.Acknowledge(ctx, m, adapters.Seen) }
	}
	if a, ok := st.a.(adapters.Reporter); ok {
		all["report"] = func(ctx context.Context) error {
			_, err := a.Report(ctx, st.key(), adapters.MessageRef{}, adapters.Progress{Thread: thread, Title: "x"})
			return err
		}
	}
	if a, ok := st.a.(adapters.Typer); ok {
		all["typing"] = func(ctx context.Context) error { _, err := a.Typing(ctx, thread, "en"); return err }
	}
	if a, ok := st.a.(adapters.Historian); ok {
		all["look back"] = func(ctx context.Context) error {
			_, err := a.Before(ctx, thread, m, "", 1)
			return err
		}
	}
	return all
}

// silentPlatform checks that every call ends with its context if the platform does not answer.
func silentPlatform(s *scene) {
	thread := s.thread()
	m := s.p.Write(s.T, s.post(thread, "hello"))
	calls := s.calls(thread, m)
	calls["send"] = func(ctx context.Context) error {
		_, err := s.a.Send(ctx, s.key(), adapters.Reply{Thread: thread, Text: "x"})
		return err
	}
	waiting := as[Stalling](s, s.p).Stall(s.T)
	for what, do := range calls {
		ctx, stop := context.WithCancel(s.Context())
		over := make(chan struct{})
		var err error
		go func() {
			defer close(over)
			err = do(ctx)
		}()
		select {
		case <-waiting:
			stop()
			s.wait("the end of "+what, over)
			s.is(what, err, context.Canceled)
		case <-over: // it makes no call
			stop()
			s.noError(err)
		}
	}
}

func shortPauses(s *scene) {
	thread := s.thread()
	p := as[Pausing](s, s.p)
	p.Pause(s.T, p.Short())
	begun := time.Now()
	ref := s.say(thread, "Hello.")
	if took := time.Since(begun); took < p.Short() {
		s.Errorf("retried after %v, want a pause of %v", took, p.Short())
	}
	s.only(thread, ref)
	p.Pause(s.T, p.Short())
	ctx, stop := context.WithCancel(s.Context())
	stop()
	_, err := s.a.Send(ctx, s.key(), adapters.Reply{Thread: thread, Text: "x"})
	s.is("send", err, context.Canceled)
}

func longPauses(s *scene) {
	thread, key := s.thread(), s.key()
	p := as[Pausing](s, s.p)
	p.Pause(s.T, p.Long())
	r := adapters.Reply{Thread: thread, Text: "Hello."}
	var err error
	s.within("the end of a Send that is to wait long", func() { _, err = s.a.Send(s.Context(), key, r) })
	s.is("send", err, adapters.ErrRateLimited)
	if wait := adapters.Wait(err); wait <= 0 || wait > 2*p.Long() {
		s.Errorf("the error has the pause %v, want %v", wait, p.Long())
	}
	if adapters.Final(err) {
		s.Error("the error is not retryable")
	}
	s.only(thread)
}

func threadsClosed(s *scene) {
	thread := s.thread()
	as[Forbidding](s, s.p).Forbid(s.T, thread)
	_, err := s.a.Send(s.Context(), s.key(), adapters.Reply{Thread: thread, Text: "x"})
	s.is("send", err, adapters.ErrForbidden)
	s.said(err)
	s.only(thread)
}

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
