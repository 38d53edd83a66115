package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// sight is a clause as it is held against the tools: all that is the same for each of
// them, found once a clause rather than once a tool.
type sight struct {
	s       *scene
	u       *understood
	refs    references
	implied []entity // the media that it may mean without naming a file

	files  map[plan.Type]int  // how many files of each type it names
	kinds  []plan.Type        // those types, in order
	direct map[plan.Type]bool // the types that are at hand for it
	can    reachable          // what can be made of them

	rest   remainder
	first  string // its first word in lower case
	quoted bool   // it quotes words
	last   plan.Type
	wanted plan.Type   // the kind of thing that it asks for by name
	after  []plan.Type // the maps that something new is to follow
	named  string      // the tool that it names

	pointing bool // it points at something
	// outspoken tells that a tool is asked for plainly, and explains nearly all words.
	outspoken bool

	novel   bool // it names something that no tool's words know
	media   bool // there are media
	paints  bool // it paints something new after the last map
	changes bool // it orders a change that words say
	part    bool // it orders something done to a thing in the picture
	demands bool // it says how a picture has to be
	needs   bool // it needs a text, and there are no media
	writes  bool // it orders a text

	measures []quantity.Quantity // that it says with a unit

	says map[plan.Meaning]bool // whether it says a format, a language, an amount
}

// sight looks at the clause for all that the tools are compared with.
func (s *scene) sight(u *understood, refs references) *sight {
	a := &sight{
		s: s, u: u, refs: refs, implied: s.implied(u),
		files: map[plan.Type]int{}, rest: s.remainder(u), quoted: s.quoted(u) != "",
		last: s.focus(), wanted: s.wanted(u), after: s.after(u), named: s.m.index.Named(u.text),
		pointing: refs.pronoun || refs.result || refs.sequence || len(refs.definite) > 0,
		novel:    s.novel(u), media: s.anyMedia(), says: map[plan.Meaning]bool{},
	}
	if len(u.words) > 0 {
		a.first = lower(u.words[0])
	}
	for _, e := range u.files {
		if a.files[e.typ]++; a.files[e.typ] == 1 {
			a.kinds = append(a.kinds, e.typ)
		}
	}
	if words := u.clause.words; len(words) > 0 {
		a.measures = slices.DeleteFunc(quantity.Find(s.text[words[0].Start:words[len(words)-1].End]),
			func(q quantity.Quantity) bool { return q.Unit == quantity.Number })
	}
	a.atHand()
	order := u.form == retrieve.Order
	a.paints = order && a.paintsAfter()
	a.changes = order && s.m.phrases.changing[a.first]
	a.part = s.definiteObject(u)
	a.demands = order && len(u.files) > 0 && s.demands(u)
	a.needs = len(u.files) == 0 && !a.media && s.needsSaid(u)
	a.writes = len(u.files) == 0 && s.m.phrases.writing[a.first] && !a.makesOfMedia()
	return a
}

// makesOfMedia tells whether an order to make or write something means something made of
// the media that are there.
func (a *sight) makesOfMedia() bool {
	return a.media && (a.s.m.phrases.making[a.first] || a.s.references(a.u).pronoun)
}

// atHand finds the types of the clause's files, or of all that it may mean where it
// names none, and what can be made of them.
func (a *sight) atHand() {
	all := a.u.files
	if len(all) == 0 {
		all = a.s.entities
	}
	a.direct = map[plan.Type]bool{}
	for _, e := range all {
		a.direct[e.typ] = true
		a.direct[baseType(e.typ)] = true
	}
	a.can = a.s.m.closure(typesOf(all)...)
}

// question tells whether the clause asks something that no number answers.
func (a *sight) question() bool {
	return a.u.form != retrieve.Order && a.u.form != retrieve.Count
}

// implied are the media that a clause may mean without naming a file: what came with
// the message unnamed, what was spoken of or made last; of each kind the last.
func (s *scene) implied(u *understood) []entity {
	if len(u.files) > 0 {
		return nil
	}
	var out []entity
	seen := map[plan.Type]bool{}
	for _, e := range slices.Backward(s.entities) {
		if b := baseType(e.typ); e.typ.Media() && !seen[b] {
			seen[b] = true
			out = append(out, e)
		}
	}
	return out
}

// focus is the type of what was made, spoken of or sent last; "" if nothing was.
func (s *scene) focus() plan.Type {
	if len(s.entities) == 0 {
		return ""
	}
	return s.entities[len(s.entities)-1].typ
}

// novel tells whether the clause names something that no tool's words know: "a frozen
// harbour", not "half as large".
func (s *scene) novel(u *understood) bool {
	return slices.ContainsFunc(u.words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && !s.m.lexicon.Stop(w.Text) && !s.m.verbs[lower(w)] && !s.m.index.Known(s.m.lexicon.Class(w.Stem))
	})
}

// paintsAfter tells whether an order paints something new after the map that was made
// or spoken of last.
func (a *sight) paintsAfter() bool {
	if !a.last.ImageMap() || len(a.u.files) > 0 || len(a.u.words) == 0 || a.quoted {
		return false
	}
	return (a.refs.pronoun || a.refs.result || a.refs.definite[a.last]) && a.s.m.phrases.painting[a.s.m.lexicon.Class(a.u.words[0].Stem)]
}

// demands tells whether a statement says how a thing has to be: "the car ought to be
// yellow".
func (s *scene) demands(u *understood) bool {
	for i, w := range u.words {
		switch lower(w) {
		case "should", "must":
			return i > 0
		case "ought", "needs", "has":
			return i > 0 && i+1 < len(u.words) && lower(u.words[i+1]) == "to"
		}
	}
	return false
}

// needsSaid tells whether the clause begins with "I need", "I want" or the like.
func (s *scene) needsSaid(u *understood) bool {
	n := len(u.clause.words) - len(u.words)
	return slices.ContainsFunc(u.clause.words[:max(0, n)], s.m.phrases.needing.has)
}

// remainder is what grammar does not explain of a clause: what is left for a tool.
type remainder struct {
	classes []string // of content words
	quoted  int      // quotations
}

// remainder finds the content words of the clause and of what is said more about it.
func (s *scene) remainder(u *understood) remainder {
	words := slices.Clip(u.words)
	if u.marked() {
		words = s.m.withoutMarks(words)
	}
	for _, more := range u.clause.more {
		words = append(words, s.m.lexicon.Words(more, nil)...)
	}
	var r remainder
	for i := 0; i < len(words); i++ {
		if words[i].Kind == retrieve.Quote {
			r.quoted++
		}
		if words[i].Kind != retrieve.Plain {
			continue
		}
		class, length := s.m.lexicon.ClassAt(words, i)
		if length > 1 || !s.grammatical(words[i], i) {
			r.classes = append(r.classes, class)
		}
		i += length - 1
	}
	return r
}

// grammatical tells whether the word at i says nothing that a tool must explain.
func (s *scene) grammatical(w retrieve.Word, i int) bool {
	text, p := lower(w), &s.m.phrases
	return i == 0 && s.m.verbs[text] || s.m.lexicon.Stop(text) || s.isFiller(text) || s.m.isMedia(w) ||
		p.prepositions[text] || p.generic[text] || p.results[text]
}

// unexplained counts what the tool does not explain either.
func (m *Mind) unexplained(r remainder, t toolbox.Tool) int {
	n := quoteWords * r.quoted
	for _, class := range r.classes {
		if !m.index.Vocabulary(t.Name, class) {
			n++
		}
	}
	return n
}

// unexplained counts the content words that neither grammar nor the tool explains.
func (s *scene) unexplained(u *understood, t toolbox.Tool) int {
	return s.m.unexplained(s.remainder(u), t)
}

// evident tells whether the clause says that it wants what the tool makes, where the
// tool makes a picture, sound or video of words alone: "create" says nothing, "draw"
// and "a song" do.
func (s *scene) evident(u *understood, t toolbox.Tool) bool {
	if !t.Returns.Media() || !textOnly(t) {
		return true
	}
	return slices.ContainsFunc(u.clause.words, func(w retrieve.Word) bool {
		if w.Kind != retrieve.Plain || s.m.lexicon.Stop(w.Text) {
			return false
		}
		class := s.m.lexicon.Class(w.Stem)
		return class != "generat" && s.m.index.Vocabulary(t.Name, class) || s.m.lexicon.MediaNoun([]retrieve.Word{w}) == baseType(t.Returns)
	})
}

// said tells whether the clause says what a text argument of that meaning wants.
func (a *sight) said(m plan.Meaning, t toolbox.Tool) bool {
	if m == plan.Place { // a place in a picture or in the world, as the tool has it
		return a.s.textFor(a.u, m, t) != ""
	}
	said, known := a.says[m]
	if !known {
		said = a.s.textFor(a.u, m, t) != ""
		a.says[m] = said
	}
	return said
}

// takesAllMedia tells whether the tool takes every kind of media that the clause names,
// a special one among them, as it is.
func (a *sight) takesAllMedia(t toolbox.Tool) bool {
	special := slices.ContainsFunc(a.kinds, func(k plan.Type) bool { return k.ImageMap() || !k.Media() })
	return special && len(a.u.files) > 1 && !slices.ContainsFunc(a.kinds, func(k plan.Type) bool { return !takesType(t, k) })
}
