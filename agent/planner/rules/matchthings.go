package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// byThings weighs whether the tool can be given what it needs, and leaves nothing over
// that the clause hands over.
func (v *view) byThings(f *profile) float64 {
	fit := 1.0
	media := slices.ContainsFunc(f.needs, ofMedia)
	if first, _, ok := f.pair(); ok && len(fitting(v.things, first.Type)) < 2 {
		fit *= badly // it compares or joins two
	}
	if f.joins() && lone(fitting(v.things, f.media[0].Type)) {
		fit *= partly // it takes several
	}
	figures := english.ListsFigures(v.text)
	if f.tabular && len(fitting(v.things, plan.Text)) == 0 && !strings.Contains(v.text, "\n") && !figures {
		fit *= hardly // there is no table
	}
	if f.textOnly && !f.tabular && figures && v.Any("charts", v.r.words) {
		fit *= hardly // "make a bar chart: Mon 3, Tue 5"
	}
	unsaid := v.media() && len(v.r.files) == 0 && !v.r.refs.points() && v.quotes == 0 && !v.sentText() && !strings.Contains(v.r.text, ": ")
	if f.textOnly && f.wants(plan.Content) && unsaid {
		fit *= partly // there is no text, and nothing points at what it could be made of
	}
	if f.textOnly && f.wants(plan.Prompt) && !v.In("making", v.r.verb()) && v.speaksOfSent(f.Returns) {
		fit *= badly // "jingle at the start" means the one that was sent
	}
	if v.takesAll(f) || v.takesOneForAll(f) {
		fit *= clearly
	}
	if v.putsFile() && !f.textOnly {
		if !v.putsOn(f) {
			return fit * badly
		}
		return fit * strongly
	}
	switch {
	case v.r.marked():
		return fit * v.byMarks(f)
	case len(v.r.files) > 0:
		return fit * v.byFiles(f)
	case media:
		return fit * v.byImplied(f)
	}
	if v.last.Media() && (v.r.refs.result || v.r.refs.pronoun) {
		return partly // it points at what was made last
	}
	return fit
}

// putsFile reports whether the clause orders that the one file it names be put somewhere, and there is another one to
// put it on: "put the logo in the corner", with a video and a logo.
func (v *view) putsFile() bool {
	if v.r.form != retrieve.Order || v.r.marked() || len(v.r.files) != 1 || !v.In("putting", v.r.verb()) && !v.In("lettering", v.r.verb()) || v.quotes > 0 {
		return false
	}
	text, _ := v.r.span(v.text)
	if _, told := quantity.Place(text); !told {
		return false
	}
	return len(v.others()) == 1
}

// others are the files of this message that the clause does not name.
func (v *view) others() []thing {
	return slices.DeleteFunc(slices.Clone(v.things), func(e thing) bool { return !e.given || !e.typ.Media() || among(v.r.files, e) })
}

// putsOn reports whether the tool puts such a file on the other one.
func (v *view) putsOn(f *profile) bool {
	on, put := v.others()[0].typ, v.r.files[0].typ
	return len(f.media) == 2 && f.media[0].Type == on && f.media[1].Type == put && f.Returns == on
}

// speaksOfSent reports whether a word of the clause is in the name of a file of that type that came with the message.
func (v *view) speaksOfSent(typ plan.Type) bool {
	return slices.ContainsFunc(v.r.clause.words, func(w retrieve.Word) bool {
		r, ok := v.lookup(w.Text)
		return ok && r.Type == typ && !w.IsQuote()
	})
}

// takesAll reports whether the tool takes each of the files that came with the message, one for each of
// its arguments.
func (v *view) takesAll(f *profile) bool {
	left := typesOf(slices.DeleteFunc(slices.Clone(v.things), func(e thing) bool { return !e.given || e.made || !e.typ.Media() }))
	media := slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return !a.Type.Media() })
	if len(left) < 2 || len(left) != len(media) {
		return false
	}
	for _, a := range media {
		i := slices.IndexFunc(left, func(t plan.Type) bool { return !a.Many && t.Fits(a.Type) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// takesOneForAll reports whether the clause singles out one of several files, and the tool brings it to each of the
// others: "put the first picture on the others".
func (v *view) takesOneForAll(f *profile) bool {
	first, ok := f.onePerFile()
	single := len(v.r.files) == 1 || len(v.r.files) == 0 && v.r.refs.ordinal != 0
	return ok && single && v.r.refs.plural && len(v.sent(first.Type)) > 2 && v.In("lettering", v.r.verb())
}

// byFiles compares what the tool needs with the files that the clause names.
func (v *view) byFiles(f *profile) float64 {
	fit, used := 1.0, 0
	for k := range v.files {
		switch {
		case slices.Contains(f.needs, k), k.Media() && f.takes(k): // what it may be given besides, too
			used++
		case k.ImageMap() && slices.Contains(f.needs, plan.Image) && v.files[plan.Image] == 0, slices.Contains(f.needs, plan.AnyFile):
			used++
		}
	}
	pictures := v.handed(plan.Image)
	for _, n := range f.needs {
		switch {
		case n == plan.Text || v.handed(n):
		case used > 0 || !n.Media() || n.ImageMap() && pictures:
			fit *= slightly
		case n == plan.Image && v.held(n) && f.Returns != plan.Image:
			fit *= hardly // of one frame alone
		case v.held(n) && n != plan.Image:
			fit *= partly
		default:
			fit *= badly
		}
	}
	switch {
	case used == 0 && !slices.ContainsFunc(f.needs, ofMedia):
		fit *= hardly // the files are put into words first
	case used > 0 && used < len(v.files):
		fit *= badly
	}
	return fit
}

// handed reports whether the clause names a file that can be taken for the type.
func (v *view) handed(t plan.Type) bool {
	return slices.ContainsFunc(v.r.files, func(e thing) bool { return e.typ.Fits(t) })
}

// held reports whether a named file holds media of another kind that one tool takes out of
// it: the sound of a video.
func (v *view) held(t plan.Type) bool {
	return v.makes(t, func(f *profile) bool {
		return strings.HasSuffix(f.Domain, "-processing") && len(f.needs) == 1 && f.texts == 0 && v.files[f.needs[0]] > 0
	})
}

// byImplied compares what the tool needs with what the clause may mean without naming it.
func (v *view) byImplied(f *profile) float64 {
	fit := 1.0
	refs := v.r.refs
	if refs.definite[plan.Text] && v.direct[plan.Text] && !slices.Contains(f.needs, plan.Text) {
		fit *= hardly
	}
	for _, n := range f.needs {
		switch {
		case n == plan.Text || v.direct[n]:
		case v.can[n] && (!n.Media() || n.ImageMap()), n == plan.Image && v.can[n] && v.direct[plan.Document]: // its pages are pictures
			fit *= slightly
		case v.can[n] || v.r.form != retrieve.Order && !refs.points():
			fit *= hardly // "how many legs has a spider" asks of no picture
		default:
			fit *= partly
		}
	}
	if v.elsewhere(f) {
		fit *= partly
	}
	if taken := slices.Contains(f.needs, v.last); taken && v.last != plan.Image && (refs.result || refs.pronoun || refs.sequence || v.last.ImageMap()) {
		fit *= clearly
	}
	return fit
}

// elsewhere reports whether the tool works on media of another kind than what the request made
// last, and the clause speaks of none of that kind: after "take a still", "write BOSS at the top" is
// for the still.
func (v *view) elsewhere(f *profile) bool {
	if v.lastMade() < 0 || !v.last.Media() || f.Returns == plan.Audio && v.Any("sound nouns", v.r.words) {
		return false
	}
	other := func(n plan.Type) bool { return n.Media() && base(n) != base(v.last) && !v.r.refs.definite[n] }
	same := func(n plan.Type) bool { return n.Media() && base(n) == base(v.last) }
	return slices.ContainsFunc(f.needs, other) && !slices.ContainsFunc(f.needs, same)
}

// wanted is the kind of map, box or media that the clause asks for by name: "give me a mask
// of …", "depth map for …", "the pages as pictures"; "" if it asks for none. It is the last such noun
// before the first preposition, or what the clause says the result is to be.
func (m *matcher) wanted(r *reading) plan.Type {
	words := m.Lexicon.Lead(r.words)
	if typ := m.Becomes(words); typ != "" && r.form == retrieve.Order {
		return typ
	}
	handing := func(text string) bool { return m.In("handing", text) }
	if r.form != retrieve.Order || len(words) == 0 || m.IsVerb(words[0]) && !handing(words[0].Lower()) && !handing(m.Lexicon.Class(words[0].Stem)) {
		return ""
	}
	var found plan.Type
	for i, w := range words {
		if w.Kind != retrieve.Plain || m.Is("prepositions", w) && i > 0 {
			break
		}
		typ, named := english.MapNouns[w.Lower()]
		switch {
		case named:
			found = typ
		case m.Lexicon.Class(w.Stem) == "box":
			found = plan.BBox
		case found == "" && i > 0 && !m.Determined(words, i):
			if found = m.Lexicon.MediaNoun(words[i : i+1]); m.Is("sound nouns", w) {
				found = plan.Audio
			}
		}
	}
	return found
}

// fitsInto reports whether the clause orders all of something to fit into a length of time, and the tool does just
// that.
func (v *view) fitsInto(f *profile) bool {
	_, paces := f.pace()
	_, ok := v.lasting(v.r)
	return ok && paces && v.Is("fitting", v.r.words[0]) && v.direct[f.Returns]
}

// lone reports whether the only thing is a single file.
func lone(things []thing) bool { return len(things) == 1 && !things[0].many }
