package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// What people mark on a picture comes with the message as points, boxes or a mask. It stands
// for nothing by itself: only a clause that points at it ("this", "here", "the marked part")
// or that orders something done to a part means it. It is then as if the clause named the
// mark and the picture that it is on.

// marker finds out whether a clause means what is marked.
type marker struct{ *matcher }

// whereToWrite asks for the place of a text in words.
var whereToWrite = plan.Say("I cannot put text at a marked place. Where should it go? For example \"at the top left\" or \"at the bottom\".")

// hold is how firmly a clause points at what is marked.
type hold int

const (
	vague   hold = iota // "it", or not at all
	firm                // "this"
	placed              // "here"
	express             // "the marked part"
)

// hold reads how firmly the clause points at what is marked.
func (m *marker) hold(r *reading) hold {
	found := vague
	words := r.clause.words
	for i, w := range words {
		if w.Kind != retrieve.Plain {
			continue
		}
		last := i+1 == len(words) || words[i+1].IsMark()
		verb := i == 0 || m.IsVerb(words[i-1]) || m.Is("prepositions", words[i-1]) || m.Is("auxiliaries", words[i-1])
		switch text := w.Lower(); {
		case m.SpeaksOfMark(words, i):
			return express
		case text == "here" && (last || !m.Is("auxiliaries", words[i+1])):
			found = placed
		case m.In("shown", text) && (text != "that" || verb) && (last || !m.IsMedia(words[i+1])), // not "this picture", which is the whole of it
			text == "it" && i > 0 && r.form != retrieve.Order && !m.Is("prepositions", words[i-1]): // "what is it", not "what is in it"
			found = max(found, firm)
		}
	}
	return found
}

// underMask reports whether the clause wants what is in a mask or a selection to be gone or hidden: "remove everything
// under the mask". In "remove the mask" it may be one that somebody wears.
func (m *marker) underMask(r *reading) bool {
	words := r.clause.words
	for i, w := range words {
		lead := i - 1
		for lead > 0 && (m.Is("determiners", words[lead]) || m.Is("articles", words[lead])) {
			lead--
		}
		if lead > 0 && m.In("paint", w.Lower()) && m.Is("places lead", words[lead]) {
			return r.form == retrieve.Order && m.MakesAway(words)
		}
	}
	return false
}

// loneMask is the one mask that came beside the one picture, as if it was marked on it.
func (m *marker) loneMask() (set []thing, ok bool) {
	masks := slices.DeleteFunc(slices.Clone(m.things), func(e thing) bool { return e.typ != plan.Mask })
	pictures := slices.DeleteFunc(slices.Clone(m.things), func(e thing) bool { return e.typ != plan.Image || e.made })
	if len(masks) != 1 || len(pictures) != 1 {
		return nil, false
	}
	mask := masks[0]
	mask.on = pictures[0].source.Name
	return []thing{pictures[0], mask}, true
}

// meantMarks are, for each marked picture that the clause means, the picture as it is now and
// the mark. There are none if it means no mark.
func (m *marker) meantMarks(r *reading) (sets [][]thing, q plan.Message) {
	held := m.hold(r)
	marks := m.marksFor(held)
	if len(marks) == 0 {
		return nil, q
	}
	if pictures := exactly(slices.DeleteFunc(slices.Clone(r.files), func(e thing) bool { return e.on != "" }), plan.Image); len(pictures) > 0 {
		here := slices.DeleteFunc(slices.Clone(marks), func(e thing) bool {
			return !slices.ContainsFunc(pictures, func(p thing) bool { return p.source.Name == e.on || p.root == e.on })
		})
		if len(here) == 0 && held > vague {
			return nil, markedElsewhere(m.calledAll(pictures), m.calledAll(m.picturesOf(marks)))
		}
		if marks = here; len(marks) == 0 {
			return nil, q
		}
	}
	whole, part := *r, *r
	whole.rivals, part.rivals = nil, nil
	m.match(&whole)
	part.files = slices.Concat(m.picturesOf(marks), marks)
	m.match(&part)
	says := m.place(r, whole.head) != "" && whole.head.tells(plan.Place)
	switch {
	case whole.quoted() != "" && whole.head.wants(plan.Content) && whole.head.takes(plan.Image): // a tool that writes is told the place in words
		if held == placed && !says {
			q = whereToWrite
		}
		return nil, q
	case !m.asksForPart(held, &whole, &part):
		return nil, q
	}
	return m.setsOf(part.head, marks)
}

// setsOf are the marks that serve the tool, each with its picture as it is now.
func (m *marker) setsOf(head *profile, marks []thing) (sets [][]thing, q plan.Message) {
	for _, picture := range m.picturesOf(marks) {
		now := picture
		for _, e := range m.things {
			if !e.made || e.root != picture.source.Name {
				continue
			}
			if e.moved && head.Returns == plan.Image { // the part is elsewhere now
				return nil, plan.Say("You marked that part on %s as it was sent. Please say first what to do with the marked part, and then the rest.",
					listed(m.calledAll([]thing{picture})))
			}
			if !e.moved {
				now = e
			}
		}
		for _, mark := range preferred(head, marks, picture.source.Name) {
			sets = append(sets, []thing{now, mark})
		}
	}
	return sets, q
}

// asksForPart reports whether a clause is about what is marked and not about the whole picture,
// by how it was matched with either.
func (m *marker) asksForPart(held hold, whole, part *reading) bool {
	place := whole.head.Moves && whole.head.wants(plan.Place) && m.place(whole, whole.head) != ""
	switch {
	case held >= placed:
		return true
	case held == firm:
		return !whole.head.Moves || whole.head.takesMark() || !m.Any("moving", whole.clause.words)
	case !part.head.takesMark() || place:
		return false
	}
	byWords := whole.head.Returns == plan.Image && whole.head.wants(plan.Instruction)
	if part.head.wants(plan.Prompt) { // anything can be drawn anew: what is named lies there, or all is meant
		return byWords && m.definiteObject(whole)
	}
	return byWords || whole.head.takesMark() || part.score >= whole.score
}

// preferred are the marks on a picture of the one kind that the tool takes, else the most exact.
func preferred(f *profile, marks []thing, picture string) []thing {
	kinds := []plan.Type{plan.Mask, plan.BBox, plan.Points}
	for _, takes := range []bool{true, false} {
		for _, typ := range kinds {
			of := slices.DeleteFunc(slices.Clone(marks), func(e thing) bool { return e.on != picture || e.typ != typ })
			if len(of) > 0 && f.takes(typ) == takes {
				return of
			}
		}
	}
	return nil
}

// onlyMarks reports whether the clause says that something was marked, and not what for: "I
// marked the dog", "use these points".
func (m *marker) onlyMarks(r *reading) bool {
	held, words, e := m.hold(r), r.words, m.Lists
	if len(m.marksFor(held)) == 0 || len(words) == 0 || r.form != retrieve.Order || m.fate(words) != unsaid {
		return false
	}
	if e.Is("people", words[0]) {
		at := slices.IndexFunc(words, func(w retrieve.Word) bool { return e.Is("marked", w) || e.Is("marks", w) })
		return at > 0 && at <= 4 && !slices.ContainsFunc(words[at+1:], m.IsVerb)
	}
	if m.IsVerb(words[0]) && !e.Is("using", words[0]) || held < firm {
		return false
	}
	return m.onlyOf(words, "using", "marks", "marked", "parts", "pronouns", "generic", "fillers")
}

// onlyOf reports whether all words are of the sections or say nothing, and none names media.
func (m *marker) onlyOf(words []retrieve.Word, sections ...string) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		known := m.Lexicon.Stop(w.Lower()) || slices.ContainsFunc(sections, func(s string) bool { return m.Is(s, w) })
		return w.Kind != retrieve.Plain || m.IsMedia(w) || m.Is("results", w) || !known
	})
}

// definiteObject reports whether the clause orders something done to a thing that is there:
// its verb is followed by "the" and no kind of media.
func (m *marker) definiteObject(r *reading) bool {
	w := r.words
	return r.form == retrieve.Order && len(w) > 2 && m.Is("owners", w[1]) && !m.Is("results", w[2]) &&
		!slices.ContainsFunc(w[2:min(4, len(w))], m.IsMedia)
}

// marksFor are the marks that a clause may mean: those that came with the message, and earlier
// ones only where they are spoken of.
func (m *marker) marksFor(held hold) []thing {
	marks := slices.DeleteFunc(slices.Clone(m.marks), func(e thing) bool { return !e.given })
	if len(marks) > 0 || held != express {
		return marks
	}
	for _, e := range m.marks {
		if e.on == m.marks[len(m.marks)-1].on { // what was marked anew is meant now
			marks = slices.DeleteFunc(marks, func(o thing) bool { return o.typ == e.typ })
			marks = append(marks, e)
		}
	}
	return marks
}

// markedElsewhere says that the marks are on other pictures than the request means.
func markedElsewhere(meant, marked []string) plan.Message {
	return plan.Say("The marked part is on %s, not on %s. Please mark the part on %s, or say which picture you mean.",
		plan.And(marked...), plan.And(meant...), plan.And(meant...))
}

// askAboutMark asks what to do with the marked part.
func (m *marker) askAboutMark() plan.Message {
	marks := slices.DeleteFunc(slices.Clone(m.marks), func(e thing) bool { return !e.given })
	if len(marks) == 0 {
		marks = m.marks
	}
	return plan.Say("What should I do with what is marked on %s?", listed(m.calledAll(m.picturesOf(marks))))
}
