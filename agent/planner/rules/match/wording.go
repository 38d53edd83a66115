package match

import (
	"math"
	"slices"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// wording weighs the words of a clause for each tool.
type wording struct {
	*Features

	wanted  plan.Type   // the type of result that the clause names
	maps    []plan.Type // maps that it refers to as given
	novel   bool        // no tool explains all of its words
	strange bool        // no tool explains any of them
	unaided int         // fewest words unexplained by a similar tool that needs no file
}

// newWording reads the words of a clause. Near is the similarity of each tool, and rests the number of words that it does
// not explain.
func newWording(v *Features, near []float64, rests []int) *wording {
	w := &wording{Features: v, wanted: v.wanted(), unaided: math.MaxInt}
	if format := v.Format(v.r); w.wanted == "" && format != "" && v.r.Form == retrieve.Order {
		w.wanted = retrieve.FileType("." + format)
	}
	words := v.r.Clause.Words
	for i, o := range words {
		if typ, ok := english.MapNouns[o.Lower()]; ok && o.Kind == retrieve.Plain && (v.Determined(words, i) && v.mayHoldMaps() || v.last == typ) {
			w.maps = append(w.maps, typ)
		}
	}
	w.novel = len(rests) == 0 || slices.Min(rests) > 0
	w.strange = w.novel && (len(rests) == 0 || slices.Min(rests) == len(v.classes)+2*v.quotes)
	for i, rest := range rests {
		if v.Profiles[i].TextOnly && near[i] > profile.MinSimilarity {
			w.unaided = min(w.unaided, rest)
		}
	}
	return w
}

// weigh returns the similarity of the tool and the clause, independent of resources.
func (v *wording) weigh(f *profile.Profile, near float64, rest int) float64 {
	if floor := v.floor(f, rest); floor > 0 {
		near = max(near, floor+near/5)
	}
	if f.Returns == plan.Facts && rest == 0 && near > Hopeful && v.r.Form == retrieve.YesNo {
		near *= strongly // "is there metadata in it?" asks about the file, not about what it shows
	}
	switch v.wanted {
	case "":
	case f.Returns:
		near *= clearly
	default:
		near *= Partly
	}
	if f.Written != nil && !v.namesFormat(f.Written) {
		return 0
	}
	if words := v.r.Clause.Words; len(words) > 0 && v.Is("excluding", words[0]) && !f.Takes(f.Returns) { // "without music" is not an order to make some
		near *= badly
	}
	return min(1, near)
}

// namesFormat reports whether the clause names one of the formats other than as a given file: "this heic".
func (v *wording) namesFormat(formats []string) bool {
	words := v.r.Clause.Words
	return slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && slices.Contains(formats, w.Lower()) && !v.ShownFormat(words, slices.Index(words, w))
	})
}

// floor returns the minimum similarity of a tool by the form of the clause alone: a tool that answers questions takes any
// question, and one that writes takes any request for a text.
func (v *wording) floor(f *profile.Profile, rest int) float64 {
	more := 0.02 * float64(len(f.Origins)) // a tool found in several systems is more general
	media := slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return a.Type.Media() })
	question := v.r.Form != retrieve.Order && v.r.Form != retrieve.Count && !v.Complains(v.r.Clause.Words)
	handed := !media || len(v.r.Files) == 0 && v.Things.Media() || slices.ContainsFunc(v.r.Files, func(e scene.Thing) bool {
		return slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return e.Typ.Fits(a.Type) })
	})
	switch {
	case v.redraws(f, rest) > 0:
		return v.redraws(f, rest)
	case v.holds(f) > 0:
		return v.holds(f)
	case v.excerpts(f) > 0:
		return v.excerpts(f)
	case v.multiplies(f):
		return Sure
	case v.follows(f), v.fitsInto(f):
		return profile.MinSimilarity
	case !handed || f.Texts != 1 || len(f.Media) > 1:
		return 0
	case media && v.unaided < rest: // "what time is it in Tokyo" is not a question about a picture
	case f.RequiresText(plan.Query) && f.Returns == plan.Text:
		told := media && v.In("telling", v.r.Verb()) && rest > 1 && (len(v.r.Files) > 0 || v.Any("questions", v.r.Clause.Words))
		if question && (media || len(v.r.Files) == 0) || told || v.r.Form == retrieve.Count && !media && !v.Things.Media() {
			if told && !question {
				more += 0.02 // "tell me what time it shows" asks more than a description says
			}
			return general + more
		}
	case f.RequiresText(plan.Instruction) && f.Returns == plan.Image && media:
		if v.In("changing", v.r.Verb()) && rest > 0 && !v.valued && len(f.Origins) > 1 && len(v.units) == 0 {
			return badly + more
		}
	case f.RequiresText(plan.Instruction) && f.Returns == plan.Text && len(v.r.Files) == 0:
		ofMedia := (v.Things.Media() || v.Things.SentText()) && (v.In("making", v.r.Verb()) || v.r.Refs.Pronoun) // it is made from existing media
		if v.In("writing", v.r.Verb()) && rest > 0 && !ofMedia {
			return general - more
		}
	}
	return 0
}

// holds returns the minimum similarity of a tool that does nothing but reach the only value that the clause states:
// "360p", "128 kbps".
func (v *wording) holds(f *profile.Profile) float64 {
	if v.quotes > 0 || len(v.units) != 1 || !slices.Contains(values.PlainUnits, v.units[0]) {
		return 0
	}
	ordered := v.IsVerb(v.r.Words[0]) && !v.Is("ordering", v.r.Words[0])
	if ordered || len(f.Media) != 1 || f.Media[0].Many || f.Media[0].Type != f.Returns || !v.direct[f.Returns] {
		return 0
	}
	told := slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return a.Optional || a.Type.Media() })
	if len(told) == 0 { // its values have defaults
		told = slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return a.Param == nil || !a.Param.Takes(v.units[0]) })
	}
	switch {
	case len(told) != 1 || told[0].Param == nil || !told[0].Param.Takes(v.units[0]):
		return 0
	case v.units[0] == quantity.Pixels && profile.Kind(told[0]) != param.Size:
		return 0
	case len(v.classes) == 0 || v.strange: // "make this 1080x1080 for insta"
		return profile.MinSimilarity - 0.02*float64(len(f.Args)) // prefer the simplest tool
	case v.units[0] == quantity.ByteCount && !v.Any("finite", v.r.Clause.Words): // nothing else limits a file
		return Sure
	}
	return 0
}

// excerpts returns the minimum similarity of a tool that cuts parts of a sound or a video, if the clause only states such
// parts, which stay or go: "0:03 to 0:07", "only the last 4 s please", "remove the second half of it".
func (v *wording) excerpts(f *profile.Profile) float64 {
	if v.quotes > 0 || len(f.Media) != 1 || f.Media[0].Type != f.Returns || !v.direct[f.Returns] {
		return 0
	}
	parts, cuts := f.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.TimeRanges })
	if !cuts || parts.Optional || len(v.r.Words) == 0 {
		return 0
	}
	removes := v.RemovesPart(v.r.Words)
	goes := func(w retrieve.Word) bool {
		return v.Is("dropping words", w) || v.Is("cutting", w) || v.Is("away", w) || v.Is("pronouns", w)
	}
	bare := func(w retrieve.Word) bool { return v.Is("ordering", w) || v.Is("only", w) || removes && goes(w) }
	if first := v.r.Words[0]; v.IsVerb(first) && !bare(first) {
		return 0
	}
	other := func(w retrieve.Word) bool {
		return v.IsMedia(w) && v.Lexicon.MediaNoun([]retrieve.Word{w}) != f.Returns
	}
	if removes && slices.ContainsFunc(v.r.Words, other) { // "remove the sound of the second half"
		return 0
	}
	text := v.Span(v.r.Clause.Words)
	start, end := quantity.FindBounded(text)
	further := slices.ContainsFunc(v.r.Words, func(w retrieve.Word) bool {
		at := w.Start - v.r.Clause.Words[0].Start
		return (at < start || at >= end) && !w.IsMark() && !v.IsFiller(w) && !bare(w) && !v.Is("parts", w)
	})
	switch {
	case end == 0 || further:
		return 0
	case removes: // nothing else is said to go from it, such as its sound
		return 1
	}
	return profile.MinSimilarity
}

// severalSizes is a parameter that takes a list of sizes.
var severalSizes = param.Param{Type: param.Sizes}

// ofPixels matches text that makes a list one of sizes, whatever the order: "100 and 200 px wide".
var ofPixels = lazyregexp.New(`(?i)\d ?(?:px|pixels?|[x×]|by|p|wide|high|tall)\b|\d ?[x×] ?\d|\b(?:sizes|widths|heights)\b`)

// multiplies reports whether the clause wants a given picture in several sizes, and the tool does exactly that.
func (v *wording) multiplies(f *profile.Profile) bool {
	_, several := f.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Sizes })
	return several && v.quotes == 0 && v.direct[f.Returns] && ofPixels.MatchString(v.PhraseFor(v.r, severalSizes))
}

// follows reports whether the clause makes something new from an existing map, and the tool does exactly that.
func (v *wording) follows(f *profile.Profile) bool {
	paints := f.Returns == plan.Image && f.RequiresText(plan.Prompt) && len(f.Media) == 1
	if !v.novel || v.r.Form != retrieve.Order || !paints || !f.Media[0].Type.ImageMap() || profile.MarkType(f.Media[0].Type) {
		return false
	}
	after := f.Media[0].Type
	pointed := v.last == after && len(v.r.Files) == 0 && (v.r.Refs.Pronoun || v.r.Refs.Result || v.r.Refs.Plural || v.r.Refs.Definite[plan.Image])
	return pointed || v.files[after] > 0 || slices.Contains(v.maps, after)
}

// fitsInto reports whether the clause asks to fit all of something into a duration, and the tool does exactly that.
func (v *wording) fitsInto(f *profile.Profile) bool {
	_, paces := f.Pace()
	_, ok := v.Pace.Lasting(v.r)
	return ok && paces && v.Is("fitting", v.r.Words[0]) && v.direct[f.Returns]
}

// redraws returns the minimum similarity of a tool that changes the marked part as described in words; 0 if the clause
// does not ask for that.
func (v *wording) redraws(f *profile.Profile, rest int) float64 {
	orders := v.r.Form == retrieve.Order && !v.Any("lifting", v.r.Words) && !v.In("looking", v.r.Verb()) && (rest > 0 || v.CanOrder(v.r.Verb()))
	if !v.r.Marked() || !orders || v.ordered != scene.NoEffect || f.Returns != plan.Image || !f.TakesMark() || !f.RequiresText(plan.Prompt) {
		return 0
	}
	return general
}

// shortOpening is the minimum number of words of an example that may be the start of a longer request.
const shortOpening = 3

// beginsLike returns the number of words of the longest example of an operator's own tool at the start of the clause. The
// operator defines their meaning, which takes precedence over built-in tools.
func (v *wording) beginsLike(f *profile.Profile) int {
	if !slices.Contains(f.Origins, toolbox.Own) {
		return 0
	}
	if len(v.r.Words) == 0 {
		return 0
	}
	begun, said := 0, english.WordsOf(v.Span(slices.Concat(v.r.Words[:1], v.r.Clause.Words[len(v.r.Clause.Words)-1:])))
	for _, e := range f.Plain {
		words := english.WordsOf(e)
		if n := len(words); n <= len(said) && slices.Equal(words, said[:n]) && (n >= shortOpening || n == len(said)) {
			begun = max(begun, n)
		}
	}
	return begun
}
