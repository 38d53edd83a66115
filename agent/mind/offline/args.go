package offline

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// The texts of a subtask: what the clause says for each text argument of its tool, or
// which text that was made before it means. How a phrase is taken out of the words
// stands in extract.go and its neighbours.

// texts are the text arguments of the clause, as its tool means them.
func (s *scene) texts(u *understood, refs references, media []entity) []plan.Arg {
	var args []plan.Arg
	takesText := false
	for _, a := range u.head.Args {
		switch {
		case a.Type == plan.Text:
			takesText = true
			if arg, ok := s.textArg(u, refs, a, media); ok {
				args = append(args, arg)
			}
		case smallText(a.Type) && !a.Optional:
			if arg, ok := s.small(u, refs, a, media); ok {
				args = append(args, arg)
			}
		}
	}
	if !takesText && u.object != "" && (!u.marked() || !takesMark(u.head)) { // a mark tells by itself which one is meant
		if hint, ok := s.hint(u, media); ok {
			args = append(args, hint)
		}
	}
	return args
}

// textArg is what the clause says for one text argument; false if it says nothing or
// the media say it.
func (s *scene) textArg(u *understood, refs references, a toolbox.Arg, media []entity) (plan.Arg, bool) {
	if a.Meaning == plan.Prompt && textOnly(u.head) && s.quoted(u) == "" && len(u.files) > 0 && s.fromMedia(media) {
		return plan.Arg{}, false // "a tune that fits mountains.jpg": what the picture shows is the prompt
	}
	if !a.Optional && (a.Meaning == plan.Content || a.Meaning == plan.Prompt || a.Meaning == plan.Query) {
		if src, ok := s.earlierText(u, refs, a); ok {
			return plan.Arg{Type: plan.Text, Source: src, Meaning: a.Meaning}, true
		}
	}
	if a.Optional && (a.Meaning == plan.Instruction || a.Meaning == plan.Language) {
		m := s.manner(u, u.head)
		text := m.language
		if a.Meaning == plan.Instruction {
			text = m.how // the order is what the tool does anyway
		}
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(text), Meaning: a.Meaning}, text != ""
	}
	text := s.textFor(u, a.Meaning, u.head)
	if a.Kind == quantity.TimeRange && text != "" && dropping(u.words) {
		text = "without the " + text
	}
	if text == "" && !a.Optional && !s.saidByMedia(u, a, media) {
		text = s.fallbackText(u, a.Meaning)
	}
	return plan.Arg{Type: plan.Text, Source: plan.FromValue(text), Meaning: a.Meaning}, text != ""
}

// saidByMedia tells whether what the media say or show is the text that the argument
// wants.
func (s *scene) saidByMedia(u *understood, a toolbox.Arg, media []entity) bool {
	return (a.Meaning == plan.Content || a.Meaning == plan.Prompt && len(u.head.Args) == 1) && s.fromMedia(media)
}

// fromMedia tells whether the media of the subtask can be put into words.
func (s *scene) fromMedia(media []entity) bool {
	return len(media) > 0 && s.m.closure(typesOf(media)...)[plan.Text]
}

// fallbackText is what a required text is where the clause does not say it plainly. A
// format, a language, an amount or a place cannot be guessed.
func (s *scene) fallbackText(u *understood, meaning plan.Meaning) string {
	switch meaning {
	case plan.Format, plan.Language, plan.Amount, plan.Place:
		return ""
	case plan.Object:
		if o := s.objectOf(u, toolbox.Tool{}); o != "" {
			return o
		}
	default:
	}
	return s.instruction(u)
}

// small gives an argument that is a text under another name: a title, tags, a place.
func (s *scene) small(u *understood, refs references, a toolbox.Arg, media []entity) (plan.Arg, bool) {
	e, ok := s.latest(a.Type, func(e entity) bool { return e.typ == a.Type })
	if ok && (e.clause == s.prevClause() || refs.definite[a.Type]) {
		return plan.Arg{Type: a.Type, Source: e.source}, true
	}
	if a.Type != plan.Location || len(media) > 0 {
		return plan.Arg{}, false
	}
	place := s.place(u, toolbox.Tool{})
	return plan.Arg{Type: plan.Location, Source: plan.FromValue(place), Meaning: plan.Place}, place != ""
}

// earlierText is the text that the clause means by "it", "the description" or "the
// result": what an earlier subtask made, or a text file.
func (s *scene) earlierText(u *understood, refs references, a toolbox.Arg) (plan.Source, bool) {
	if files := slices.DeleteFunc(slices.Clone(u.files), func(e entity) bool { return !isText(e) }); len(files) > 0 {
		return s.fileText(u, a, files)
	}
	if s.quoted(u) != "" || strings.Contains(u.text, ": ") {
		return plan.Source{}, false
	}
	literal := ""
	if a.Meaning != plan.Content || !refs.pronoun {
		literal = s.textFor(u, a.Meaning, u.head)
	}
	pointing := refs.pronoun || refs.result || refs.definite[plan.Text] || refs.plural
	var before []entity // what the clause before made
	if s.prev != nil {
		before = loose(s.prev.results, plan.Text)
	}
	switch {
	case s.prev != nil && a.Meaning == plan.Query:
		if len(before) == 0 || !pointing || !textOnly(u.head) {
			return plan.Source{}, false
		}
		return quoting(literal, before), true
	case len(before) == 1 && (pointing || u.clause.join != apart && literal == ""):
		return before[0].source, true
	case len(before) > 1 && (pointing || literal == ""):
		return quoting("", before), true
	}
	e, ok := s.latest(plan.Text, isText)
	if ok && (refs.definite[plan.Text] || literal == "" && len(u.files) == 0) {
		return e.source, true
	}
	return plan.Source{}, false
}

// fileText is the text that a clause with text files hands over: the file itself, or a
// question about all of them.
func (s *scene) fileText(u *understood, a toolbox.Arg, files []entity) (plan.Source, bool) {
	switch {
	case a.Meaning != plan.Query:
		return files[0].source, true
	case s.m.texts(u.head) == 1:
		return quoting(s.textFor(u, a.Meaning, u.head), files), true
	}
	return plan.Source{}, false
}

func isText(e entity) bool { return e.typ == plan.Text }

// quoting is a question with the texts that it is about, the first ten of them.
func quoting(question string, texts []entity) plan.Source {
	lines := make([]string, 0, 1+len(texts))
	if question != "" {
		lines = append(lines, question)
	}
	var parts []plan.Source
	for i, t := range texts[:min(10, len(texts))] {
		parts = append(parts, t.source)
		lines = append(lines, fmt.Sprintf("{%d}", i))
	}
	return plan.FromText(strings.Join(lines, "\n"), parts...)
}

// hint is what the clause says of its object where the tool itself takes no text: it
// is for a tool on the way.
func (s *scene) hint(u *understood, media []entity) (plan.Arg, bool) {
	have := map[plan.Type]bool{}
	if s.prev == nil || s.prev.object != "" {
		for _, e := range media {
			have[e.typ] = have[e.typ] || e.on == "" // a mark tells where to look
		}
	} // else boxes of everything were made: the one that is meant is picked out of them
	switch {
	case s.objectHelps(u.head, have) && !s.asksKind(u):
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(u.object), Meaning: plan.Object}, true
	case s.wordsHelp(u.head, have):
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(s.instruction(u)), Meaning: plan.Instruction}, true
	}
	return plan.Arg{}, false
}

// objectHelps tells whether a tool on the way to the head's inputs picks things by
// name: the head wants boxes, and some tool makes boxes of a text.
func (s *scene) objectHelps(head toolbox.Tool, have map[plan.Type]bool) bool {
	for _, a := range head.Args {
		if a.Optional || have[a.Type] || a.Type.Media() && !a.Type.ImageMap() {
			continue
		}
		if s.m.anyMaker(a.Type, takesObject) {
			return true
		}
	}
	if head.Returns != plan.Category && head.Returns != plan.Mask && head.Returns != plan.BBox {
		return false
	}
	// many were found, one is wanted
	return s.m.anyMaker(head.Returns, picker)
}

func takesObject(t toolbox.Tool) bool { return takes(t, plan.Object) }

// anyMaker tells whether a tool that returns the type passes the test.
func (m *Mind) anyMaker(t plan.Type, test func(toolbox.Tool) bool) bool {
	return slices.ContainsFunc(m.makers[t], func(i int) bool { return test(m.catalogue.Tools()[i]) })
}

// asksKind tells whether the clause asks what kind something is, not whether it is
// something: "what sport is it" names no sport.
func (s *scene) asksKind(u *understood) bool {
	return u.head.Returns == plan.Category && (u.form == retrieve.What || u.form == retrieve.Who)
}

// wordsHelp tells whether another tool takes the same media with words beside them and
// gives the same: what people say of a marked part is handed on.
func (s *scene) wordsHelp(head toolbox.Tool, have map[plan.Type]bool) bool {
	return len(have) >= 2 && s.m.anyMaker(head.Returns, func(t toolbox.Tool) bool {
		return t.Domain == head.Domain && takesBesideWords(t, have)
	})
}

// takesBesideWords tells whether a tool needs just media of these types and one text
// that says what to make of them.
func takesBesideWords(t toolbox.Tool, have map[plan.Type]bool) bool {
	texts, media := 0, 0
	for _, a := range t.Args {
		switch {
		case a.Optional:
		case a.Type == plan.Text && (a.Meaning == plan.Prompt || a.Meaning == plan.Instruction):
			texts++
		case have[a.Type]:
			media++
		default:
			return false
		}
	}
	return texts == 1 && media == len(have)
}
