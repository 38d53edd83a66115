// Package match finds the tool that a clause asks for, and whether the clause means what is marked on a picture.
package match

import (
	"cmp"
	"math"
	"slices"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/told"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// How near a tool must be to a clause, from 0 to 1.
const (
	Sure    = 0.34 // enough to act on
	hopeful = 0.24 // enough if the clause says plainly what it is about
	general = 0.44 // the least for a tool that any clause of the form can be put to
)

// far is the score of a tool that what the clause states cannot bring near.
const far = hopeful / (2 * strongly)

// What speaks for a tool and against it is weighed by a few grades, which multiply.
const (
	strongly = 1.5
	clearly  = 1.3
	slightly = 0.9
	Partly   = 0.75
	Hardly   = 0.5
	badly    = 0.3
)

// Matcher finds the tool that a clause asks for.
type Matcher struct{ *told.Reader }

// View is a clause as it is held against the tools: all that is the same for each of them.
type View struct {
	*told.Reader

	r       *scene.Reading
	implied []scene.Thing      // media that it may mean without naming a file
	files   map[plan.Type]int  // how many files of each type it names
	direct  map[plan.Type]bool // types at hand
	can     map[plan.Type]bool // what can be made of them
	classes []string           // of the words that say something, but for its verb
	colours profile.Set        // those of them that are colours
	quotes  int
	units   []quantity.Unit // of the quantities that it states
	last    plan.Type       // what was made or spoken of last
	wanted  plan.Type       // the kind of thing that it asks for by name
	maps    []plan.Type     // maps that it speaks of as given
	novel   bool            // no tool explains all of its words
	strange bool            // no tool explains any of them
	valued  bool            // it is a setting of a tool and nothing else: "make it sepia"
	unaided int             // the fewest words unexplained by a near tool that needs no file
	exact   bool            // a tool that answers no other question explains all of its words
	ordered scene.Fate      // of the marked part
	column  bool            // it names a column of a table that is at hand
}

// New returns the matcher of the clauses of a request.
func New(s *scene.Scene) *Matcher { return &Matcher{told.New(s)} }

// Match finds the tool that gives what the clause asks for.
func (m *Matcher) Match(r *scene.Reading) {
	v := m.View(r)
	features := v.features()
	near, examples := make([]float64, len(m.Profiles)), make([]string, len(m.Profiles))
	for _, h := range m.Index.Search(features) {
		near[m.ByName[h.Tool]], examples[m.ByName[h.Tool]] = h.Score, h.Example
	}
	rests := make([]int, len(m.Profiles))
	for i := range m.Profiles {
		rests[i] = v.Unexplained(&m.Profiles[i])
	}
	v.novel = len(rests) == 0 || slices.Min(rests) > 0
	v.strange = v.novel && (len(rests) == 0 || slices.Min(rests) == len(v.classes)+2*v.quotes)
	v.unaided = math.MaxInt
	for i := range m.Profiles {
		v.valued = v.valued || rests[i] == 0 && v.IsSetting(&m.Profiles[i])
		if m.Profiles[i].TextOnly && near[i] > profile.Plainly {
			v.unaided = min(v.unaided, rests[i])
		}
		f := &m.Profiles[i]
		v.exact = v.exact || near[i] > profile.Plainly && rests[i] == 0 && !f.Wants(plan.Query) && !f.TextOnly && v.byThings(f) >= 1
	}
	r.Rivals = r.Rivals[:0]
	for i := range m.Profiles {
		f, rest := &m.Profiles[i], rests[i]
		score := v.byWords(f, near[i], rest)
		if score == 0 {
			continue
		}
		fit := v.byThings(f)
		score *= fit
		if score > far { // else no value brings it near
			score *= v.byValues(f)
		}
		if !f.TextOnly && v.unaided < rest {
			score *= slightly
		}
		begun := v.beginsLike(f)
		if fit <= Hardly { // it takes other files
			begun = 0
		}
		if begun > 0 {
			score = 1
		}
		r.Rivals = append(r.Rivals, scene.Rival{Tool: f, Near: near[i], Score: min(1, score), Rest: rest, Example: examples[i], Begun: begun})
	}
	slices.SortStableFunc(r.Rivals, func(a, b scene.Rival) int {
		return cmp.Or(cmp.Compare(b.Begun, a.Begun), cmp.Compare(b.Score, a.Score))
	})
	r.Head, r.Score = &profile.Profile{}, 0
	if len(r.Rivals) > 0 {
		r.Head, r.Score = r.Rivals[0].Tool, r.Rivals[0].Score
	}
}

// shortOpening is how many words an example must have to be the beginning of a longer request.
const shortOpening = 3

// Unexplained counts the words that neither grammar nor the tool explains. A quotation counts as two.
func (v *View) Unexplained(f *profile.Profile) int {
	n := 2 * v.quotes
	for _, class := range v.classes {
		if !v.Index.Vocabulary(f.Name, class) && !f.Values[class] && (!f.Coloured || !v.colours[class]) {
			n++
		}
	}
	return n
}

// View holds a clause against the tools.
func (m *Matcher) View(r *scene.Reading) *View {
	v := &View{
		Reader: m.Reader, r: r, files: map[plan.Type]int{}, direct: map[plan.Type]bool{}, colours: profile.Set{},
		last: m.Things.Focus(), wanted: m.wanted(r),
	}
	if format := m.Format(r); v.wanted == "" && format != "" && r.Form == retrieve.Order {
		v.wanted = retrieve.FileType("." + format)
	}
	if len(r.Files) == 0 {
		seen := map[plan.Type]bool{}
		for _, e := range slices.Backward(m.Things) {
			if b := profile.Base(e.Typ); e.Typ.Media() && !seen[b] {
				seen[b] = true
				v.implied = append(v.implied, e)
			}
		}
	}
	hand := r.Files
	if len(hand) == 0 {
		hand = m.Things
	}
	for _, e := range r.Files {
		v.files[e.Typ]++
	}
	if r.Marked() && r.Form == retrieve.Order {
		v.ordered = m.Fate(r.Clause.Words)
	}
	for _, e := range hand {
		v.direct[e.Typ], v.direct[profile.Base(e.Typ)] = true, true
		v.direct[plan.AnyFile] = v.direct[plan.AnyFile] || e.Typ.Fits(plan.AnyFile)
	}
	v.can = m.Closure(scene.TypesOf(hand)...)
	for _, q := range r.Stated {
		if q.Unit != quantity.Number {
			v.units = append(v.units, q.Unit)
		}
	}
	for i, w := range r.Clause.Words {
		if typ, ok := english.MapNouns[w.Lower()]; ok && w.Kind == retrieve.Plain && (m.Determined(r.Clause.Words, i) && m.mayHoldMaps() || m.Things.Focus() == typ) {
			v.maps = append(v.maps, typ)
		}
	}
	v.column = v.namesColumn()
	v.collect()
	return v
}

// IsSure reports whether the tool that was found is meant: the less near it is, the plainer the
// clause must say what it is about.
func (m *Matcher) IsSure(r *scene.Reading) bool {
	switch {
	case r.Score < hopeful || r.Head.Name == "":
		return false
	case r.Score >= Sure || len(r.Files) > 0:
		return true
	case r.Head.TextOnly:
		return r.Head.Returns.Media()
	}
	return r.Refs.Points() || r.Rivals[0].Rest == 0
}

// IsSetting reports whether the clause gives the tool a value that it must be told, and the tool
// changes media of a type that is at hand.
func (v *View) IsSetting(f *profile.Profile) bool {
	return len(f.Media) == 1 && f.Media[0].Type == f.Returns && v.direct[f.Returns] &&
		slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
			return !a.Optional && a.Param != nil && (a.Param.Type == param.Adjustment || a.Param.Type == param.Choice) && a.Param.Reads(v.Said(v.r, a, f))
		})
}

// beginsLike counts the words of the longest example of an operator's own tool with which the clause begins. The
// operator has said of these words what they are to mean, whatever they mean to the built-in tools.
func (v *View) beginsLike(f *profile.Profile) int {
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

// features are the words of the clause, with the media that it hands over or may mean.
func (v *View) features() []string {
	features := v.Lexicon.Features(v.withoutReferences())
	if v.r.Marked() && v.r.Form == retrieve.Order {
		features = v.partFeatures(features)
	}
	add := func(t plan.Type) {
		if f := retrieve.MediaFeature(t); !slices.Contains(features, f) {
			features = append(features, f)
		}
	}
	for i, e := range v.implied {
		add(profile.Base(e.Typ))
		if i == 0 && v.r.Refs.Points() {
			add(e.Typ)
		}
	}
	for _, e := range v.r.Files {
		add(e.Typ)
		add(profile.Base(e.Typ))
	}
	return features
}

// withoutReferences leaves out the nouns by which a clause speaks of what is there ("read
// the summary aloud"): they do not say what is wanted now.
func (v *View) withoutReferences() []retrieve.Word {
	var out []retrieve.Word
	words, e := v.r.Clause.Words, v.Lists
	whole := v.r.Marked() && v.ordered != scene.Alone // "only" leaves nothing out but what it says itself
	for i, w := range words {
		noun := w.Lower()
		typ, isMap := english.MapNouns[noun]
		refers := e.In("results", noun) || e.In("text nouns", noun) && v.has(plan.Text) || e.In("sound nouns", noun) && v.has(plan.Audio) ||
			isMap && v.Things.Focus() == typ && len(v.r.Files) == 0
		there := refers && v.Determined(words, i) || v.isShown(words, i)
		if w.Kind == retrieve.Plain && (i > 0 && there || v.r.Marked() && v.SpeaksOfMark(words, i) || whole && e.Is("only", w)) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// isShown reports whether the word at i is the format of a file at hand that the clause speaks of: "this gif".
func (v *View) isShown(words []retrieve.Word, i int) bool {
	return i > 0 && retrieve.IsFormat(words[i].Lower()) && v.Determined(words, i) && v.ShownFormat(words, i)
}

func (v *View) has(typ plan.Type) bool { _, ok := v.Things.Latest(typ, scene.Anything); return ok }

// collect finds the words of the clause, and of what is said more about it, that a tool
// must explain.
func (v *View) collect() {
	words := v.r.Words
	_, several := v.Nth(1, plan.AnyFile)
	for i := 0; i < len(words); i++ {
		if words[i].IsQuote() {
			v.quotes++
		}
		if several && v.Counts(words, i) { // it only says which file is meant
			continue
		}
		if words[i].Kind != retrieve.Plain || v.r.Marked() && v.SpeaksOfMark(words, i) || v.measures(words[i]) || v.isShown(words, i) {
			continue
		}
		class, length := v.Lexicon.ClassAt(words, i)
		if length > 1 || (i > 0 || !v.CanOrder(words[0].Lower())) && !v.SaysNothing(words[i]) && !v.Is("amount words", words[i]) {
			v.classes = append(v.classes, class)
			v.colours[class] = v.colours[class] || profile.AnyColour.Reads(words[i].Text)
		}
		i += length - 1
	}
}

// measures reports whether the word belongs to a quantity with a unit: "44.1 kHz".
func (v *View) measures(w retrieve.Word) bool {
	return slices.ContainsFunc(v.r.Stated, func(q quantity.Quantity) bool {
		return slices.Contains(told.PlainUnits, q.Unit) && clause.Overlaps(w, q, v.r.Clause.Words[0].Start)
	})
}

// byWords is how near the tool is to what the clause says, whatever resources there are.
func (v *View) byWords(f *profile.Profile, near float64, rest int) float64 {
	if floor := v.floor(f, rest); floor > 0 {
		near = max(near, floor+near/5)
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
	if words := v.r.Clause.Words; len(words) > 0 && v.Is("excluding", words[0]) && !f.Takes(f.Returns) { // "without music" is no order to make some
		near *= badly
	}
	return min(1, near)
}

// namesFormat reports whether the clause names one of the formats, and not only that of a file at hand: "this heic".
func (v *View) namesFormat(formats []string) bool {
	words := v.r.Clause.Words
	return slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && slices.Contains(formats, w.Lower()) && !v.ShownFormat(words, slices.Index(words, w))
	})
}

// floor is how near a tool is at least, by the form of the clause alone: any question can be
// put to a tool that answers questions, and any writing asked of one that writes.
func (v *View) floor(f *profile.Profile, rest int) float64 {
	more := 0.02 * float64(len(f.Origins)) // a tool of several systems is the more general one
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
	case v.excerpts(f):
		return profile.Plainly
	case v.multiplies(f):
		return Sure
	case v.follows(f), v.fitsInto(f):
		return profile.Plainly
	case !handed || f.Texts != 1 || len(f.Media) > 1:
		return 0
	case media && v.unaided < rest: // "what time is it in Tokyo" is no question about a picture
	case f.Wants(plan.Query) && f.Returns == plan.Text:
		told := media && v.In("telling", v.r.Verb()) && rest > 1 && (len(v.r.Files) > 0 || v.Any("questions", v.r.Clause.Words))
		if question && (media || len(v.r.Files) == 0) || told || v.r.Form == retrieve.Count && !media && !v.Things.Media() {
			if told && !question {
				more += 0.02 // "tell me what time it shows" asks more than a description says
			}
			return general + more
		}
	case f.Wants(plan.Instruction) && f.Returns == plan.Image && media:
		if v.In("changing", v.r.Verb()) && rest > 0 && !v.valued && len(f.Origins) > 1 && len(v.units) == 0 {
			return badly + more
		}
	case f.Wants(plan.Instruction) && f.Returns == plan.Text && len(v.r.Files) == 0:
		ofMedia := (v.Things.Media() || v.Things.SentText()) && (v.In("making", v.r.Verb()) || v.r.Refs.Pronoun) // it is made of what is there
		if v.In("writing", v.r.Verb()) && rest > 0 && !ofMedia {
			return general - more
		}
	}
	return 0
}

// holds is how near the tool is at least where the clause states one value that is to hold of a file, and the tool
// does just that: "360p", "128 kbps".
func (v *View) holds(f *profile.Profile) float64 {
	if v.quotes > 0 || len(v.units) != 1 || !slices.Contains(told.PlainUnits, v.units[0]) {
		return 0
	}
	ordered := v.IsVerb(v.r.Words[0]) && !v.Is("ordering", v.r.Words[0])
	if ordered || len(f.Media) != 1 || f.Media[0].Many || f.Media[0].Type != f.Returns || !v.direct[f.Returns] {
		return 0
	}
	told := slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return a.Optional || a.Type.Media() })
	if len(told) == 0 { // what it is told has a default
		told = slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return a.Param == nil || !a.Param.Takes(v.units[0]) })
	}
	switch {
	case len(told) != 1 || told[0].Param == nil || !told[0].Param.Takes(v.units[0]):
		return 0
	case v.units[0] == quantity.Pixels && profile.Kind(told[0]) != param.Size:
		return 0
	case len(v.classes) == 0 || v.strange: // "make this 1080x1080 for insta"
		return profile.Plainly - 0.02*float64(len(f.Args)) // the plainest tool of them
	case v.units[0] == quantity.ByteCount && !v.Any("finite", v.r.Clause.Words): // nothing else limits a file
		return Sure
	}
	return 0
}

// excerpts reports whether the clause states a part of a sound or a video and nothing else, and the tool cuts it out:
// "0:03 to 0:07", "only the last 4 s please".
func (v *View) excerpts(f *profile.Profile) bool {
	if v.quotes > 0 || len(f.Media) != 1 || f.Media[0].Type != f.Returns || !v.direct[f.Returns] {
		return false
	}
	parts, cuts := f.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.TimeRanges })
	if !cuts || parts.Optional || len(v.r.Words) == 0 {
		return false
	}
	bare := func(w retrieve.Word) bool { return v.Is("ordering", w) || v.Is("only", w) }
	if first := v.r.Words[0]; v.IsVerb(first) && !bare(first) {
		return false
	}
	text := v.Span(v.r.Clause.Words)
	start, end := quantity.FindBounded(text)
	return end > 0 && !slices.ContainsFunc(v.r.Words, func(w retrieve.Word) bool {
		at := w.Start - v.r.Clause.Words[0].Start
		return (at < start || at >= end) && !w.IsMark() && !v.SaysNothing(w) && !bare(w) && !v.Is("parts", w)
	})
}

// ofPixels is in a list that is one of sizes whatever is done: "100 and 200 px wide".
var ofPixels = lazyregexp.New(`(?i)\d ?(?:px|pixels?|[x×]|by|p|wide|high|tall)\b|\d ?[x×] ?\d|\b(?:sizes|widths|heights)\b`)

// sizes is what the clause says of several sizes; "" if it says one at most.
func (v *View) sizes() string {
	text := v.Span(v.r.Clause.Words)
	start, end := quantity.FindSizes(text)
	return text[start:end]
}

// multiplies reports whether the clause wants a picture at hand in several sizes, and the tool does just that.
func (v *View) multiplies(f *profile.Profile) bool {
	_, several := f.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Sizes })
	return several && v.quotes == 0 && v.direct[f.Returns] && ofPixels.MatchString(v.sizes())
}

// follows reports whether the clause makes something new after a map that is at hand, and
// the tool does just that.
func (v *View) follows(f *profile.Profile) bool {
	paints := f.Returns == plan.Image && f.Wants(plan.Prompt) && len(f.Media) == 1
	if !v.novel || v.r.Form != retrieve.Order || !paints || !f.Media[0].Type.ImageMap() || profile.MarkType(f.Media[0].Type) {
		return false
	}
	after := f.Media[0].Type
	pointed := v.last == after && len(v.r.Files) == 0 && (v.r.Refs.Pronoun || v.r.Refs.Result || v.r.Refs.Plural || v.r.Refs.Definite[plan.Image])
	return pointed || v.files[after] > 0 || slices.Contains(v.maps, after)
}

// byValues weighs the settings that the clause states: a tool that takes them, or must be
// told others.
func (v *View) byValues(f *profile.Profile) float64 {
	fit := 1.0
	takes, fits := false, false
	for _, a := range f.Args {
		takes = takes || profile.Kind(a) != "" && !a.Optional
		fits = fits || v.takesStated(f, a)
		if !a.Optional {
			fit *= v.byRequired(f, a)
		}
	}
	if v.quotes > 0 && v.In("lettering", v.r.Verb()) && f.Returns.Media() && !f.Wants(plan.Content) && !v.captions(f) {
		fit *= Partly // it would not write what is quoted
	}
	if f.Wants(plan.Query) && v.UnknownOrder(v.r.Words) {
		fit *= badly // no order is a question
	}
	if f.Wants(plan.Query) && v.exact {
		fit *= slightly // any question could be put to it
	}
	switch {
	case !v.valued:
	case v.Unexplained(f) == 0 && v.IsSetting(f):
		fit *= strongly
	case f.Wants(plan.Instruction):
		fit *= Hardly
	}
	if f.Wants(plan.Instruction) && f.TextOnly && v.Things.SentText() && len(v.r.Files) == 0 {
		fit *= Partly // the text that was sent would be left over
	}
	if f.Wants(plan.Query) && f.TextOnly && v.column {
		fit *= Hardly // the tools for tables come first
	}
	switch {
	case fits || len(v.units) == 0:
	case takes:
		fit *= Hardly
	case slices.ContainsFunc(v.units, func(u quantity.Unit) bool { return u != quantity.ByteCount }): // a limit is a step of its own
		fit *= Partly
	}
	return fit
}

// captions reports whether the clause quotes captions, and the tool may be told some beside what it does.
func (v *View) captions(f *profile.Profile) bool {
	_, takes := f.Arg(func(a toolbox.Arg) bool { return a.Optional && a.Meaning == plan.Content })
	words := v.r.Clause.Words
	at := slices.IndexFunc(words, retrieve.Word.IsQuote)
	return takes && at > 0 && v.Is("captioning", words[at-1])
}

var atFactor = lazyregexp.New(`(?i)\bat \d+(?:\.\d+)? ?[x×]`)

// byRequired weighs what the clause says for an argument that the tool must be told.
func (v *View) byRequired(f *profile.Profile, a toolbox.Arg) float64 {
	fit := 1.0
	switch {
	case a.Param == nil:
	case a.Param.Type == param.Condition && v.PhraseFor(v.r, *a.Param) == "":
		fit = Hardly
	case a.Param.Type == param.Condition, a.Param.Type == param.Text && v.column, a.Param.Type == param.Sizes && v.sizes() != "":
		fit = strongly
	case a.Param.Type == param.Sizes, a.Param.Type == param.Size && v.sizes() != "": // one size is not several
		fit = Hardly
	case a.Param.Type == param.Integer && atFactor.MatchString(v.Text):
		fit = Hardly // "play it at 2x" is no number of times
	case a.Param.Type == param.Choice && v.PhraseFor(v.r, *a.Param) == "":
		fit = Partly
	case a.Param.Type == param.Choice && v.names(f.Choices):
		fit = clearly
	}
	if a.Type != plan.Text {
		return fit
	}
	switch a.Meaning {
	case plan.Format, plan.Language, plan.Amount:
		switch said := v.Said(v.r, a, f); {
		case said == "":
			fit *= Partly
		case a.Meaning == plan.Format && retrieve.FileType("."+said) != "" && retrieve.FileType("."+said) != f.Returns:
			fit *= Hardly
		}
	case plan.Place:
		fit *= v.byPlace(f, a)
	case plan.Content:
		if v.quotes > 0 && !f.TextOnly && f.Returns.Media() && v.In("inscribing", v.r.Verb()) { // add "Hello" at the top
			fit *= strongly
		}
	default: // whatever is left of the clause says it
	}
	return fit
}

// names reports whether the clause has one of the words.
func (v *View) names(words profile.Set) bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool { return words[w.Lower()] })
}

// namesColumn reports whether the clause names a column of a table that is at hand.
func (v *View) namesColumn() bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && !v.Lexicon.Stop(w.Lower()) && v.Columns[w.Lower()]
	})
}

// byPlace weighs whether the clause says where, for a tool that must be told.
func (v *View) byPlace(f *profile.Profile, a toolbox.Arg) float64 {
	text := v.Said(v.r, a, f)
	switch said := text != "" && (a.Param == nil || a.Param.Reads(text)); {
	case f.Returns.Media() && said:
		return clearly
	case a.Param != nil && !said:
		return slightly
	}
	return 1
}

// takesStated reports whether the argument takes a quantity that the clause states.
func (v *View) takesStated(f *profile.Profile, a toolbox.Arg) bool {
	return slices.ContainsFunc(v.units, func(u quantity.Unit) bool {
		if u == quantity.Clock && profile.Kind(a) == param.Region { // "16:9", and not "0:20"
			return a.Param.Reads(v.Said(v.r, a, f))
		}
		return a.Param != nil && a.Param.Takes(u)
	})
}
