package adapterstest

import (
	"slices"
	"strings"

	"atelier/adapters"
)

func choosing() map[string]check {
	return map[string]check{
		"reactions":               {[]Feature{Reactions}, reactions},
		"reactions to every part": {[]Feature{Reactions}, reactionsToParts},
		"reactions of no meaning": {[]Feature{Reactions}, reactionsOfNoMeaning},
		"a stop by a sign":        {[]Feature{Reactions}, stopBySign},
		"a stop by deletion":      {[]Feature{Removals}, stopByDeletion},
		"edits":                   {[]Feature{Edits, Mentions}, edits},
		"buttons":                 {[]Feature{Buttons}, buttons},
		"a stop by its button":    {[]Feature{Halts}, stopByButton},
		"commands":                {[]Feature{Commands}, commands},
		"files":                   {nil, files},
		"files at once":           {nil, filesAtOnce},
		"files that never were":   {nil, strangeFiles},
		"files that are gone":     {[]Feature{LostFiles}, filesThatAreGone},
	}
}

// react lets somebody react, and waits for the event.
func (e *ear) react(by adapters.Person, in adapters.Thread, on adapters.MessageRef, emoji string, added bool) adapters.Event {
	e.s.Helper()
	as[Reacting](e.s, e.s.p).React(e.s.T, by, on, emoji, added)
	return e.placed("the reaction "+emoji, by, in, func(e adapters.Event) bool { return e.Message == nil })
}

// placed waits for an event by somebody in a thread, which the event may leave out.
func (e *ear) placed(what string, by adapters.Person, in adapters.Thread, is func(adapters.Event) bool) adapters.Event {
	e.s.Helper()
	event := e.next(what, is)
	if event.Thread != (adapters.Thread{}) && event.Thread.Key() != in.Key() {
		e.s.Errorf("%s in %+v was received in %+v", what, in, event.Thread)
	}
	if event.By.ID != by.ID || event.At.IsZero() {
		e.s.Errorf("%s was received at %v from %+v", what, event.At, event.By)
	}
	return event
}

// offered returns choices whose ids use everything that is allowed.
func offered() []adapters.Choice {
	return []adapters.Choice{
		{ID: "first-1", Text: "another way"}, {ID: "second:2/~", Text: "one more way"}, {ID: strings.Repeat("x", adapters.MaxChoiceID), Text: "a third"},
	}
}

// answer sends an answer with choices to somebody's request.
func (st *stage) answer(asked adapters.Event) adapters.MessageRef {
	st.Helper()
	answer := st.send(adapters.Reply{
		Thread: asked.Thread, AnswerTo: asked.Message.Ref, Mention: asked.By.ID, Text: "Done.", Choices: offered(), Answer: true,
		GoOn: []adapters.Sign{adapters.Use, adapters.Vary, adapters.Larger, adapters.Smaller},
	})
	if a, ok := st.a.(adapters.Offerer); ok {
		st.noError(a.Offer(st.Context(), answer, len(offered())))
	}
	return answer
}

func reactions(s *scene) {
	e := s.listen()
	thread, bob := s.thread(), s.bob()
	answer := s.answer(e.write(s.post(thread, "do it")))
	for _, c := range []struct {
		emoji  string
		sign   adapters.Sign
		number int
	}{
		{adapters.Digit(1), adapters.Choose, 1},
		{adapters.Digit(3), adapters.Choose, 3},
		{"🔁", adapters.Again, 0},
		{"🗑️", adapters.Remove, 0},
		{"📌", adapters.Use, 0},
		{"🎲", adapters.Vary, 0},
		{"🔍", adapters.Larger, 0},
		{"🗜️", adapters.Smaller, 0},
	} {
		for _, added := range []bool{true, false, true} {
			event := e.react(bob, thread, answer, c.emoji, added)
			r := event.Reaction
			if r == nil || (event.Kind == adapters.ReactionAdded) != added || r.Sign != c.sign || r.Number != c.number {
				s.Fatalf("%s (added: %v) was received as %q %+v", c.emoji, added, event.Kind, r)
			}
			if !slices.Contains(answer.Keys(), r.On.Key()) {
				s.Errorf("%s is on another message", c.emoji)
			}
		}
	}
}

// reactionsToParts checks that a reaction to any message of a long answer is received.
func reactionsToParts(s *scene) {
	e := s.listen()
	thread := s.thread()
	answer := s.say(thread, longText(3000))
	for _, id := range ids(answer) {
		part := answer
		part.ID, part.Parts = id, nil
		event := e.react(s.ana, thread, part, "🔁", true)
		if event.Reaction == nil || event.Reaction.On.Key() != part.Key() {
			s.Errorf("a reaction to one of %d parts was received as %+v", len(answer.Parts)+1, event.Reaction)
		}
	}
}

func reactionsOfNoMeaning(s *scene) {
	e := s.listen()
	react := as[Reacting](s, s.p).React
	thread := s.thread()
	answer := s.answer(e.write(s.post(thread, "do it")))
	for _, emoji := range []string{"👍", "😀", "🇩🇪", adapters.Digit(0), "🔟"} {
		react(s.T, s.ana, answer, emoji, true)
	}
	react(s.T, s.ana, answer, "👍", false)
	e.write(s.post(thread, "go on"))
}

func stopBySign(s *scene) {
	e := s.listen()
	thread := s.thread()
	asked := e.write(s.post(thread, "do it"))
	answer := s.answer(asked)
	for _, on := range []adapters.MessageRef{asked.Message.Ref, answer} {
		for _, emoji := range []string{"🛑", "❌"} {
			event := e.react(s.ana, thread, on, emoji, true)
			if event.Kind != adapters.CancelAsked || event.Cancel == nil || event.Cancel.Deleted || !slices.Contains(on.Keys(), event.Cancel.On.Key()) {
				s.Errorf("%s was received as %q %+v", emoji, event.Kind, event.Cancel)
			}
			as[Reacting](s, s.p).React(s.T, s.ana, on, emoji, false)
		}
	}
	e.write(s.post(thread, "go on"))
}

func stopByDeletion(s *scene) {
	e := s.listen()
	thread := s.thread()
	asked := e.write(s.post(thread, "do it")).Message.Ref
	as[Removing](s, s.p).Remove(s.T, s.ana, asked)
	event := e.next("the deletion", func(e adapters.Event) bool { return e.Message == nil })
	if event.Kind != adapters.CancelAsked || event.Cancel == nil || !event.Cancel.Deleted || event.Cancel.On.Key() != asked.Key() {
		s.Errorf("a deletion was received as %q %+v", event.Kind, event.Cancel)
	}
	if event.By.ID != "" && event.By.ID != s.ana.ID {
		s.Errorf("the deletion was received from %+v", event.By)
	}
	if event.Thread != (adapters.Thread{}) && event.Thread.Key() != thread.Key() {
		s.Errorf("the deletion was received in %+v", event.Thread)
	}
	answer := s.say(thread, "Done.")
	as[Removing](s, s.p).Remove(s.T, s.ana, answer)
	event = e.next("the deletion of an answer", func(e adapters.Event) bool { return e.Message == nil })
	if event.Cancel == nil || !event.Cancel.Deleted || event.Cancel.On.Key() != answer.Key() {
		s.Errorf("the deletion of an answer was received as %q %+v", event.Kind, event.Cancel)
	}
}

// edits checks that each edit is a separate event with the current content.
func edits(s *scene) {
	e := s.listen()
	edit := as[Editing](s, s.p).Edit
	p := s.post(s.thread(), "make it blue")
	p.Mention, p.Files = true, []Upload{{Name: "photo.png", Type: "image/png", Content: picture(s.T)}}
	sent := e.write(p)
	last := sent
	for _, now := range []struct {
		text    string
		mention bool
		want    adapters.Address
	}{{"make it green", true, adapters.Mentioned}, {"never mind", false, adapters.Overheard}, {"make it red", true, adapters.Mentioned}} {
		want := now.want
		if !now.mention && sent.Thread.Direct {
			want = adapters.Direct
		}
		edit(s.T, sent.Message.Ref, now.text, now.mention)
		event := e.next("an edit", func(e adapters.Event) bool { return e.Message != nil && e.Message.Text == now.text })
		m := event.Message
		if event.Kind != adapters.MessageEdited || m.Ref.Key() != sent.Message.Ref.Key() || m.For != want || len(m.Files) != 1 {
			s.Errorf("%q was received as %q, %+v", now.text, event.Kind, m)
		}
		if event.ID == last.ID || !event.At.After(last.At) || event.By.ID != s.ana.ID || event.Thread.Key() != sent.Thread.Key() {
			s.Errorf("%q was received as %+v, after %+v", now.text, event, last)
		}
		if m.Edited != nil && (m.Edited.Event != sent.ID || !m.Edited.At.Equal(sent.At)) {
			s.Errorf("%q is an edit of %+v, want %s", now.text, m.Edited, sent.ID)
		}
		last = event
	}
}

// buttons checks that each press of a button means what it says.
func buttons(s *scene) {
	e := s.listen()
	p := as[Pressing](s, s.p)
	thread := s.thread()
	answer := s.answer(e.write(s.post(thread, "do it")))
	press := func(sign adapters.Sign, choice int, pressed bool) {
		p.Press(s.T, s.ana, answer, sign, choice, pressed)
		event := e.placed("a button", s.ana, thread, func(e adapters.Event) bool { return e.Message == nil })
		r := event.Reaction
		if r == nil || (event.Kind == adapters.ReactionAdded) != pressed || r.Sign != sign || !slices.Contains(answer.Keys(), r.On.Key()) {
			s.Fatalf("%q (pressed: %v) was received as %q %+v", sign, pressed, event.Kind, r)
		}
		if sign == adapters.Choose && (r.Number != 0 && r.Number != choice || r.Choice != "" && r.Choice != offered()[choice-1].ID) {
			s.Errorf("the button of %d was received as %d, %q", choice, r.Number, r.Choice)
		}
	}
	for sign, back := range p.Signs() {
		choices := []int{0, 0}
		if sign == adapters.Choose {
			choices = []int{1, 3, 2, 2}
		}
		for _, n := range choices {
			press(sign, n, true)
			if back {
				press(sign, n, false)
			}
		}
	}
}

func stopByButton(s *scene) {
	e := s.listen()
	thread := s.thread()
	asked := e.write(s.post(thread, "do it")).Message.Ref
	if a, ok := s.a.(adapters.Acknowledger); ok {
		s.noError(a.Acknowledge(s.Context(), asked, adapters.Seen))
	}
	on := as[Halting](s, s.p).Halt(s.T, s.ana, asked)
	event := e.placed("a stop", s.ana, thread, func(e adapters.Event) bool { return e.Message == nil })
	if event.Kind != adapters.CancelAsked || event.Cancel == nil || event.Cancel.Deleted || event.Cancel.On.Key() != on.Key() {
		s.Errorf("the button to stop was received as %q %+v", event.Kind, event.Cancel)
	}
}

func commands(s *scene) {
	e := s.listen()
	p := as[Commanding](s, s.p)
	thread := s.thread()
	place := thread
	if s.lacks(Placed) {
		place.ID = ""
	}
	names, cancel := p.Known()
	for _, name := range names {
		for _, text := range []string{"", "for pictures <b>"} {
			p.Command(s.T, s.ana, thread, name, text)
			event := e.placed("a command", s.ana, place, func(e adapters.Event) bool { return e.Message == nil })
			if event.Kind != adapters.CommandGiven || event.Command == nil || event.Command.Name != strings.ToLower(name) || event.Command.Text != text {
				s.Errorf("/%s %s was received as %q %+v", name, text, event.Kind, event.Command)
			}
		}
	}
	if cancel == "" {
		return
	}
	p.Command(s.T, s.ana, thread, cancel, "")
	event := e.placed("a cancel", s.ana, place, func(e adapters.Event) bool { return e.Message == nil })
	if event.Kind != adapters.CancelAsked || event.Cancel == nil || event.Cancel.Deleted {
		s.Errorf("/%s was received as %q %+v", cancel, event.Kind, event.Cancel)
	}
}
