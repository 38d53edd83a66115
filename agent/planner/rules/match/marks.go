package match

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// Marks on a picture come with the message as points, boxes or a mask. A clause means a mark only if it refers to it
// ("this", "here", "the marked part") or changes a part of a picture. It is then treated as if it named the mark and
// its picture.

// Marker decides whether a clause means a mark.
type Marker struct{ *Matcher }

// whereToWrite asks to describe the place of a text in words.
var whereToWrite = plan.Say("I cannot put text at a marked place. Where should it go? For example \"at the top left\" or \"at the bottom\".")

// Hold is how clearly a clause refers to a mark.
type Hold int

const (
	vague   Hold = iota // "it", or no reference
	firm                // "this"
	placed              // "here"
	express             // "the marked part"
)

// Hold returns how clearly the clause refers to a mark.
func (m *Marker) Hold(r *scene.Reading) Hold {
	found := vague
	words := r.Clause.Words
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
		case m.In("shown", text) && (text != "that" || verb) && (last || !m.IsMedia(words[i+1])), // not "this picture", which is the whole picture
			text == "it" && i > 0 && r.Form != retrieve.Order && !m.Is("prepositions", words[i-1]): // "what is it", not "what is in it"
			found = max(found, firm)
		}
	}
	return found
}

// UnderMask reports whether the clause removes or hides the content of a mask or a selection: "remove everything under
// the mask". In "remove the mask", a person may wear the mask.
func (m *Marker) UnderMask(r *scene.Reading) bool {
	words := r.Clause.Words
	for i, w := range words {
		lead := i - 1
		for lead > 0 && (m.Is("determiners", words[lead]) || m.Is("articles", words[lead])) {
			lead--
		}
		if lead > 0 && m.In("paint", w.Lower()) && m.Is("places lead", words[lead]) {
			return r.Form == retrieve.Order && m.RemovesObject(words)
		}
	}
	return false
}

// LoneMask returns the only mask that came with the only picture, as if it were marked on it.
func (m *Marker) LoneMask() (set []scene.Thing, ok bool) {
	masks := slices.DeleteFunc(slices.Clone(m.Things), func(e scene.Thing) bool { return e.Typ != plan.Mask })
	pictures := slices.DeleteFunc(slices.Clone(m.Things), func(e scene.Thing) bool { return e.Typ != plan.Image || e.Made })
	if len(masks) != 1 || len(pictures) != 1 {
		return nil, false
	}
	mask := masks[0]
	mask.On = pictures[0].Source.Name
	return []scene.Thing{pictures[0], mask}, true
}

// MeantMarks returns, for each marked picture that the clause means, the latest version of the picture and the mark;
// none if it means no mark.
func (m *Marker) MeantMarks(r *scene.Reading) (sets [][]scene.Thing, q plan.Message) {
	held := m.Hold(r)
	marks := m.MarksFor(held)
	if len(marks) == 0 {
		return nil, q
	}
	if pictures := scene.Exactly(slices.DeleteFunc(slices.Clone(r.Files), func(e scene.Thing) bool { return e.On != "" }), plan.Image); len(pictures) > 0 {
		here := slices.DeleteFunc(slices.Clone(marks), func(e scene.Thing) bool {
			return !slices.ContainsFunc(pictures, func(p scene.Thing) bool { return p.Source.Name == e.On || p.Root == e.On })
		})
		if len(here) == 0 && held > vague {
			return nil, markedElsewhere(m.Files.Called(pictures), m.Files.Called(m.PicturesOf(marks)))
		}
		if marks = here; len(marks) == 0 {
			return nil, q
		}
	}
	whole, part := *r, *r
	whole.Rivals, part.Rivals = nil, nil
	m.Match(&whole)
	part.Files = slices.Concat(m.PicturesOf(marks), marks)
	m.Match(&part)
	says := m.Place(r, whole.Head) != "" && whole.Head.AcceptsText(plan.Place)
	switch {
	case whole.Quoted() != "" && whole.Head.RequiresText(plan.Content) && whole.Head.Takes(plan.Image): // a tool that writes takes the place in words
		if held == placed && !says {
			q = whereToWrite
		}
		return nil, q
	case !m.asksForPart(held, &whole, &part):
		return nil, q
	}
	return m.setsOf(part.Head, marks)
}

// OnlyMarks reports whether the clause only says that something is marked, without an order: "I marked the dog", "use
// these points".
func (m *Marker) OnlyMarks(r *scene.Reading) bool {
	held, words, e := m.Hold(r), r.Words, m.Lists
	if len(m.MarksFor(held)) == 0 || len(words) == 0 || r.Form != retrieve.Order || m.MarkEffect(words) != scene.NoEffect {
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

// MarksFor returns the marks that a clause may mean: those that came with the message, and earlier ones only if it
// mentions marks.
func (m *Marker) MarksFor(held Hold) []scene.Thing {
	marks := slices.DeleteFunc(slices.Clone(m.Marks), func(e scene.Thing) bool { return !e.Given })
	if len(marks) > 0 || held != express {
		return marks
	}
	for _, e := range m.Marks {
		if e.On == m.Marks[len(m.Marks)-1].On { // the latest marks are meant
			marks = slices.DeleteFunc(marks, func(o scene.Thing) bool { return o.Typ == e.Typ })
			marks = append(marks, e)
		}
	}
	return marks
}

// preferred returns the marks on a picture of the only type that the tool takes, else the most precise ones.
func preferred(f *profile.Profile, marks []scene.Thing, picture string) []scene.Thing {
	kinds := []plan.Type{plan.Mask, plan.BBox, plan.Points}
	for _, takes := range []bool{true, false} {
		for _, typ := range kinds {
			of := slices.DeleteFunc(slices.Clone(marks), func(e scene.Thing) bool { return e.On != picture || e.Typ != typ })
			if len(of) > 0 && f.Takes(typ) == takes {
				return of
			}
		}
	}
	return nil
}

// AskAboutMark asks what to do with the marked part.
func (m *Marker) AskAboutMark() plan.Message {
	return plan.Say("What should I do with what is marked on %s?", scene.Listed(m.Files.Called(m.PicturesOf(m.MarksFor(express)))))
}

// setsOf returns the marks that the tool can take, each with the latest version of its picture.
func (m *Marker) setsOf(head *profile.Profile, marks []scene.Thing) (sets [][]scene.Thing, q plan.Message) {
	for _, picture := range m.PicturesOf(marks) {
		now := picture
		for _, e := range m.Things {
			if !e.Made || e.Root != picture.Source.Name {
				continue
			}
			if e.Moved && head.Returns == plan.Image { // the part has moved
				return nil, plan.Say("You marked that part on %s as it was sent. Please say first what to do with the marked part, and then the rest.",
					scene.Listed(m.Files.Called([]scene.Thing{picture})))
			}
			if !e.Moved {
				now = e
			}
		}
		for _, mark := range preferred(head, marks, picture.Source.Name) {
			sets = append(sets, []scene.Thing{now, mark})
		}
	}
	return sets, q
}

// asksForPart reports whether a clause is about the mark instead of the whole picture, by comparing its matches for
// both.
func (m *Marker) asksForPart(held Hold, whole, part *scene.Reading) bool {
	place := whole.Head.Moves && whole.Head.RequiresText(plan.Place) && m.Place(whole, whole.Head) != ""
	switch {
	case held >= placed:
		return true
	case held == firm:
		return !whole.Head.Moves || whole.Head.TakesMark() || !m.Any("moving", whole.Clause.Words)
	case !part.Head.TakesMark() || place:
		return false
	}
	byWords := whole.Head.Returns == plan.Image && whole.Head.RequiresText(plan.Instruction)
	if part.Head.RequiresText(plan.Prompt) { // anything can be redrawn: the part, or everything
		return byWords && m.definiteObject(whole)
	}
	return byWords || whole.Head.TakesMark() || part.Score >= whole.Score
}

// onlyOf reports whether all words are in the sections or have no meaning, and none names media.
func (m *Marker) onlyOf(words []retrieve.Word, sections ...string) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		known := m.Lexicon.Stop(w.Lower()) || slices.ContainsFunc(sections, func(s string) bool { return m.Is(s, w) })
		return w.Kind != retrieve.Plain || m.IsMedia(w) || m.Is("results", w) || !known
	})
}

// markedElsewhere returns the sentence that the marks are on other pictures than the request means.
func markedElsewhere(meant, marked []string) plan.Message {
	return plan.Say("The marked part is on %s, not on %s. Please mark the part on %s, or say which picture you mean.",
		plan.And(marked...), plan.And(meant...), plan.And(meant...))
}

// definiteObject reports whether the clause changes an existing object: its verb is followed by "the" and not by a kind
// of media.
func (m *Marker) definiteObject(r *scene.Reading) bool {
	w := r.Words
	return r.Form == retrieve.Order && len(w) > 2 && m.Is("owners", w[1]) && !m.Is("results", w[2]) &&
		!slices.ContainsFunc(w[2:min(4, len(w))], m.IsMedia)
}
