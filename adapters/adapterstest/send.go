package adapterstest

import (
	"fmt"
	"strings"

	"atelier/adapters"
)

func sending() map[string]check {
	return map[string]check{
		"a text":                  {nil, aText},
		"nobody is notified":      {nil, nobodyNotified},
		"one person is notified":  {nil, oneNotified},
		"many are never notified": {[]Feature{Spellings}, manyNotified},
		"one of two is notified":  {[]Feature{Spellings, Company}, oneOfTwoNotified},
		"choices":                 {nil, choices},
		"what is answered":        {[]Feature{Answers}, answered},
		"answers to what is gone": {[]Feature{Answers, Removals}, answersToGone},
		"other threads":           {nil, otherThreads},
		"direct threads":          {[]Feature{Private}, directThreads},
	}
}

func aText(s *scene) {
	thread := s.thread()
	for _, language := range []string{"", "en", "zh-Hans"} {
		ref := s.send(adapters.Reply{Thread: thread, Text: "Here it is.", Language: language})
		if got := s.of(thread, ref); len(got) != 1 || letters(got) != "Here it is." || len(got[0].Files)+len(got[0].Links)+len(got[0].Choices) != 0 {
			s.Errorf("in %q: shown as %+v", language, got)
		}
	}
	if n := len(s.own(thread)); n != 3 {
		s.Errorf("3 replies became %d messages", n)
	}
}

// shouts are texts that notify many people on some platform.
var shouts = []string{
	"@everyone", "@here", "@channel", "@all", "<!channel>", "<!here>", "<!everyone>", "<!subteam^S1>", "<@&1>", "<@U1>",
	"<@!1>", "<#C1>", "@room", "@Ana", "@Bob",
}

// notified checks whom a reply notifies.
func (s *scene) notified(what string, thread adapters.Thread, r adapters.Reply, want ...string) {
	s.Helper()
	r.Thread = thread
	ref := s.send(r)
	var got []string
	for _, m := range s.of(thread, ref) {
		got = append(got, m.Notified...)
	}
	if !equal(got, want) {
		s.Errorf("%s: notifies %q, want %q", what, got, want)
	}
	s.shows(s.of(thread, ref), r.Text)
}

func nobodyNotified(s *scene) {
	thread := s.thread()
	s.notified("a plain text", thread, adapters.Reply{Text: "Hello, Ana."})
	for _, shout := range shouts {
		s.notified(shout, thread, adapters.Reply{Text: "Hear, " + shout + "!"})
	}
	s.notified("the id of a person", thread, adapters.Reply{Text: s.ana.ID + " @" + s.ana.ID + " <@" + s.ana.ID + ">"})
}

func oneNotified(s *scene) {
	thread := s.thread()
	s.notified("a mention", thread, adapters.Reply{Text: "Here it is.", Mention: s.ana.ID}, s.ana.ID)
	s.notified("a mention and shouts", thread, adapters.Reply{Text: strings.Join(shouts, " "), Mention: s.ana.ID}, s.ana.ID)
	s.notified("a long text", thread, adapters.Reply{Text: longText(800), Mention: s.ana.ID}, s.ana.ID)
	s.notified("a block of code", thread, adapters.Reply{Text: "```\n@everyone <!channel>\n```", Mention: s.ana.ID}, s.ana.ID)
}

// hiding are formats with a place that a platform could interpret by its own rules.
var hiding = []string{"%s", "`%s`", "**%s**", "```\n%s\n```", "- %s", "> %s", "[%s](https://example.com)", "a\n%s"}

// everywhere returns replies with the text in every possible place.
func (st *stage) everywhere(text string) []adapters.Reply {
	var all []adapters.Reply
	for _, format := range hiding {
		all = append(all, adapters.Reply{Text: fmt.Sprintf(format, text)})
	}
	file := st.shelf.put("a.txt", "text/plain", []byte("a"))
	file.Alt, file.Note = text, text
	named := st.shelf.put(text+".txt", "text/plain", []byte("a"))
	return append(all, adapters.Reply{Text: "See.", Files: []adapters.Attachment{file}}, adapters.Reply{Text: "See.", Files: []adapters.Attachment{named}},
		adapters.Reply{Text: "Choose.", Choices: []adapters.Choice{{ID: "a", Text: text}}})
}

func manyNotified(s *scene) {
	thread := s.thread()
	for _, shout := range as[Spelling](s, s.p).Shouts() {
		for _, r := range s.everywhere(shout) {
			s.notified(shout, thread, r)
			r.Mention = s.ana.ID
			s.notified(shout+" and a mention", thread, r, s.ana.ID)
		}
	}
}

func oneOfTwoNotified(s *scene) {
	thread, bob := s.thread(), s.bob()
	for _, r := range s.everywhere(as[Spelling](s, s.p).Spell(s.T, bob)) {
		s.notified("another one's mention", thread, r)
		r.Mention = s.ana.ID
		s.notified("two mentions", thread, r, s.ana.ID)
	}
}

// choices checks that choices are readable, whatever their text.
func choices(s *scene) {
	thread := s.thread()
	r := adapters.Reply{Thread: thread, Text: "Choose."}
	for i := range adapters.MaxChoices {
		//nolint:gosmopolitan // other scripts are what is tested
		text := []string{"another way", "**bold** `code` _it_", "<b>&amp;</b>", "日本語 👩‍👩‍👧‍👦", strings.Repeat("long ", 12) + "end"}[i%5]
		r.Choices = append(r.Choices, adapters.Choice{ID: fmt.Sprintf("choice-%d", i), Text: text})
	}
	messages := s.of(thread, s.send(r))
	var got []string
	for _, m := range messages {
		got = append(got, m.Choices...)
	}
	if len(got) != len(r.Choices) {
		s.Fatalf("%d choices are shown as %q", len(r.Choices), got)
	}
	for i, c := range r.Choices {
		begin := []rune(c.Text)
		if !strings.Contains(got[i], string(begin[:min(len(begin), 40)])) { // a button may not have room for all
			s.Errorf("choice %d is shown as %q, want %q", i+1, got[i], c.Text)
		}
	}
	s.shows(messages, r.Text)
}

func answered(s *scene) {
	e := s.listen()
	thread := s.thread()
	asked := e.write(s.post(thread, "do it")).Message.Ref
	e.write(s.post(thread, "and that"))
	messages := s.of(thread, s.send(adapters.Reply{Thread: thread, Text: longText(800), AnswerTo: asked}))
	if messages[0].AnswerTo != asked.ID {
		s.Errorf("shown as an answer to %q", messages[0].AnswerTo)
	}
	if m := s.of(thread, s.say(thread, "By the way.")); m[0].AnswerTo != "" {
		s.Errorf("an answer to nothing is shown as an answer to %q", m[0].AnswerTo)
	}
}

// answersToGone checks that an answer is posted even if the message that it answers is gone.
func answersToGone(s *scene) {
	thread := s.thread()
	asked := s.p.Write(s.T, s.post(thread, "do it"))
	as[Removing](s, s.p).Remove(s.T, s.ana, asked)
	ref := s.send(adapters.Reply{Thread: thread, Text: "Done.", AnswerTo: asked})
	s.shows(s.of(thread, ref), "Done.")
}

func otherThreads(s *scene) {
	one, two := s.thread(), s.thread()
	if one.Key() == two.Key() {
		s.Fatal("two threads are the same")
	}
	first, second := s.say(one, "in the first"), s.say(two, "in the second")
	s.only(one, first)
	s.only(two, second)
}

func directThreads(s *scene) {
	thread := s.place(true)
	ref := s.send(adapters.Reply{Thread: thread, Text: "Between us.", Mention: s.ana.ID})
	s.shows(s.of(thread, ref), "Between us.")
	s.only(thread, ref)
}
