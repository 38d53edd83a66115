package rules

import (
	"cmp"
	"math"
	"slices"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// How near a tool must be to a clause, from 0 to 1.
const (
	sure    = 0.34 // enough to act on
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
	partly   = 0.75
	hardly   = 0.5
	badly    = 0.3
)

// matcher finds the tool that a clause asks for.
type matcher struct{ *settings }

// view is a clause as it is held against the tools: all that is the same for each of them.
type view struct {
	*settings

	r       *reading
	implied []thing            // media that it may mean without naming a file
	files   map[plan.Type]int  // how many files of each type it names
	direct  map[plan.Type]bool // types at hand
	can     map[plan.Type]bool // what can be made of them
	classes []string           // of the words that say something, but for its verb
	colours set                // those of them that are colours
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
	ordered fate            // of the marked part
	column  bool            // it names a column of a table that is at hand
}

// match finds the tool that gives what the clause asks for.
func (m *matcher) match(r *reading) {
	v := m.view(r)
	features := v.features()
	near, examples := make([]float64, len(m.profiles)), make([]string, len(m.profiles))
	for _, h := range m.index.Search(features) {
		near[m.byName[h.Tool]], examples[m.byName[h.Tool]] = h.Score, h.Example
	}
	rests := make([]int, len(m.profiles))
	for i := range m.profiles {
		rests[i] = v.unexplained(&m.profiles[i])
	}
	v.novel = len(rests) == 0 || slices.Min(rests) > 0
	v.strange = v.novel && (len(rests) == 0 || slices.Min(rests) == len(v.classes)+2*v.quotes)
	v.unaided = math.MaxInt
	for i := range m.profiles {
		v.valued = v.valued || rests[i] == 0 && v.isSetting(&m.profiles[i])
		if m.profiles[i].textOnly && near[i] > plainly {
			v.unaided = min(v.unaided, rests[i])
		}
		f := &m.profiles[i]
		v.exact = v.exact || near[i] > plainly && rests[i] == 0 && !f.wants(plan.Query) && !f.textOnly && v.byThings(f) >= 1
	}
	r.rivals = r.rivals[:0]
	for i := range m.profiles {
		f, rest := &m.profiles[i], rests[i]
		score := v.byWords(f, near[i], rest)
		if score == 0 {
			continue
		}
		fit := v.byThings(f)
		score *= fit
		if score > far { // else no value brings it near
			score *= v.byValues(f)
		}
		if !f.textOnly && v.unaided < rest {
			score *= slightly
		}
		begun := v.beginsLike(f)
		if fit <= hardly { // it takes other files
			begun = 0
		}
		if begun > 0 {
			score = 1
		}
		r.rivals = append(r.rivals, rival{tool: f, near: near[i], score: min(1, score), rest: rest, example: examples[i], begun: begun})
	}
	slices.SortStableFunc(r.rivals, func(a, b rival) int { return cmp.Or(cmp.Compare(b.begun, a.begun), cmp.Compare(b.score, a.score)) })
	r.head, r.score = &profile{}, 0
	if len(r.rivals) > 0 {
		r.head, r.score = r.rivals[0].tool, r.rivals[0].score
	}
}

// shortOpening is how many words an example must have to be the beginning of a longer request.
const shortOpening = 3

// beginsLike counts the words of the longest example of an operator's own tool with which the clause begins. The
// operator has said of these words what they are to mean, whatever they mean to the built-in tools.
func (v *view) beginsLike(f *profile) int {
	if !slices.Contains(f.Origins, toolbox.Own) {
		return 0
	}
	if len(v.r.words) == 0 {
		return 0
	}
	begun, said := 0, english.WordsOf(v.span(slices.Concat(v.r.words[:1], v.r.clause.words[len(v.r.clause.words)-1:])))
	for _, e := range f.plain {
		words := english.WordsOf(e)
		if n := len(words); n <= len(said) && slices.Equal(words, said[:n]) && (n >= shortOpening || n == len(said)) {
			begun = max(begun, n)
		}
	}
	return begun
}

func (m *matcher) view(r *reading) *view {
	v := &view{
		settings: m.settings, r: r, files: map[plan.Type]int{}, direct: map[plan.Type]bool{}, colours: set{},
		last: m.focus(), wanted: m.wanted(r),
	}
	if format := m.format(r); v.wanted == "" && format != "" && r.form == retrieve.Order {
		v.wanted = retrieve.FileType("." + format)
	}
	if len(r.files) == 0 {
		seen := map[plan.Type]bool{}
		for _, e := range slices.Backward(m.things) {
			if b := base(e.typ); e.typ.Media() && !seen[b] {
				seen[b] = true
				v.implied = append(v.implied, e)
			}
		}
	}
	hand := r.files
	if len(hand) == 0 {
		hand = m.things
	}
	for _, e := range r.files {
		v.files[e.typ]++
	}
	if r.marked() && r.form == retrieve.Order {
		v.ordered = m.fate(r.clause.words)
	}
	for _, e := range hand {
		v.direct[e.typ], v.direct[base(e.typ)] = true, true
		v.direct[plan.AnyFile] = v.direct[plan.AnyFile] || e.typ.Fits(plan.AnyFile)
	}
	v.can = m.closure(typesOf(hand)...)
	for _, q := range r.stated {
		if q.Unit != quantity.Number {
			v.units = append(v.units, q.Unit)
		}
	}
	for i, w := range r.clause.words {
		if typ, ok := english.MapNouns[w.Lower()]; ok && w.Kind == retrieve.Plain && (m.Determined(r.clause.words, i) || m.focus() == typ) {
			v.maps = append(v.maps, typ)
		}
	}
	v.column = v.namesColumn()
	v.collect()
	return v
}

// isSure reports whether the tool that was found is meant: the less near it is, the plainer the
// clause must say what it is about.
func (m *matcher) isSure(r *reading) bool {
	switch {
	case r.score < hopeful || r.head.Name == "":
		return false
	case r.score >= sure || len(r.files) > 0:
		return true
	case r.head.textOnly:
		return r.head.Returns.Media()
	}
	return r.refs.points() || r.rivals[0].rest == 0
}

// features are the words of the clause, with the media that it hands over or may mean.
func (v *view) features() []string {
	features := v.Lexicon.Features(v.withoutReferences())
	if v.r.marked() && v.r.form == retrieve.Order {
		features = v.partFeatures(features)
	}
	add := func(t plan.Type) {
		if f := retrieve.MediaFeature(t); !slices.Contains(features, f) {
			features = append(features, f)
		}
	}
	for i, e := range v.implied {
		add(base(e.typ))
		if i == 0 && v.r.refs.points() {
			add(e.typ)
		}
	}
	for _, e := range v.r.files {
		add(e.typ)
		add(base(e.typ))
	}
	return features
}

// withoutReferences leaves out the nouns by which a clause speaks of what is there ("read
// the summary aloud"): they do not say what is wanted now.
func (v *view) withoutReferences() []retrieve.Word {
	var out []retrieve.Word
	words, e := v.r.clause.words, v.Lists
	whole := v.r.marked() && v.ordered != alone // "only" leaves nothing out but what it says itself
	for i, w := range words {
		noun := w.Lower()
		typ, isMap := english.MapNouns[noun]
		refers := e.In("results", noun) || e.In("text nouns", noun) && v.has(plan.Text) || e.In("sound nouns", noun) && v.has(plan.Audio) ||
			isMap && v.focus() == typ && len(v.r.files) == 0
		if w.Kind == retrieve.Plain && (i > 0 && refers && v.Determined(words, i) || v.r.marked() && v.SpeaksOfMark(words, i) || whole && e.Is("only", w)) {
			continue
		}
		out = append(out, w)
	}
	return out
}

func (v *view) has(typ plan.Type) bool { _, ok := v.latest(typ, anything); return ok }

// collect finds the words of the clause, and of what is said more about it, that a tool
// must explain.
func (v *view) collect() {
	words := v.r.words
	_, several := v.nth(1, plan.AnyFile)
	for i := 0; i < len(words); i++ {
		if words[i].IsQuote() {
			v.quotes++
		}
		if several && v.Counts(words, i) { // it only says which file is meant
			continue
		}
		if words[i].Kind != retrieve.Plain || v.r.marked() && v.SpeaksOfMark(words, i) || v.measures(words[i]) {
			continue
		}
		class, length := v.Lexicon.ClassAt(words, i)
		if length > 1 || (i > 0 || !v.CanOrder(words[0].Lower())) && !v.SaysNothing(words[i]) && !v.Is("amount words", words[i]) {
			v.classes = append(v.classes, class)
			v.colours[class] = v.colours[class] || anyColour.Reads(words[i].Text)
		}
		i += length - 1
	}
}

// measures reports whether the word belongs to a quantity with a unit: "44.1 kHz".
func (v *view) measures(w retrieve.Word) bool {
	return slices.ContainsFunc(v.r.stated, func(q quantity.Quantity) bool {
		return slices.Contains(plainUnits, q.Unit) && overlaps(w, q, v.r.clause.words[0].Start)
	})
}

// unexplained counts the words that neither grammar nor the tool explains. A quotation counts as two.
func (v *view) unexplained(f *profile) int {
	n := 2 * v.quotes
	for _, class := range v.classes {
		if !v.index.Vocabulary(f.Name, class) && !f.values[class] && (!f.coloured || !v.colours[class]) {
			n++
		}
	}
	return n
}

// byWords is how near the tool is to what the clause says, whatever resources there are.
func (v *view) byWords(f *profile, near float64, rest int) float64 {
	if floor := v.floor(f, rest); floor > 0 {
		near = max(near, floor+near/5)
	}
	switch v.wanted {
	case "":
	case f.Returns:
		near *= clearly
	default:
		near *= partly
	}
	if f.written != nil && !v.namesFormat(f.written) {
		return 0
	}
	if words := v.r.clause.words; len(words) > 0 && v.Is("excluding", words[0]) && !f.takes(f.Returns) { // "without music" is no order to make some
		near *= badly
	}
	return min(1, near)
}

// namesFormat reports whether the clause names one of the formats, and not only that of a file at hand: "this heic".
func (v *view) namesFormat(formats []string) bool {
	words := v.r.clause.words
	return slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && slices.Contains(formats, w.Lower()) && !v.shownFormat(words, slices.Index(words, w))
	})
}

// floor is how near a tool is at least, by the form of the clause alone: any question can be
// put to a tool that answers questions, and any writing asked of one that writes.
func (v *view) floor(f *profile, rest int) float64 {
	more := 0.02 * float64(len(f.Origins)) // a tool of several systems is the more general one
	media := slices.ContainsFunc(f.media, func(a toolbox.Arg) bool { return a.Type.Media() })
	question := v.r.form != retrieve.Order && v.r.form != retrieve.Count && !v.Complains(v.r.clause.words)
	handed := !media || len(v.r.files) == 0 && v.media() || slices.ContainsFunc(v.r.files, func(e thing) bool {
		return slices.ContainsFunc(f.media, func(a toolbox.Arg) bool { return e.typ.Fits(a.Type) })
	})
	switch {
	case v.redraws(f, rest) > 0:
		return v.redraws(f, rest)
	case v.holds(f) > 0:
		return v.holds(f)
	case v.excerpts(f):
		return plainly
	case v.multiplies(f):
		return sure
	case v.follows(f), v.fitsInto(f):
		return plainly
	case !handed || f.texts != 1 || len(f.media) > 1:
		return 0
	case media && v.unaided < rest: // "what time is it in Tokyo" is no question about a picture
	case f.wants(plan.Query) && f.Returns == plan.Text:
		told := media && v.In("telling", v.r.verb()) && rest > 1 && (len(v.r.files) > 0 || v.Any("questions", v.r.clause.words))
		if question && (media || len(v.r.files) == 0) || told || v.r.form == retrieve.Count && !media && !v.media() {
			if told && !question {
				more += 0.02 // "tell me what time it shows" asks more than a description says
			}
			return general + more
		}
	case f.wants(plan.Instruction) && f.Returns == plan.Image && media:
		if v.In("changing", v.r.verb()) && rest > 0 && !v.valued && len(f.Origins) > 1 && len(v.units) == 0 {
			return badly + more
		}
	case f.wants(plan.Instruction) && f.Returns == plan.Text && len(v.r.files) == 0:
		ofMedia := (v.media() || v.sentText()) && (v.In("making", v.r.verb()) || v.r.refs.pronoun) // it is made of what is there
		if v.In("writing", v.r.verb()) && rest > 0 && !ofMedia {
			return general - more
		}
	}
	return 0
}

// holds is how near the tool is at least where the clause states one value that is to hold of a file, and the tool
// does just that: "360p", "128 kbps".
func (v *view) holds(f *profile) float64 {
	if v.quotes > 0 || len(v.units) != 1 || !slices.Contains(plainUnits, v.units[0]) {
		return 0
	}
	ordered := v.IsVerb(v.r.words[0]) && !v.Is("ordering", v.r.words[0])
	if ordered || len(f.media) != 1 || f.media[0].Many || f.media[0].Type != f.Returns || !v.direct[f.Returns] {
		return 0
	}
	told := slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return a.Optional || a.Type.Media() })
	if len(told) == 0 { // what it is told has a default
		told = slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return a.Param == nil || !a.Param.Takes(v.units[0]) })
	}
	switch {
	case len(told) != 1 || told[0].Param == nil || !told[0].Param.Takes(v.units[0]):
		return 0
	case v.units[0] == quantity.Pixels && kind(told[0]) != param.Size:
		return 0
	case len(v.classes) == 0 || v.strange: // "make this 1080x1080 for insta"
		return plainly - 0.02*float64(len(f.Args)) // the plainest tool of them
	case v.units[0] == quantity.ByteCount && !v.Any("finite", v.r.clause.words): // nothing else limits a file
		return sure
	}
	return 0
}

// excerpts reports whether the clause states a part of a sound or a video and nothing else, and the tool cuts it out:
// "0:03 to 0:07", "only the last 4 s please".
func (v *view) excerpts(f *profile) bool {
	if v.quotes > 0 || len(f.media) != 1 || f.media[0].Type != f.Returns || !v.direct[f.Returns] {
		return false
	}
	parts, cuts := f.arg(func(a toolbox.Arg) bool { return kind(a) == param.TimeRanges })
	if !cuts || parts.Optional || len(v.r.words) == 0 {
		return false
	}
	bare := func(w retrieve.Word) bool { return v.Is("ordering", w) || v.Is("only", w) }
	if first := v.r.words[0]; v.IsVerb(first) && !bare(first) {
		return false
	}
	text, _ := v.r.span(v.text)
	start, end := quantity.FindBounded(text)
	return end > 0 && !slices.ContainsFunc(v.r.words, func(w retrieve.Word) bool {
		at := w.Start - v.r.clause.words[0].Start
		return (at < start || at >= end) && !w.IsMark() && !v.SaysNothing(w) && !bare(w)
	})
}

// sizes is what the clause says of several sizes; "" if it says one at most.
func (v *view) sizes() string {
	text, _ := v.r.span(v.text)
	start, end := quantity.FindSizes(text)
	return text[start:end]
}

// ofPixels is in a list that is one of sizes whatever is done: "100 and 200 px wide".
var ofPixels = lazyregexp.New(`(?i)\d ?(?:px|pixels?|[x×]|by|p|wide|high|tall)\b|\d ?[x×] ?\d|\b(?:sizes|widths|heights)\b`)

// multiplies reports whether the clause wants a picture at hand in several sizes, and the tool does just that.
func (v *view) multiplies(f *profile) bool {
	_, several := f.arg(func(a toolbox.Arg) bool { return kind(a) == param.Sizes })
	return several && v.quotes == 0 && v.direct[f.Returns] && ofPixels.MatchString(v.sizes())
}

// follows reports whether the clause makes something new after a map that is at hand, and
// the tool does just that.
func (v *view) follows(f *profile) bool {
	paints := f.Returns == plan.Image && f.wants(plan.Prompt) && len(f.media) == 1
	if !v.novel || v.r.form != retrieve.Order || !paints || !f.media[0].Type.ImageMap() || markType(f.media[0].Type) {
		return false
	}
	after := f.media[0].Type
	pointed := v.last == after && len(v.r.files) == 0 && (v.r.refs.pronoun || v.r.refs.result || v.r.refs.plural || v.r.refs.definite[plan.Image])
	return pointed || v.files[after] > 0 || slices.Contains(v.maps, after)
}

// byValues weighs the settings that the clause states: a tool that takes them, or must be
// told others.
func (v *view) byValues(f *profile) float64 {
	fit := 1.0
	takes, fits := false, false
	for _, a := range f.Args {
		takes = takes || kind(a) != "" && !a.Optional
		fits = fits || v.takesStated(f, a)
		if !a.Optional {
			fit *= v.byRequired(f, a)
		}
	}
	if v.quotes > 0 && v.In("lettering", v.r.verb()) && f.Returns.Media() && !f.wants(plan.Content) {
		fit *= partly // it would not write what is quoted
	}
	if f.wants(plan.Query) && v.UnknownOrder(v.r.words) {
		fit *= badly // no order is a question
	}
	if f.wants(plan.Query) && v.exact {
		fit *= slightly // any question could be put to it
	}
	switch {
	case !v.valued:
	case v.unexplained(f) == 0 && v.isSetting(f):
		fit *= strongly
	case f.wants(plan.Instruction):
		fit *= hardly
	}
	if f.wants(plan.Instruction) && f.textOnly && v.sentText() && len(v.r.files) == 0 {
		fit *= partly // the text that was sent would be left over
	}
	if f.wants(plan.Query) && f.textOnly && v.column {
		fit *= hardly // the tools for tables come first
	}
	switch {
	case fits || len(v.units) == 0:
	case takes:
		fit *= hardly
	case slices.ContainsFunc(v.units, func(u quantity.Unit) bool { return u != quantity.ByteCount }): // a limit is a step of its own
		fit *= partly
	}
	return fit
}

// byRequired weighs what the clause says for an argument that the tool must be told.
func (v *view) byRequired(f *profile, a toolbox.Arg) float64 {
	fit := 1.0
	switch {
	case a.Param == nil:
	case a.Param.Type == param.Text && v.column, a.Param.Type == param.Sizes && v.sizes() != "":
		fit = strongly
	case a.Param.Type == param.Sizes, a.Param.Type == param.Size && v.sizes() != "": // one size is not several
		fit = hardly
	case a.Param.Type == param.Integer && atFactor.MatchString(v.text):
		fit = hardly // "play it at 2x" is no number of times
	case a.Param.Type == param.Choice && v.phraseFor(v.r, *a.Param) == "":
		fit = partly
	case a.Param.Type == param.Choice && v.names(f.choices):
		fit = clearly
	}
	if a.Type != plan.Text {
		return fit
	}
	switch a.Meaning {
	case plan.Format, plan.Language, plan.Amount:
		switch said := v.said(v.r, a, f); {
		case said == "":
			fit *= partly
		case a.Meaning == plan.Format && retrieve.FileType("."+said) != "" && retrieve.FileType("."+said) != f.Returns:
			fit *= hardly
		}
	case plan.Place:
		fit *= v.byPlace(f, a)
	case plan.Content:
		if v.quotes > 0 && !f.textOnly && f.Returns.Media() && v.In("inscribing", v.r.verb()) { // add "Hello" at the top
			fit *= strongly
		}
	default: // whatever is left of the clause says it
	}
	return fit
}

var atFactor = lazyregexp.New(`(?i)\bat \d+(?:\.\d+)? ?[x×]`)

// isSetting reports whether the clause gives the tool a value that it must be told, and the tool
// changes media of a type that is at hand.
func (v *view) isSetting(f *profile) bool {
	return len(f.media) == 1 && f.media[0].Type == f.Returns && v.direct[f.Returns] &&
		slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
			return !a.Optional && a.Param != nil && (a.Param.Type == param.Adjustment || a.Param.Type == param.Choice) && a.Param.Reads(v.said(v.r, a, f))
		})
}

// names reports whether the clause has one of the words.
func (v *view) names(words set) bool {
	return slices.ContainsFunc(v.r.clause.words, func(w retrieve.Word) bool { return words[w.Lower()] })
}

// namesColumn reports whether the clause names a column of a table that is at hand.
func (v *view) namesColumn() bool {
	return slices.ContainsFunc(v.r.clause.words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && !v.Lexicon.Stop(w.Lower()) && v.columns[w.Lower()]
	})
}

// byPlace weighs whether the clause says where, for a tool that must be told.
func (v *view) byPlace(f *profile, a toolbox.Arg) float64 {
	text := v.said(v.r, a, f)
	switch said := text != "" && (a.Param == nil || a.Param.Reads(text)); {
	case f.Returns.Media() && said:
		return clearly
	case a.Param != nil && !said:
		return slightly
	}
	return 1
}

// takesStated reports whether the argument takes a quantity that the clause states.
func (v *view) takesStated(f *profile, a toolbox.Arg) bool {
	return slices.ContainsFunc(v.units, func(u quantity.Unit) bool {
		if u == quantity.Clock && kind(a) == param.Region { // "16:9", and not "0:20"
			return a.Param.Reads(v.said(v.r, a, f))
		}
		return a.Param != nil && a.Param.Takes(u)
	})
}
