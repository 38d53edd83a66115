package draft

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// teller records which words of a clause are values for tools.
type teller struct{ *cover }

var numeral = lazyregexp.New(`^(?:[a-z]+ )?\d+$`)

// tell records a value for a tool.
func (t teller) tell(f *profile.Profile, a toldArg) {
	arg := argFor(f, a)
	if profile.Kind(arg) != "" && !arg.Param.Reads(a.Source.Value) {
		graded := false
		for _, w := range english.WordsOf(a.Source.Value) {
			t.grades[w] = t.In("grades", w)
			graded = graded || t.grades[w]
		}
		if !arg.Optional && !graded {
			t.orders = append(t.orders, a.Source.Value)
		}
		return
	}
	switch {
	case arg.Meaning == plan.Content && !t.literal(f, a.Source): // it would write an order as a caption
		if !t.In("lettering", t.r.Verb()) || t.asksForTools(a.Source.Value) {
			t.orders = append(t.orders, a.Source.Value)
		}
		return
	case a.Meaning == plan.Object && slices.Contains(english.WordsOf(a.Source.Value), "except"):
		t.orders = append(t.orders, a.Source.Value) // not all of what is named: "all faces except one"
		return
	case a.Meaning == plan.Object && (slices.ContainsFunc(quantity.Find(a.Source.Value), Measured) || numeral.MatchString(a.Source.Value)):
		return // "30 fps" and "5" are no objects in a picture
	}
	if part, ok := quantity.Region(a.Source.Value); ok && profile.Kind(arg) == param.Region && part.Rim != (quantity.Axes{}) && !f.Moves {
		return // the part is cropped to, not blurred
	}
	if profile.SettingOf(arg) == param.Text && !arg.Optional && t.r.Head.Tabular && a.Source.Value == t.WithoutFiles(t.r.Words, t.r.Text) {
		return // for want of a column, the whole clause
	}
	t.args, t.told = append(t.args, arg), append(t.told, strings.ToLower(a.Source.Value))
	if profile.Kind(arg) == param.Size {
		t.tellShape(a.Source.Value)
	}
	if profile.SettingOf(arg) == param.Choice {
		if v, err := arg.Param.Read(a.Source.Value); err == nil {
			t.tellChoice(arg.Param.Choices[v.String()])
			t.says[arg.Name] = true                       // "before and after, with labels"
			for _, w := range english.WordsOf(t.r.Text) { // "quietly under the talking" says it twice
				again, err := arg.Param.Read(w)
				t.says[w] = t.says[w] || err == nil && again.String() == v.String()
			}
		}
	}
	t.tellWords(arg, a.Source.Value)
	if profile.Kind(arg).IsNumber() {
		t.tellCounted(*arg.Param, a.Source.Value)
	}
}

// levels reports whether a quantity has a unit of sounds or of files, which no text that people want written has.
func levels(q quantity.Quantity) bool { return Plain(q) || q.Unit == quantity.Gain }

// argFor returns the tool's argument for a value: one that the words name, or of its type, or else one with its meaning.
func argFor(f *profile.Profile, a toldArg) toolbox.Arg {
	means := func(arg toolbox.Arg) bool { return arg.Meaning == a.Meaning && !arg.Type.Media() }
	reads := func(arg toolbox.Arg) bool { return means(arg) && arg.Param != nil && arg.Param.Reads(a.Source.Value) }
	typed := func(arg toolbox.Arg) bool { return reads(arg) && arg.Param.Type == a.setting }
	named := func(arg toolbox.Arg) bool {
		return typed(arg) && profile.Kind(arg).IsNumber() && arg.Param.Names(a.Source.Value) > 0
	}
	for _, fits := range []func(toolbox.Arg) bool{named, typed, reads, means} {
		if arg, ok := f.Arg(fits); ok {
			return arg
		}
	}
	return toolbox.Arg{}
}

// tellCounted records the words beside a number that name its setting: "40 stitches wide", "width 40".
func (t teller) tellCounted(p param.Param, number string) {
	before, after, _ := strings.Cut(strings.ToLower(t.r.Text), strings.ToLower(number))
	ahead := english.WordsOf(before)
	slices.Reverse(ahead)
	for _, beside := range [][]string{english.WordsOf(after), ahead} {
		for _, w := range beside[:min(len(beside), maxNames)] {
			if p.Names(w) == 0 {
				break
			}
			t.says[w] = true
		}
	}
}

// maxNames is how many words on each side of a number may name its setting.
const maxNames = 3

// tellWords records the words of a value, without those that the argument ignores.
func (t teller) tellWords(arg toolbox.Arg, told string) {
	if arg.Name == toolbox.WithoutParam { // "no people" without its "no"
		for _, w := range t.Phrases("excluding") {
			t.says[w] = true
		}
	}
	var columns profile.Set // nil if any word is allowed
	if profile.SettingOf(arg) == param.Text && !arg.Optional && t.r.Head.Tabular {
		columns = t.Columns
	}
	for _, w := range english.WordsOf(told) {
		byPlace := english.Ordinals[w] != 0 || w == "last" || t.In("table columns", w) // "the second column"
		if columns != nil && !columns[w] && !byPlace {
			continue // not the name of a column
		}
		// "the top left quarter" is as large as the top left, and "top centre" is the top
		corner := (profile.SettingOf(arg) == param.Region || profile.SettingOf(arg) == param.Position) && t.In("places", w) && !t.In("qualities", w)
		part := (profile.Kind(arg) == param.TimeRange || profile.Kind(arg) == param.TimeRanges) && t.In("of a passage", w)
		if arg.Param == nil || corner || part || hears(*arg.Param, told, w) {
			t.says[w], t.says[retrieve.Stem(w)] = true, true
		}
	}
}

// tellChoice records all phrases for one choice: "duck it when I speak" has two.
func (t teller) tellChoice(phrases []string) {
	said := " " + strings.Join(english.WordsOf(t.r.Text), " ") + " "
	for _, phrase := range phrases {
		words := english.WordsOf(phrase)
		for _, w := range words {
			t.says[w] = t.says[w] || strings.Contains(said, " "+strings.Join(words, " ")+" ")
		}
	}
}

// tellShape records the names of a size's shape: "vertical, 1080x1920".
func (t teller) tellShape(told string) {
	size, ok := quantity.Size(told)
	if !ok || size.Width == 0 || size.Height == 0 {
		return
	}
	for _, w := range t.r.Clause.Words {
		width, height, named := quantity.Shape(w.Lower())
		if named && cmp.Compare(width, height) == cmp.Compare(size.Width, size.Height) {
			t.says[w.Lower()] = true
		}
	}
}

// literal reports whether the text to write on a picture or a video is certain: it is quoted, follows a colon, or is all
// that follows the order to write.
func (t teller) literal(f *profile.Profile, of plan.Source) bool {
	spoken := f.TextOnly && f.Returns != plan.Image
	if spoken && f.Returns.Media() && of.Kind == plan.OfValue && t.r.Quoted() == "" && !strings.Contains(t.r.Text, ": ") {
		return !slices.ContainsFunc(quantity.Find(of.Value), levels) // "voice 6 dB up" is not to be spoken
	}
	if spoken || of.Kind != plan.OfValue || t.r.Quoted() != "" || strings.Contains(t.r.Text, ": ") {
		return true
	}
	said := strings.Fields(of.Value)
	if f.TextOnly { // "a QR code of our menu" names no text
		return len(said) == 1 && strings.ContainsAny(of.Value, "0123456789.:/@") || values.Capital(of.Value)
	}
	order := func(w string) bool {
		return t.In("prepositions", strings.ToLower(w)) || t.In("text looks", strings.ToLower(w))
	}
	measure := func(q quantity.Quantity) bool { return q.Unit == quantity.Length }     // "in two lines"
	if t.Is("adding", t.r.Words[0]) && t.asksForTools(of.Value) || t.refers(said[0]) { // "add an echo", "write the date on it"
		return false
	}
	return t.In("inscribing", t.r.Verb()) && len(said) < 4 && !slices.ContainsFunc(said, order) &&
		!slices.ContainsFunc(quantity.Find(of.Value), measure)
}

// refers reports whether the word, in lower case, has a determiner: "the date" is no text to write.
func (t teller) refers(word string) bool {
	at := slices.IndexFunc(t.r.Words, func(w retrieve.Word) bool { return w.Text == word })
	return at > 0 && !values.Capital(word) && t.Is("determiners", t.r.Words[at-1])
}

// asksForTools reports whether a text is in lower case and one of its words asks for another tool: "blurred sides".
func (t teller) asksForTools(text string) bool {
	words := t.Lexicon.Words(text, []retrieve.Span{})
	plain := func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && !values.Capital(w.Text) }
	asks := func(w retrieve.Word) bool {
		return slices.ContainsFunc(t.Profiles, func(f profile.Profile) bool { return f.Name != t.r.Head.Name && f.Own[w.Lower()] })
	}
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool { return !plain(w) }) && slices.ContainsFunc(words, asks)
}
