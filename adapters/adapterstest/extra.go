package adapterstest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
)

func extras() map[string]check {
	return map[string]check{
		"statuses":                 {[]Feature{Statuses}, statuses},
		"statuses of what is gone": {[]Feature{Statuses, Removals}, statusesOfGone},
		"progress":                 {[]Feature{Progress}, progress},
		"progress is plain text":   {[]Feature{Progress}, plainProgress},
		"progress of many steps":   {[]Feature{Progress}, longProgress},
		"progress is posted once":  {[]Feature{Progress}, progressOnce},
		"progress and an answer":   {[]Feature{Progress}, progressAndAnswer},
		"typing":                   {[]Feature{Typing}, typing},
		"numbers":                  {[]Feature{Numbers}, numbers},
	}
}

func statuses(s *scene) {
	a := as[adapters.Acknowledger](s, s.a)
	thread := s.thread()
	request, other := s.p.Write(s.T, s.post(thread, "do it")), s.p.Write(s.T, s.post(thread, "and that"))
	for _, status := range []adapters.Status{
		adapters.Seen, adapters.Seen, adapters.Asking, adapters.Seen, adapters.Done, adapters.Done, adapters.Failed, adapters.Seen, adapters.Failed,
		adapters.Refused, adapters.Cancelled, adapters.Failed,
	} {
		s.noError(a.Acknowledge(s.Context(), request, status))
		if got := s.message(thread, request.ID).Statuses; !equal(got, []adapters.Status{status}) {
			s.Fatalf("%q is shown as %q", status, got)
		}
	}
	if !s.lacks(Processes) { // one process accepts the request, another one answers it
		s.noError(as[adapters.Acknowledger](s, s.another()).Acknowledge(s.Context(), request, adapters.Done))
		if got := s.message(thread, request.ID).Statuses; !equal(got, []adapters.Status{adapters.Done}) {
			s.Errorf("%q by another process is shown as %q", adapters.Done, got)
		}
	}
	if got := s.message(thread, other.ID).Statuses; len(got) != 0 {
		s.Errorf("another message shows %q", got)
	}
	s.only(thread)
}

func statusesOfGone(s *scene) {
	thread := s.thread()
	request := s.p.Write(s.T, s.post(thread, "do it"))
	as[Removing](s, s.p).Remove(s.T, s.ana, request)
	if err := as[adapters.Acknowledger](s, s.a).Acknowledge(s.Context(), request, adapters.Done); err != nil {
		s.is("acknowledge what is gone", err, adapters.ErrGone)
	}
}

// report reports progress, and checks that the message stays the same.
func (st *stage) report(key string, at adapters.MessageRef, p adapters.Progress) adapters.MessageRef {
	st.Helper()
	ref, err := as[adapters.Reporter](st, st.a).Report(st.Context(), key, at, p)
	if err != nil {
		st.Fatalf("report: %v", err)
	}
	st.address(ref)
	if !at.IsZero() {
		st.same(at, ref)
	}
	return ref
}

// tells checks that a message shows texts in order.
func (s *scene) tells(thread adapters.Thread, ref adapters.MessageRef, texts ...string) {
	s.Helper()
	shown := letters(s.of(thread, ref))
	rest := shown
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			s.Errorf("%q is missing in %.500q", text, shown)
			return
		}
		rest = after
	}
}

func progress(s *scene) {
	thread, key := s.thread(), s.key()
	if pace := as[adapters.Reporter](s, s.a).Pace(); pace <= 0 || pace > time.Minute {
		s.Errorf("the interval is %v", pace)
	}
	request := s.p.Write(s.T, s.post(thread, "do it"))
	p := adapters.Progress{Thread: thread, Request: request.ID, Title: "A cartoon of the cat", Steps: []adapters.ProgressStep{
		{Key: "1", Text: "find the edges", State: adapters.StepRunning}, {Key: "2", Text: "draw it", State: adapters.StepWaiting},
	}}
	at := s.report(key, adapters.MessageRef{}, p)
	s.tells(thread, at, p.Title, "find the edges", "draw it")
	before := letters(s.of(thread, at))
	p.Steps[0].State, p.Steps[0].Took, p.Steps[1].State = adapters.StepDone, 1500*time.Millisecond, adapters.StepRunning
	p.Steps = append(p.Steps, adapters.ProgressStep{Key: "3", Text: "frame it", State: adapters.StepSkipped})
	s.same(at, s.report(key, at, p))
	s.tells(thread, at, p.Title, "find the edges", "draw it", "frame it")
	if letters(s.of(thread, at)) == before {
		s.Error("the progress was not edited")
	}
	s.same(at, s.report(key, at, p)) // repeating it is no error
	p.Steps[1].State, p.Steps = adapters.StepFailed, p.Steps[:2]
	p.Ended = true
	s.same(at, s.report(key, at, p))
	s.tells(thread, at, "find the edges", "draw it")
	s.only(thread, at)
	for _, m := range s.of(thread, at) {
		if len(m.Notified) != 0 {
			s.Errorf("progress notifies %q", m.Notified)
		}
	}
}

// plainProgress checks that nothing in a progress message is interpreted.
func plainProgress(s *scene) {
	thread := s.thread()
	texts := append([]string{"**bold** `code` [a](https://example.com)"}, shouts...)
	if spelling, ok := s.p.(Spelling); ok && !s.lacks(Spellings) {
		texts = append(texts, spelling.Shouts()...)
	}
	for _, text := range texts {
		at := s.report(s.key(), adapters.MessageRef{}, adapters.Progress{Thread: thread, Title: "of " + text, Steps: []adapters.ProgressStep{
			{Key: text, Text: "step " + text, State: adapters.StepRunning},
		}})
		s.tells(thread, at, "of "+text, "step "+text)
		for _, m := range s.of(thread, at) {
			if len(m.Notified) != 0 {
				s.Errorf("progress of %q notifies %q", text, m.Notified)
			}
		}
	}
}

// longProgress checks that progress is a single message, however long.
func longProgress(s *scene) {
	thread := s.thread()
	p := adapters.Progress{Thread: thread, Title: strings.Repeat("long ", 100)}
	for i := range 200 {
		p.Steps = append(p.Steps, adapters.ProgressStep{Key: strconv.Itoa(i), Text: fmt.Sprintf("step %d of very many", i), State: adapters.StepWaiting})
	}
	key := s.key()
	at := s.report(key, adapters.MessageRef{}, p)
	p.Steps[0].State = adapters.StepRunning
	s.report(key, at, p)
	if len(at.Parts) != 0 {
		s.Errorf("%d messages, want one", 1+len(at.Parts))
	}
	s.only(thread, at)
	s.report(s.key(), adapters.MessageRef{}, adapters.Progress{Thread: thread}) // no steps are known yet
}

func progressOnce(s *scene) {
	thread, key := s.thread(), s.key()
	p := adapters.Progress{Thread: thread, Title: "At work"}
	at := s.report(key, adapters.MessageRef{}, p)
	s.same(at, s.report(key, adapters.MessageRef{}, p)) // as after a lost confirmation
	if !s.lacks(Processes) {
		s.a = s.another()
		s.same(at, s.report(key, adapters.MessageRef{}, p))
		p.Ended = true
		s.report(key, at, p)
	}
	s.only(thread, at)
}

// progressAndAnswer checks that the answer is a separate message, below the progress.
func progressAndAnswer(s *scene) {
	thread := s.thread()
	at := s.report(s.key(), adapters.MessageRef{}, adapters.Progress{Thread: thread, Title: "At work", Ended: true})
	answer := s.say(thread, "Done.")
	s.only(thread, at, answer)
	if own := s.own(thread); own[0].ID != at.ID {
		s.Error("the answer is above the progress")
	}
}

func typing(s *scene) {
	a := as[adapters.Typer](s, s.a)
	thread := s.thread()
	for range 3 {
		_, err := a.Typing(s.Context(), thread, "en")
		s.noError(err)
	}
	s.only(thread)
}

func numbers(s *scene) {
	a := as[adapters.Offerer](s, s.a)
	thread := s.thread()
	choices := []adapters.Choice{{ID: "a", Text: "one"}, {ID: "b", Text: "two"}, {ID: "c", Text: "three"}}
	answer := s.send(adapters.Reply{Thread: thread, Text: longText(800), Choices: choices})
	for range 2 {
		s.noError(a.Offer(s.Context(), answer, 3))
		for _, m := range s.of(thread, answer) {
			if want := []int{1, 2, 3}; m.ID == answer.ID && !equal(m.Numbers, want) || m.ID != answer.ID && len(m.Numbers) > 0 {
				s.Errorf("the numbers are %v", m.Numbers)
			}
		}
	}
	s.only(thread, answer)
}

// voiceMessages checks that a voice message is received wherever a written one is, and that its sound is
// distinguished from one sent as a file.
func voiceMessages(s *scene) {
	e := s.listen()
	spoken := Upload{Name: "voice-message.ogg", Type: "audio/ogg", Content: []byte("OggS of a voice"), Voice: true}
	hear := func(p Post, meant ...adapters.Address) {
		s.Helper()
		p.By, p.Files = s.ana, []Upload{spoken}
		m := e.write(p).Message
		if m.Text != "" || len(m.Files) != 1 || !m.Files[0].Voice {
			s.Fatalf("a voice message was received as %q with %+v", m.Text, m.Files)
		}
		if len(meant) > 0 && m.For != meant[0] {
			s.Errorf("a voice message is for %q, want %q", m.For, meant[0])
		}
		s.fetched(s.a, m.Files[0], spoken)
	}
	if !s.lacks(Private) {
		hear(Post{Thread: s.place(true)}, adapters.Direct)
	}
	thread := s.thread()
	if s.lacks(Overhearing) {
		hear(s.post(thread, ""))
	} else if !s.lacks(Company) {
		hear(Post{Thread: thread}, adapters.Overheard)
	}
	if !s.lacks(Company) && !s.lacks(Replies) && !s.lacks(Overhearing) {
		hear(Post{Thread: thread, ReplyTo: s.say(thread, "What shall I do?")}, adapters.Replied)
	}
	chosen := s.post(thread, "")
	chosen.Files = []Upload{spoken}
	chosen.Files[0].Voice = false
	if m := e.write(chosen).Message; len(m.Files) != 1 || m.Files[0].Voice {
		s.Errorf("a sound that was sent as a file was received as %+v", m.Files)
	}
}
