package draft

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// cover says which words of a clause are accounted for: by the tools that carry it out, by
// what they are told, by the resources, or because they ask for nothing.
type cover struct {
	*told.Reader
	r     *scene.Reading
	tools []*profile.Profile
	text  string             // that is looked at
	given map[plan.Type]bool // kinds of resources that the subtask takes
	says  profile.Set        // the words of the texts that the tools are told, and of their descriptions
	args  []toolbox.Arg      // that the tools are told
	told  []string           // the texts of these
	// orders are what a tool would write as a caption although it reads like an order.
	orders []string
	// grades are those of the words that a parameter should be told and cannot read: "a bit" of an angle.
	grades profile.Set
}

// Leftover returns the words of the clause that its subtask and the steps beside it do not
// account for, as they are written.
func (d *Drafter) Leftover(r *scene.Reading, sub plan.Subtask, beside ...Step) []string {
	c := cover{Reader: d.Reader, r: r, tools: []*profile.Profile{r.Head}, says: profile.Set{}, grades: profile.Set{}, given: map[plan.Type]bool{}}
	for _, a := range allTold(sub) {
		c.given[profile.Base(a.Type)] = true
		if a.Source.Kind == plan.OfValue || a.Source.Kind == plan.OfText {
			c.tell(r.Head, a)
		}
	}
	for _, b := range beside {
		c.tools = append(c.tools, b.Tool)
		for _, told := range b.Told {
			c.tell(b.Tool, told)
		}
	}
	for _, f := range c.tools {
		for w := range f.About {
			c.says[w] = true
		}
	}
	unknown := slices.Concat(c.orders, c.soundless(sub), c.removed(), c.picked(), c.alsoNamed(), c.contradicted())
	also, missed := c.alsoChosen(), c.unknown(d.Text, r.Clause.Words)
	unknown = append(unknown, slices.DeleteFunc(also, func(w string) bool { return slices.Contains(missed, w) })...)
	unknown = append(unknown, missed...)
	for _, more := range r.Clause.More {
		if words := d.Lexicon.Words(more, nil); !d.Forbids(words) && !d.Complains(words) {
			unknown = append(unknown, c.unknown(more, words)...)
		}
	}
	return unknown
}

// soundless are the words for a sound that the tool would take, where there is none: "a slideshow with music".
func (c *cover) soundless(sub plan.Subtask) []string {
	_, takes := c.r.Head.Arg(func(a toolbox.Arg) bool { return a.Optional && a.Type == plan.Audio })
	given := slices.ContainsFunc(sub.Args, func(a plan.Arg) bool { return a.Type == plan.Audio })
	if !takes || given {
		return nil
	}
	var words []string
	for i, w := range c.r.Clause.Words {
		if i > 0 && c.Is("sound nouns", w) && slices.ContainsFunc(c.r.Clause.Words[max(0, i-2):i], func(w retrieve.Word) bool { return w.Lower() == "with" }) {
			words = append(words, w.Text)
		}
	}
	return words
}

// removed are the words by which the clause takes a part of a picture away, where its tool would keep
// that part: "cut the left half off".
func (c *cover) removed() []string {
	keeps := func(a toolbox.Arg) bool { return profile.Kind(a) == param.Region }
	dropped := func(told string) bool { // "blur all except the middle", "10% off all sides"
		part, ok := quantity.Region(told)
		return c.In("dropping words", told) || ok && part.Rim != (quantity.Axes{})
	}
	if !c.Drops(c.r.Clause.Words) || slices.ContainsFunc(c.told, dropped) || !slices.ContainsFunc(c.r.Head.Args, keeps) {
		return nil
	}
	var words []string
	for _, w := range c.r.Clause.Words {
		if c.Is("dropping words", w) || c.Is("cutting", w) || c.Is("away", w) {
			words = append(words, w.Text)
		}
	}
	return words
}

// contradicted are the names of shapes that a size in the clause does not have: "vertical, 1920x1080".
func (c *cover) contradicted() []string {
	if !c.r.Head.Returns.Media() || c.r.Head.Generates() {
		return nil
	}
	var words []string
	text, _ := c.r.Span(c.Text)
	for _, q := range c.r.Stated {
		size, ok := quantity.Size(text[q.Start:q.End])
		if !ok || q.Unit != quantity.Pixels || size.Width == 0 || size.Height == 0 {
			continue
		}
		for i, w := range c.r.Clause.Words {
			width, height, named := quantity.Shape(w.Lower())
			if named && w.Kind == retrieve.Plain && !c.Determined(c.r.Clause.Words, i) && cmp.Compare(width, height) != cmp.Compare(size.Width, size.Height) {
				words = append(words, w.Text)
			}
		}
	}
	return words
}

// alsoChosen are the second values of settings that can have one value: "crop the left and right", "white on black".
func (c *cover) alsoChosen() []string {
	var second []string
	words := c.r.Clause.Words
	for _, a := range c.args {
		if kind := profile.SettingOf(a); kind != param.Choice && kind != param.Colour {
			continue
		}
		for i := 0; i+2 < len(words); i++ {
			next := i + 2
			if c.Is("articles", words[next]) || c.Is("determiners", words[next]) {
				next++
			}
			ground := words[i+1].Lower() == "on" && profile.SettingOf(a) == param.Colour
			if next == len(words) || words[i+1].Lower() != "and" && !ground {
				continue
			}
			one, known := a.Param.Read(words[i].Lower())
			other, also := a.Param.Read(words[next].Lower())
			told := slices.ContainsFunc(c.told, func(told string) bool { return slices.Contains(english.WordsOf(told), words[next].Lower()) })
			if known == nil && also == nil && !told && one.String() != other.String() && !slices.Contains(second, words[next].Text) {
				second = append(second, words[next].Text)
			}
		}
	}
	return second
}

// picked are the words that pick one of the parts which an earlier subtask makes, "the second one": a subtask is
// given all of them.
func (c *cover) picked() []string {
	if !slices.ContainsFunc(c.Things, func(e scene.Thing) bool { return e.Many }) {
		return nil
	}
	var words []string
	for i, w := range c.r.Clause.Words {
		if c.Counts(c.r.Clause.Words, i) {
			words = append(words, w.Text)
		}
	}
	return words
}

// alsoNamed are the words of a second thing that the clause names, where one is looked for on a picture: "the phone
// number and the email address".
func (c *cover) alsoNamed() []string {
	words := c.r.Clause.Words
	object := english.WordsOf(c.r.Object)
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return len(object) > 0 && w.Lower() == object[0] })
	if !c.r.Head.Takes(plan.BBox) || c.r.Marked() || at < 0 {
		return nil
	}
	var unknown []string
	for i := at + 1; i+2 < len(words); i++ {
		if words[i].Lower() != "and" && words[i].Text != "," || !c.Is("determiners", words[i+1]) {
			continue
		}
		for _, w := range words[i+2:] {
			if w.Kind != retrieve.Plain || c.Is("prepositions", w) {
				break
			}
			if !slices.Contains(object, w.Lower()) && !c.IsMedia(w) {
				unknown = append(unknown, w.Text)
			}
		}
	}
	return unknown
}

// tell takes in a text that a tool is told.
func (c *cover) tell(f *profile.Profile, a toldArg) {
	means := func(arg toolbox.Arg) bool { return arg.Meaning == a.Meaning && !arg.Type.Media() }
	reads := func(arg toolbox.Arg) bool { return means(arg) && arg.Param != nil && arg.Param.Reads(a.Source.Value) }
	arg, ok := f.Arg(func(arg toolbox.Arg) bool { return reads(arg) && arg.Param.Type == a.setting })
	if !ok {
		arg, ok = f.Arg(reads)
	}
	if !ok {
		arg, _ = f.Arg(means)
	}
	if profile.Kind(arg) != "" && !arg.Param.Reads(a.Source.Value) {
		for _, w := range english.WordsOf(a.Source.Value) {
			c.grades[w] = c.In("grades", w)
		}
		return
	}
	switch {
	case arg.Meaning == plan.Content && !c.literal(f, a.Source): // it would write an order as a caption
		if !c.In("lettering", c.r.Verb()) || c.asksForTools(a.Source.Value) {
			c.orders = append(c.orders, a.Source.Value)
		}
		return
	case a.Meaning == plan.Object && slices.ContainsFunc(quantity.Find(a.Source.Value), Measured):
		return // "30 fps" is nothing to find in a picture
	}
	if part, ok := quantity.Region(a.Source.Value); ok && profile.Kind(arg) == param.Region && part.Rim != (quantity.Axes{}) && !f.Moves {
		return // what it leaves is cropped to, and not blurred
	}
	c.args, c.told = append(c.args, arg), append(c.told, strings.ToLower(a.Source.Value))
	if profile.Kind(arg) == param.Size {
		c.tellShape(a.Source.Value)
	}
	if profile.SettingOf(arg) == param.Choice {
		if v, err := arg.Param.Read(a.Source.Value); err == nil {
			c.tellChoice(arg.Param.Choices[v.String()])
			for _, w := range english.WordsOf(c.r.Text) { // "quietly under the talking" says it twice
				again, err := arg.Param.Read(w)
				c.says[w] = c.says[w] || err == nil && again.String() == v.String()
			}
		}
	}
	c.tellWords(arg, a.Source.Value)
}

// tellWords takes in the words of a text that an argument is told, without those that it does not hear.
func (c *cover) tellWords(arg toolbox.Arg, told string) {
	var columns profile.Set // nil where any word may be said
	if profile.SettingOf(arg) == param.Text && !arg.Optional {
		columns = c.Columns
	}
	for _, w := range english.WordsOf(told) {
		if columns != nil && !columns[w] {
			continue // it names no column
		}
		// "the top left quarter" is as large as the top left, and "top centre" is the top
		corner := (profile.SettingOf(arg) == param.Region || profile.SettingOf(arg) == param.Position) && c.In("places", w)
		part := (profile.Kind(arg) == param.TimeRange || profile.Kind(arg) == param.TimeRanges) && c.In("of a passage", w)
		if arg.Param == nil || corner || part || hears(*arg.Param, told, w) {
			c.says[w], c.says[retrieve.Stem(w)] = true, true
		}
	}
}

// tellChoice takes in all that says one choice: "duck it when I speak" says it twice.
func (c *cover) tellChoice(phrases []string) {
	said := " " + strings.Join(english.WordsOf(c.r.Text), " ") + " "
	for _, phrase := range phrases {
		words := english.WordsOf(phrase)
		for _, w := range words {
			c.says[w] = c.says[w] || strings.Contains(said, " "+strings.Join(words, " ")+" ")
		}
	}
}

// tellShape takes in the names of the shape that a size has: "vertical, 1080x1920".
func (c *cover) tellShape(told string) {
	size, ok := quantity.Size(told)
	if !ok || size.Width == 0 || size.Height == 0 {
		return
	}
	for _, w := range c.r.Clause.Words {
		width, height, named := quantity.Shape(w.Lower())
		if named && cmp.Compare(width, height) == cmp.Compare(size.Width, size.Height) {
			c.says[w.Lower()] = true
		}
	}
}

// hears reports whether the parameter reads the text otherwise without the word, or without the quantity
// that the word belongs to: in "sharpen the eyes" it does not hear the eyes.
func hears(p param.Param, text, word string) bool {
	halfTransparent := p.Type == param.Opacity && len(english.WordsOf(text)) == 2 // one value with "half"
	if p.Type == param.Text || p.Type == param.Sizes || halfTransparent {
		return true
	}
	if (p.Type == param.Size || p.Type == param.Duration) && p.Speaks(word) { // "20% of the width", "the last 3 seconds"
		return true
	}
	if p.Type == param.Size && word == "wide" { // "20% wide"
		return true
	}
	for _, q := range quantity.Find(text) {
		if slices.Contains(english.WordsOf(text[q.Start:q.End]), word) && readsOtherwise(p, text, text[:q.Start]+text[q.End:]) {
			return true
		}
	}
	return readsOtherwise(p, text, regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(text, ""))
}

// dependsOn reports whether the value that the parameter reads from the text depends on the quantity in it. What is said
// may be what is meant without it: "contrast +20%" and "contrast".
func dependsOn(p param.Param, text, said string) bool {
	return readsOtherwise(p, text, strings.Replace(text, said, "", 1)) ||
		p.Type == param.Adjustment && readsOtherwise(p, text, strings.Replace(text, said, digits.ReplaceAllString(said, "7"), 1))
}

var digits = lazyregexp.New(`\d+(?:[.,]\d+)?`)

// readsOtherwise reports whether the parameter reads another value, or none, from the second text. It does if
// it reads none from the first.
func readsOtherwise(p param.Param, text, shorter string) bool {
	all, err := p.Read(text)
	if err != nil {
		return true
	}
	v, err := p.Read(shorter)
	return err != nil || v.String() != all.String()
}

// literal reports whether it is sure which words are to stand on a picture or a video: they
// are quoted, follow a colon, or are all that the order to write them is followed by.
func (c *cover) literal(f *profile.Profile, of plan.Source) bool {
	if f.TextOnly || of.Kind != plan.OfValue || c.r.Quoted() != "" || strings.Contains(c.r.Text, ": ") {
		return true
	}
	said := strings.Fields(of.Value)
	order := func(w string) bool {
		return c.In("prepositions", strings.ToLower(w)) || c.In("text looks", strings.ToLower(w))
	}
	measure := func(q quantity.Quantity) bool { return q.Unit == quantity.Length } // "in two lines"
	if c.Is("adding", c.r.Words[0]) && c.asksForTools(of.Value) {                  // "add an echo"
		return false
	}
	return c.In("inscribing", c.r.Verb()) && len(said) < 4 && !slices.ContainsFunc(said, order) &&
		!slices.ContainsFunc(quantity.Find(of.Value), measure)
}

// asksForTools reports whether each word of a text in small letters is one by which tools are asked for.
func (c *cover) asksForTools(text string) bool {
	return !slices.ContainsFunc(c.Lexicon.Words(text, []retrieve.Span{}), func(w retrieve.Word) bool {
		asks := func(f profile.Profile) bool { return f.Name != c.r.Head.Name && f.Own[w.Lower()] }
		return w.Kind != retrieve.Plain || told.Capital(w.Text) || !slices.ContainsFunc(c.Profiles, asks)
	})
}

// Measured reports whether a quantity has a unit.
func Measured(q quantity.Quantity) bool { return q.Unit != quantity.Number }

// saysAll reports whether the tools are told each word of the text.
func (c *cover) saysAll(text string) bool {
	return !slices.ContainsFunc(english.WordsOf(text), func(w string) bool { return len(w) > 1 && !c.says[w] })
}

// unknown returns the words of a part of the text that nothing accounts for.
func (c *cover) unknown(text string, words []retrieve.Word) []string {
	if len(words) == 0 {
		return nil
	}
	start, end, measures := words[0].Start, words[len(words)-1].End, c.r.Stated
	if text != c.Text {
		measures = clause.QuantitiesIn(text, words)
	}
	var unknown []string
	for _, q := range c.unmeasured(text[start:end], measures) {
		unknown = append(unknown, text[start+q.Start:start+q.End])
	}
	c.text = text
	aside := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		aside = !w.IsMark() && (aside || c.givesReason(text, words, i))
		class, length := "", 1
		if w.Kind == retrieve.Plain {
			class, length = c.Lexicon.ClassAt(words, i)
		}
		measured := slices.ContainsFunc(measures, func(q quantity.Quantity) bool { return clause.Overlaps(w, q, start) })
		if !measured && !c.covered(words, i, class, aside) {
			unknown = append(unknown, text[w.Start:words[i+length-1].End])
		}
		i += length - 1
	}
	return unknown
}

// announces reports whether the word at i leads to a quotation: "that says".
func (c *cover) announces(words []retrieve.Word, i int) bool {
	for k := max(0, i-3); k <= i; k++ {
		if n := c.Begins("announcing", words[k:]); k+n > i && k+n < len(words) && words[k+n].IsQuote() {
			return true
		}
	}
	return false
}

// givesReason reports whether a reason begins with the word at i: "for our website". "A QR code for https://…" gives none.
func (c *cover) givesReason(text string, words []retrieve.Word, i int) bool {
	return i > 0 && c.Is("asides", words[i]) && (i+1 == len(words) || !c.saysAll(text[words[i+1].Start:words[i+1].End]))
}

// unmeasured returns the quantities that no tool is told, or can be told.
func (c *cover) unmeasured(text string, found []quantity.Quantity) []quantity.Quantity {
	taken := map[int]int{} // quantities that each argument holds
	return slices.DeleteFunc(slices.Clone(found), func(q quantity.Quantity) bool {
		said := strings.ReplaceAll(strings.ToLower(text[q.Start:q.End]), " %", "%") // as told
		if c.saysAll(said) && strings.Contains(strings.ToLower(c.r.Head.Description), said) {
			return true
		}
		if c.named(q, said) || c.paced(q) {
			return true
		}
		for i, words := range c.told {
			typ := profile.Kind(c.args[i])
			switch {
			case !strings.Contains(words, said):
			case typ == param.Sizes, typ == param.TimeRanges: // "3 sizes: 320, 640 and 1280"
				return true
			case typ == "" && (c.args[i].Param == nil || dependsOn(*c.args[i].Param, words, said)):
				return true
			case typ == "":
			case typ == param.Moment && q.Unit == quantity.Number: // "5 screenshots" is how many
			case (c.args[i].Param.Takes(q.Unit) || told.CountsThem(*c.args[i].Param, q, said)) && taken[i] < typ.Most() && c.changes(i, said):
				taken[i]++
				return true
			}
		}
		return q.Unit == quantity.Number && len(said) == 1 && len(c.r.Files) > 1 // how many files there are
	})
}

// named reports whether a quantity in words only names something: it stands in the tool's templates, or in a choice
// that was made, and none of the tool's settings takes such quantities. "Mirror the upper half onto the other half".
func (c *cover) named(q quantity.Quantity, said string) bool {
	foreign := func(w string) bool {
		return !c.r.Head.Own[w] && !slices.ContainsFunc(c.args, func(a toolbox.Arg) bool { return slices.Contains(profile.ChoiceWords(a), w) })
	}
	return !strings.ContainsFunc(said, unicode.IsDigit) && !c.r.Head.TakesUnit(q.Unit) && !slices.ContainsFunc(english.WordsOf(said), foreign)
}

// changes reports whether the text of an argument has another value, or none, without the quantity: "200x200
// and 400x400" is one size, and the second is left over.
func (c *cover) changes(i int, said string) bool {
	if len(quantity.Find(c.told[i])) < 2 {
		return true
	}
	return readsOtherwise(*c.args[i].Param, c.told[i], strings.Replace(c.told[i], said, "", 1))
}

// covered reports whether the word at i, of that class, is accounted for.
func (c *cover) covered(words []retrieve.Word, i int, class string, aside bool) bool {
	w := words[i]
	switch w.Kind {
	case retrieve.Quote:
		return c.saysAll(w.Text)
	case retrieve.Plain:
	default:
		return true // numbers are quantities
	}
	text, written := w.Lower(), c.text[w.Start:w.End] // its spelling may have been corrected
	switch {
	case c.Determined(words, i) && c.IsMedia(w) && !retrieve.IsFormat(text) && !c.mediaNoun(words, i) && !c.r.Head.About[text]:
		return false // "how long is this video" is no question of the world
	case strings.HasPrefix(text, "recording"): // of sound, or of a screen
		return true
	case retrieve.IsFormat(text):
		return c.ShownFormat(words, i) || c.format(text) ||
			c.Lexicon.MediaNoun([]retrieve.Word{w}) == plan.Document && slices.ContainsFunc(c.tools, ofDocuments)
	case c.In("sound nouns", text), c.Lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio:
		return c.knows(class) || c.says[text] || slices.ContainsFunc(c.tools, ofSound)
	case c.says[text], c.says[w.Stem], c.saysAll(written), c.r.Head.Name != "" && c.knows(class):
		return true
	case c.r.Marked() && c.In("fate", text), i == 0 && len(words) > 1 && words[1].IsMark() && (text == "no" || c.grammar(words, i)):
		return true // "no, I meant the left one"
	case i+1 < len(words) && words[i+1].IsFile() && c.Is("sparing", w): // "not b.png"
		return true
	case c.In("distorting", text) && i > 0 && (c.Is("forbidding", words[i-1]) || strings.HasSuffix(strings.ReplaceAll(words[i-1].Lower(), "’", "'"), "n't")):
		return slices.ContainsFunc(c.r.Head.Args, func(a toolbox.Arg) bool {
			return profile.Kind(a) == param.Region || profile.SettingOf(a) == param.Aspect
		})
	case c.In("prohibiting", text): // the tool says itself what it leaves alone
		return c.r.Head.About["without"]
	case c.In("unable", text): // "Discord won't take more than 8 MB"
		return slices.ContainsFunc(c.r.Stated, func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
	case text == "but" && i > 0 && c.Is("wholes", words[i-1]): // "everything but the left half"
		return false
	case c.ofPace(words, i), c.announces(words, i):
		return true
	case text == "middle" && i+1 < len(words) && c.Is("parts", words[i+1]): // "the middle part from 1s to 2s"
		return slices.ContainsFunc(c.args, func(a toolbox.Arg) bool {
			return profile.Kind(a) == param.TimeRange || profile.Kind(a) == param.TimeRanges
		})
	case c.In("rest", text) && c.Drops(c.r.Clause.Words) &&
		slices.ContainsFunc(c.args, func(a toolbox.Arg) bool { return profile.Kind(a) == param.TimeRanges }):
		return true // "cut out 0:05 to 0:10 and keep the rest"
	case c.In("excluding", text), c.parts(words, i), c.grades[text]:
		return false
	}
	return aside && !c.tabled(text) || c.grammar(words, i) || c.pointed(words, i)
}

// tabled reports whether the word stands in a table that the tool works on: "the total for March" is about
// some rows of it.
func (c *cover) tabled(text string) bool {
	column := func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Text && !a.Optional }
	if !slices.ContainsFunc(c.r.Head.Args, column) {
		return false
	}
	return slices.ContainsFunc(c.Request.Resources(), func(res plan.Resource) bool {
		return res.Type == plan.Text && slices.Contains(english.WordsOf(res.Value[:min(len(res.Value), 20_000)]), text)
	})
}

// knows reports whether the class of words asks for one of the tools, or for one that makes
// what the first needs.
func (c *cover) knows(class string) bool {
	asked := func(f *profile.Profile) bool { return c.Index.Vocabulary(f.Name, class) }
	if slices.ContainsFunc(c.tools, asked) {
		return true
	}
	for _, a := range c.r.Head.Args {
		own := a.Type == plan.Text && c.r.Head.TextOnly && len(c.r.Files) == 0 // a text that the clause itself says
		if a.Param == nil && a.Type != plan.Image && a.Type != plan.Video && a.Type != plan.Audio && a.Type != plan.Document && !own && c.Makes(a.Type, asked) {
			return true
		}
	}
	return false
}

// ofDocuments reports whether the tool takes or makes documents: "pdf" is their name then.
func ofSound(f *profile.Profile) bool { return f.Returns == plan.Audio || f.Takes(plan.Audio) }

func ofDocuments(f *profile.Profile) bool {
	return f.Returns == plan.Document || slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Type == plan.Document })
}

// format reports whether a tool writes the format, or a file at hand is of it.
func (c *cover) format(format string) bool {
	converts := slices.ContainsFunc(c.tools, func(f *profile.Profile) bool { return f.Tells(plan.Format) })
	writes := retrieve.FileType("."+format) == profile.Base(c.r.Head.Returns) || format == "gif"
	named := slices.ContainsFunc(c.tools, func(f *profile.Profile) bool { return f.Formats[format] })
	told := slices.ContainsFunc(c.told, func(text string) bool { return slices.Contains(english.WordsOf(text), format) })
	return converts && told && writes || !converts && named
}

// grammar reports whether the word at i says nothing that a tool must know.
func (c *cover) grammar(words []retrieve.Word, i int) bool {
	text := words[i].Lower()
	if c.Lexicon.Stop(text) || c.mediaNoun(words, i) {
		return true
	}
	if c.In("obliging", text) && i+1 < len(words) && words[i+1].Lower() == "to" || text == "away" && i > 0 && c.Is("cropping", words[i-1]) {
		return true
	}
	return slices.ContainsFunc([]string{"fillers", "prepositions", "generic", "versions", "results", "pronouns", "plurals", "courtesy", "ordering", "owners",
		"determiners", "articles", "auxiliaries"}, func(section string) bool { return c.In(section, text) })
}

// parts reports whether the word at i says into how many something is parted: "in two", but
// not "in two sentences".
func (c *cover) parts(words []retrieve.Word, i int) bool {
	last := i+1 == len(words) || words[i+1].Kind != retrieve.Plain || c.Is("asides", words[i+1]) || c.Is("targets", words[i+1])
	return i > 0 && last && (words[i-1].Lower() == "in" || words[i-1].Lower() == "into") && c.Is("parting", words[i])
}

// mediaNoun reports whether the word at i is a noun for media that the tools take or make: "a
// short clip" asks for one, "the clip" is there.
func (c *cover) mediaNoun(words []retrieve.Word, i int) bool {
	typ := c.Lexicon.MediaNoun(words[i : i+1])
	there := slices.ContainsFunc(c.Things, func(e scene.Thing) bool { return e.Given && profile.Base(e.Typ) == typ })
	switch {
	case typ == "" || c.r.Head.Name == "" || c.given[typ]:
		return typ != ""
	case !c.open(words, i) && (!there || !c.Determined(words, i)):
		return true
	}
	return slices.ContainsFunc(c.tools, func(f *profile.Profile) bool {
		return profile.Base(f.Returns) == typ || slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return profile.Base(a.Type) == typ })
	})
}

// open reports whether the noun at i stands with an article that leaves it open: "a picture".
func (c *cover) open(words []retrieve.Word, i int) bool {
	return c.Any("articles", words[max(0, i-3):i])
}

// pointed reports whether the word at i only says which thing is meant.
func (c *cover) pointed(words []retrieve.Word, i int) bool {
	w, e := words[i], c.Lists
	text := w.Lower()
	next := i+1 < len(words)
	_, isMap := english.MapNouns[text]
	switch {
	case english.Ordinals[text] != 0:
		return next && e.Is("counted things", words[i+1]) || c.Counts(words, i)
	case text == "original", isMap:
		return true
	case e.In("picture nouns", text) && i > 1 && e.Is("prepositions", words[i-2]) && e.Is("determiners", words[i-1]):
		return c.given[plan.Image]
	case i > 1 && e.Is("belonging", words[i-2]) && e.Is("determiners", words[i-1]) && c.SpeaksOfFile(text): // "the colours of our logo"
		return true
	case !next && i > 0 && e.Is("shown", words[i-1]) && c.looksAt(): // "read this menu"
		return true
	case i > 0 && next && e.Is("determiners", words[i-1]) && c.IsMedia(words[i+1]) && !c.IsMedia(w): // "the toy picture"
		return true
	case e.In("text nouns", strings.TrimSuffix(text, "s")):
		return !c.open(words, i)
	case e.In("text things", strings.ToLower(c.text[w.Start:w.End])):
		return c.r.Head.Takes(plan.Text)
	case c.shows(text):
		return true
	case c.r.Marked():
		sections := []string{"erasing", "hiding", "blotting", "marked", "marks", "parts"}
		return c.CanOrder(text) || slices.ContainsFunc(sections, func(s string) bool { return e.In(s, text) })
	case text == "left":
		return i > 0 && (e.Is("auxiliaries", words[i-1]) || strings.HasSuffix(words[i-1].Lower(), "s"))
	}
	return false
}

// looksAt reports whether the tool only tells about the one file at hand.
func (c *cover) looksAt() bool {
	given := 0
	for _, e := range c.Things {
		if e.Given && !e.Made {
			given++
		}
	}
	return given == 1 && c.r.Head.Returns == plan.Text && !c.r.Head.TextOnly
}

// shows reports whether the word names the thing that the clause is about, where a mask or a box
// shows which one is meant, or where the tool's templates have a slot for such words.
func (c *cover) shows(text string) bool {
	shown := slices.ContainsFunc(c.r.Files, func(e scene.Thing) bool { return profile.MarkType(e.Typ) })
	return (shown || c.r.Head.Slot) && slices.Contains(english.WordsOf(c.r.Object), text)
}

// paced reports whether the time q of the clause is the length that the tool's factor makes.
func (c *cover) paced(q quantity.Quantity) bool {
	length, ok := c.Lasting(c.r)
	_, paces := c.r.Head.Pace()
	return ok && paces && q == length && c.FactorFor(c.r) != ""
}

// ofPace reports whether the word at i only says that a length is meant by which the tool's factor is found.
func (c *cover) ofPace(words []retrieve.Word, i int) bool {
	q, _ := c.Lasting(c.r)
	return (c.Is("lasting", words[i]) || i == 0 && c.Is("fitting", words[i])) && c.paced(q)
}
