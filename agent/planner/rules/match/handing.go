package match

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// handing weighs the files that a clause hands over, or may mean, for each tool.
type handing struct {
	*View

	can map[plan.Type]bool // what can be made of the types at hand
}

// weigh tells whether the tool can be given what it needs, and leaves nothing over that the clause hands over.
func (v *handing) weigh(f *profile.Profile) float64 {
	fit := 1.0
	media := slices.ContainsFunc(f.Needs, profile.OfMedia)
	edits := f.Returns.Media() && f.Takes(f.Returns)
	asked := f.Returns.Media() && v.asksWhich() || edits && v.asksAbout()
	if asked || f.Adds && v.removes() || f.Removes && v.removesNothing() || f.Returns == plan.Facts && v.changes() {
		return badly // "stereo or mono?", "how loud is it?", "get rid of the border", "show the metadata", "make it stereo"
	}
	fit *= v.byCount(f)
	figures, pasted := english.ListsFigures(v.Text), strings.Contains(v.Text, english.LineEnd)
	switch {
	case f.Tabular && pasted:
		fit *= strongly
	case f.Tabular && len(scene.Fitting(v.Things, plan.Text)) == 0 && !strings.Contains(v.Text, "\n") && !figures:
		fit *= Hardly // there is no table
	}
	if f.TextOnly && !f.Tabular && figures && v.Any("charts", v.r.Words) {
		fit *= Hardly // "make a bar chart: Mon 3, Tue 5"
	}
	unsaid := v.Things.Media() && len(v.r.Files) == 0 && !v.r.Refs.Points() && v.quotes == 0 && !v.Things.SentText() && !strings.Contains(v.r.Text, ": ")
	if f.TextOnly && f.Wants(plan.Content) && unsaid {
		fit *= Partly // there is no text, and nothing points at what it could be made of
	}
	fit *= v.bySent(f)
	if v.takesAll(f) || v.takesOneForAll(f) {
		fit *= clearly
	}
	if v.putsFile() && !f.TextOnly {
		if !v.putsOn(f) {
			return fit * badly
		}
		return fit * strongly
	}
	switch {
	case v.r.Marked():
		return fit * v.byMarks(f)
	case len(v.r.Files) > 0:
		return fit * v.byFiles(f)
	case media:
		return fit * v.byImplied(f)
	}
	if v.last.Media() && (v.r.Refs.Result || v.r.Refs.Pronoun) {
		return Partly // it points at what was made last
	}
	return fit
}

// bySent weighs whether the tool would make or count anew what the clause says of a file that was sent.
func (v *handing) bySent(f *profile.Profile) float64 {
	fit := 1.0
	if v.r.Form == retrieve.Count && f.Returns != plan.Facts && v.direct[plan.Image] && v.countsTime() {
		fit *= Hardly // "how many frames does it have?" counts nothing on the picture
	}
	if f.TextOnly && f.Wants(plan.Prompt) && !v.In("making", v.r.Verb()) && v.speaksOfSent(f.Returns) {
		fit *= badly // "jingle at the start" means the one that was sent
	}
	if f.TextOnly && v.showsCode() && (f.Wants(plan.Prompt) || f.Tabular || v.Unexplained(f) > 1) {
		fit *= Hardly // "a picture of this code" shows what was sent, and asks for no bar code
	}
	return fit
}

// countsTime reports whether a question of how many is about frames or a length of time.
func (v *handing) countsTime() bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool {
		return v.Is("time units", w) || w.Lower() == "frames"
	})
}

// showsCode reports whether the clause speaks of a program that came with the message.
func (v *handing) showsCode() bool {
	words := v.r.Clause.Words
	for i, w := range words {
		if v.Is("code nouns", w) && v.Determined(words, i) {
			return v.Things.SentText()
		}
	}
	return false
}

// byCount weighs whether the tool takes as many files at once as there are.
func (v *handing) byCount(f *profile.Profile) float64 {
	fit := 1.0
	if first, _, ok := f.Pair(); ok && (len(scene.Fitting(v.Things, first.Type)) < 2 || v.spreadsOut(f)) {
		fit *= badly // it compares or joins two
	}
	if f.Joins() && lone(scene.Fitting(v.Things, f.Media[0].Type)) {
		fit *= Partly // it takes several
	}
	if f.Joins() && v.oneByOne() || v.joinsAsOne(f) {
		fit *= Partly // "each of these as a pdf", "a pdf of these"
	}
	return fit
}

// spreadsOut reports whether the clause speaks of all of more than two files that the tool, which takes two, could be
// given.
func (v *handing) spreadsOut(f *profile.Profile) bool {
	if _, one := f.OnePerFile(); one {
		return false
	}
	all := v.r.Refs.Plural || len(v.r.Files) == 0 && v.r.Refs.Ordinal == 0
	return (all && len(v.Sent(f.Media[0].Type)) > 2) || len(v.r.Files) > 2
}

// asksWhich reports whether the clause asks which of two things holds: "stereo or mono?".
func (v *handing) asksWhich() bool {
	words := v.r.Words
	polite := len(words) < len(v.r.Clause.Words)
	return v.r.Clause.Asks && !polite && len(words) < longQuestion && english.Has(words, "or") && !v.IsVerb(words[0])
}

// asksAbout reports whether the clause asks something about a file, and does not suggest an edit: "how loud is it?",
// not "what about black and white?".
func (v *handing) asksAbout() bool {
	switch v.r.Form {
	case retrieve.What, retrieve.How, retrieve.Count:
		return len(v.r.Clause.Words) > 1 && !v.Any("suggesting", v.r.Clause.Words)
	default:
		return false
	}
}

// removesNothing reports whether the clause orders something else than to take something away.
func (v *handing) removesNothing() bool {
	words := v.r.Clause.Words
	return v.In("not removing", v.r.Verb()) || len(words) > 0 && v.Is("not removing", words[0]) && !v.removes()
}

// longQuestion is how many words a question has that is more than a choice.
const longQuestion = 6

// changes reports whether the clause orders that a file be changed.
func (v *handing) changes() bool {
	verb := v.r.Verb()
	return v.r.Form == retrieve.Order && (v.In("changing", verb) || verb == "convert" || verb == "apply") && !v.In("keeping", verb)
}

// removes reports whether the clause orders that something go.
func (v *handing) removes() bool {
	if len(v.r.Words) == 0 {
		return false
	}
	class, _ := v.Lexicon.ClassAt(v.r.Words, 0)
	return class == v.Lexicon.Class(retrieve.Stem("remove"))
}

// oneByOne reports whether the clause speaks of each file for itself: "save each as a pdf", but not "3 seconds each".
func (v *handing) oneByOne() bool {
	words := v.r.Clause.Words
	for i, w := range words[:max(0, len(words)-1)] {
		each := w.Lower() == "each" || w.Lower() == "every"
		if each && (i == 0 || words[i-1].Kind == retrieve.Plain && !v.Is("time units", words[i-1])) && words[i+1].Kind == retrieve.Plain {
			return true
		}
	}
	return false
}

// joinsAsOne reports whether the tool makes one thing of one file where the clause speaks of several, and another tool
// makes one of all of them.
func (v *handing) joinsAsOne(f *profile.Profile) bool {
	if len(f.Media) != 1 || f.Media[0].Many || f.Media[0].Type == f.Returns || v.Any("apart", v.r.Clause.Words) ||
		v.oneByOne() {
		return false
	}
	typ := f.Media[0].Type
	if len(v.r.Files) < 2 && (!v.r.Refs.Plural || len(v.Sent(typ)) < 2) {
		return false
	}
	return v.Makes(f.Returns, func(o *profile.Profile) bool { return o.Joins() && o.Media[0].Type == typ })
}

// putsFile reports whether the clause orders that the one file it names be put somewhere, and there is another one to
// put it on: "put the logo in the corner", with a video and a logo.
func (v *handing) putsFile() bool {
	if v.r.Form != retrieve.Order || v.r.Marked() || len(v.r.Files) != 1 || !v.In("putting", v.r.Verb()) && !v.In("lettering", v.r.Verb()) || v.quotes > 0 {
		return false
	}
	text := v.Span(v.r.Clause.Words)
	if _, told := quantity.Place(text); !told && !english.Has(v.r.Words, "corner") {
		return false
	}
	return len(v.others()) == 1
}

// others are the files of this message that the clause does not name.
func (v *handing) others() []scene.Thing {
	return slices.DeleteFunc(slices.Clone(v.Things), func(e scene.Thing) bool { return !e.Given || !e.Typ.Media() || scene.Among(v.r.Files, e) })
}

// putsOn reports whether the tool puts such a file on the other one.
func (v *handing) putsOn(f *profile.Profile) bool {
	on, put := v.others()[0].Typ, v.r.Files[0].Typ
	return len(f.Media) == 2 && f.Media[0].Type == on && f.Media[1].Type == put && f.Returns == on
}

// speaksOfSent reports whether a word of the clause is in the name of a file of that type that came with the message.
func (v *handing) speaksOfSent(typ plan.Type) bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool {
		r, ok := v.Files.Lookup(w.Text)
		return ok && r.Type == typ && !w.IsQuote()
	})
}

// takesAll reports whether the tool takes each of the files that came with the message, one for each of
// its arguments.
func (v *handing) takesAll(f *profile.Profile) bool {
	left := scene.TypesOf(slices.DeleteFunc(slices.Clone(v.Things), func(e scene.Thing) bool { return !e.Given || e.Made || !e.Typ.Media() }))
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
func (v *handing) takesOneForAll(f *profile.Profile) bool {
	first, ok := f.OnePerFile()
	single := len(v.r.Files) == 1 || len(v.r.Files) == 0 && v.r.Refs.Ordinal != 0
	return ok && single && v.r.Refs.Plural && len(v.Sent(first.Type)) > 2 && v.In("lettering", v.r.Verb())
}

// byFiles compares what the tool needs with the files that the clause names.
func (v *handing) byFiles(f *profile.Profile) float64 {
	fit, used := 1.0, 0
	for k := range v.files {
		switch {
		case slices.Contains(f.Needs, k), k.Media() && f.Takes(k): // what it may be given besides, too
			used++
		case k.ImageMap() && slices.Contains(f.Needs, plan.Image) && v.files[plan.Image] == 0, slices.Contains(f.Needs, plan.AnyFile):
			used++
		}
	}
	pictures := v.handed(plan.Image)
	for _, n := range f.Needs {
		switch {
		case n == plan.Text || v.handed(n):
		case used > 0 || !n.Media() || n.ImageMap() && pictures:
			fit *= slightly
		case n == plan.Image && v.held(n) && f.Returns != plan.Image:
			fit *= Hardly // of one frame alone
		case v.held(n) && n != plan.Image:
			fit *= Partly
		default:
			fit *= badly
		}
	}
	switch {
	case used == 0 && !slices.ContainsFunc(f.Needs, profile.OfMedia):
		fit *= Hardly // the files are put into words first
	case used > 0 && used < len(v.files):
		fit *= badly
	}
	return fit
}

// handed reports whether the clause names a file that can be taken for the type.
func (v *handing) handed(t plan.Type) bool {
	return slices.ContainsFunc(v.r.Files, func(e scene.Thing) bool { return e.Typ.Fits(t) })
}

// held reports whether a named file holds media of another kind that one tool takes out of
// it: the sound of a video.
func (v *handing) held(t plan.Type) bool {
	return v.Makes(t, func(f *profile.Profile) bool {
		return strings.HasSuffix(f.Domain, "-processing") && len(f.Needs) == 1 && f.Texts == 0 && v.files[f.Needs[0]] > 0
	})
}

// byImplied compares what the tool needs with what the clause may mean without naming it.
func (v *handing) byImplied(f *profile.Profile) float64 {
	fit := 1.0
	refs := v.r.Refs
	if refs.Definite[plan.Text] && v.direct[plan.Text] && !slices.Contains(f.Needs, plan.Text) {
		fit *= Hardly
	}
	for _, n := range f.Needs {
		switch {
		case n == plan.Text || v.direct[n]:
		case v.can[n] && (!n.Media() || n.ImageMap()), n == plan.Image && v.can[n] && v.direct[plan.Document]: // its pages are pictures
			fit *= slightly
		case v.can[n] || v.r.Form != retrieve.Order && !refs.Points():
			fit *= Hardly // "how many legs has a spider" asks of no picture
		default:
			fit *= Partly
		}
	}
	if v.elsewhere(f) {
		fit *= Partly
	}
	if taken := slices.Contains(f.Needs, v.last); taken && v.last != plan.Image && (refs.Result || refs.Pronoun || refs.Sequence || v.last.ImageMap()) {
		fit *= clearly
	}
	return fit
}

// elsewhere reports whether the tool works on media of another kind than what the request made
// last, and the clause speaks of none of that kind: after "take a still", "write BOSS at the top" is
// for the still.
func (v *handing) elsewhere(f *profile.Profile) bool {
	if v.Things.LastMade() < 0 || !v.last.Media() || f.Returns == plan.Audio && v.Any("sound nouns", v.r.Words) {
		return false
	}
	other := func(n plan.Type) bool {
		return n.Media() && profile.Base(n) != profile.Base(v.last) && !v.r.Refs.Definite[n]
	}
	same := func(n plan.Type) bool { return n.Media() && profile.Base(n) == profile.Base(v.last) }
	return slices.ContainsFunc(f.Needs, other) && !slices.ContainsFunc(f.Needs, same)
}

// byMarks compares what a tool needs with a picture and what is marked on it. A tool that
// changes whole pictures would change more than what is meant; one that only looks can be
// shown the part.
func (v *handing) byMarks(f *profile.Profile) float64 {
	takes := slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return profile.MarkType(a.Type) && v.files[a.Type] > 0 }) // what is marked, as it is
	keeps := f.TakesMark() && f.Returns == plan.Image && !f.Wants(plan.Prompt)
	switch {
	case v.ordered != scene.Unsaid && !keeps:
		return badly
	case f.TakesMark() && takes:
		return strongly
	case f.Returns == plan.Image && slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return a.Type == plan.BBox }):
		return badly // a mask or a point does not become a box
	case f.TakesMark() && f.Wants(plan.Prompt) && !v.Any("lifting", v.r.Words):
		return 1
	case f.TakesMark():
		return Partly
	case v.r.Form == retrieve.Count && f.Returns == plan.Text && !f.TextOnly:
		return 1 // what is counted there is found in the part
	case !f.Takes(plan.Image), f.Returns == plan.Image:
		return badly
	}
	return slightly
}

// lone reports whether the only thing is a single file.
func lone(things []scene.Thing) bool { return len(things) == 1 && !things[0].Many }
