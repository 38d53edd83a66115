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

// handing weighs, for each tool, the files that a clause names or may mean.
type handing struct {
	*Features

	can map[plan.Type]bool // types that can be made from those available
}

// weigh returns how well the tool's inputs match the available files, and whether it uses all that the clause names.
func (v *handing) weigh(f *profile.Profile) float64 {
	fit := 1.0
	media := slices.ContainsFunc(f.Needs, profile.IsMediaType)
	if (contradiction{v.Features}).by(f) {
		return badly
	}
	fit *= v.byCount(f)
	figures, pasted := english.ListsFigures(v.Text), strings.Contains(v.Text, english.LineEnd)
	switch {
	case f.Tabular && pasted:
		fit *= strongly
	case f.Tabular && len(scene.Fitting(v.Things, plan.Text)) == 0 && !strings.Contains(v.Text, "\n") && !figures:
		fit *= Hardly // no table is given
	}
	if f.TextOnly && !f.Tabular && figures && v.Any("charts", v.r.Words) {
		fit *= Hardly // "make a bar chart: Mon 3, Tue 5"
	}
	unsaid := v.Things.Media() && len(v.r.Files) == 0 && !v.r.Refs.Points() && v.quotes == 0 && !v.Things.SentText() && !strings.Contains(v.r.Text, ": ")
	if f.TextOnly && f.RequiresText(plan.Content) && unsaid {
		fit *= Partly // no text is given, and nothing to make one from is referred to
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
	switch refers := v.last.Media() && (v.r.Refs.Result || v.r.Refs.Pronoun); {
	case refers && f.RequiresText(plan.Prompt) && f.Generates():
		return badly // "a video of it" shows the file
	case refers:
		return Partly // it refers to the latest result
	}
	return fit
}

// bySent weighs whether the tool would make or count something that the clause only says about a given file.
func (v *handing) bySent(f *profile.Profile) float64 {
	fit := 1.0
	if v.r.Form == retrieve.Count && f.Returns != plan.Facts && v.direct[plan.Image] && v.countsTime() {
		fit *= Hardly // "how many frames does it have?" does not count objects
	}
	if f.TextOnly && f.RequiresText(plan.Prompt) && !v.In("making", v.r.Verb()) && v.speaksOfSent(f.Returns) {
		fit *= badly // "jingle at the start" means the given one
	}
	if f.TextOnly && v.showsCode() && (f.RequiresText(plan.Prompt) || f.Tabular || v.Unexplained(f) > 1) {
		fit *= Hardly // "a picture of this code" shows the given code, and is not a bar code
	}
	return fit
}

// countsTime reports whether a "how many" question is about frames or a duration.
func (v *handing) countsTime() bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool {
		return v.Is("time units", w) || w.Lower() == "frames"
	})
}

// showsCode reports whether the clause refers to source code that came with the message.
func (v *handing) showsCode() bool {
	words := v.r.Clause.Words
	for i, w := range words {
		if v.Is("code nouns", w) && v.Determined(words, i) {
			return v.Things.SentText()
		}
	}
	return false
}

// byCount weighs whether the tool takes all given files at once.
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

// spreadsOut reports whether the clause refers to all of more than two files, for a tool that takes two.
func (v *handing) spreadsOut(f *profile.Profile) bool {
	if _, one := f.OnePerFile(); one {
		return false
	}
	all := v.r.Refs.Plural || len(v.r.Files) == 0 && v.r.Refs.Ordinal == 0
	return (all && len(v.Sent(f.Media[0].Type)) > 2) || len(v.r.Files) > 2
}

// oneByOne reports whether the clause is about each file separately: "save each as a pdf", but not "3 seconds each".
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

// joinsAsOne reports whether the clause refers to several files, but the tool takes only one of them while another tool
// combines them all.
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

// putsFile reports whether the clause puts the only file it names somewhere, and there is another file to put it on: "put
// the logo in the corner", with a video and a logo.
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

// others returns the files of this message that the clause does not name.
func (v *handing) others() []scene.Thing {
	return slices.DeleteFunc(slices.Clone(v.Things), func(e scene.Thing) bool { return !e.Given || !e.Typ.Media() || scene.Among(v.r.Files, e) })
}

// putsOn reports whether the tool puts the named file on the other one.
func (v *handing) putsOn(f *profile.Profile) bool {
	on, put := v.others()[0].Typ, v.r.Files[0].Typ
	return len(f.Media) == 2 && f.Media[0].Type == on && f.Media[1].Type == put && f.Returns == on
}

// speaksOfSent reports whether a word of the clause is in the name of a file of the type that came with the message.
func (v *handing) speaksOfSent(typ plan.Type) bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool {
		r, ok := v.Files.Lookup(w.Text)
		return ok && r.Type == typ && !w.IsQuote()
	})
}

// takesAll reports whether the tool takes all files that came with the message, one for each argument.
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

// takesOneForAll reports whether the clause singles out one of several files, and the tool adds it to each of the others:
// "put the first picture on the others".
func (v *handing) takesOneForAll(f *profile.Profile) bool {
	first, ok := f.OnePerFile()
	single := len(v.r.Files) == 1 || len(v.r.Files) == 0 && v.r.Refs.Ordinal != 0
	return ok && single && v.r.Refs.Plural && len(v.Sent(first.Type)) > 2 && v.In("lettering", v.r.Verb())
}

// byFiles compares the tool's inputs with the files that the clause names.
func (v *handing) byFiles(f *profile.Profile) float64 {
	fit, used := 1.0, 0
	for k := range v.files {
		switch {
		case slices.Contains(f.Needs, k), k.Media() && f.Takes(k): // including optional inputs
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
			fit *= Hardly // only one frame would be used
		case v.held(n) && n != plan.Image:
			fit *= Partly
		default:
			fit *= badly
		}
	}
	switch {
	case used == 0 && !slices.ContainsFunc(f.Needs, profile.IsMediaType):
		fit *= Hardly // the files would have to be described first
	case used > 0 && used < len(v.files):
		fit *= badly
	}
	return fit
}

// handed reports whether the clause names a file that can be used as the type.
func (v *handing) handed(t plan.Type) bool {
	return slices.ContainsFunc(v.r.Files, func(e scene.Thing) bool { return e.Typ.Fits(t) })
}

// held reports whether a tool can extract the type from a named file: the sound of a video.
func (v *handing) held(t plan.Type) bool {
	return v.Makes(t, func(f *profile.Profile) bool {
		return strings.HasSuffix(f.Domain, "-processing") && len(f.Needs) == 1 && f.Texts == 0 && v.files[f.Needs[0]] > 0
	})
}

// byImplied compares the tool's inputs with the things that the clause may mean without naming them.
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
			fit *= Hardly // "how many legs has a spider" is not about a picture
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

// elsewhere reports whether the tool works on another kind of media than the latest result, and the clause does not
// mention that kind: after "take a still", "write BOSS at the top" is for the still.
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

// byMarks compares the tool's inputs with a picture and its marks. A tool that changes whole pictures would change too
// much; one that only analyses can get the cut-out part.
func (v *handing) byMarks(f *profile.Profile) float64 {
	takes := slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return profile.MarkType(a.Type) && v.files[a.Type] > 0 }) // takes the mark itself
	keeps := f.TakesMark() && f.Returns == plan.Image && !f.RequiresText(plan.Prompt)
	switch {
	case v.ordered != scene.NoEffect && !keeps:
		return badly
	case f.TakesMark() && takes:
		return strongly
	case f.Returns == plan.Image && slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return a.Type == plan.BBox }):
		return badly // a mask or a point does not become a box
	case f.TakesMark() && f.RequiresText(plan.Prompt) && !v.Any("lifting", v.r.Words):
		return 1
	case f.TakesMark():
		return Partly
	case v.r.Form == retrieve.Count && f.Returns == plan.Text && !f.TextOnly:
		return 1 // it can count in the cut-out part
	case !f.Takes(plan.Image), f.Returns == plan.Image:
		return badly
	}
	return slightly
}

// lone reports whether the only thing is a single file.
func lone(things []scene.Thing) bool { return len(things) == 1 && !things[0].Many }
