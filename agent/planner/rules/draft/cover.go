package draft

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// cover determines which words of a clause are accounted for: by its tools, by their values, by resources, or because
// they have no meaning for tools.
type cover struct {
	*values.Reader
	r     *scene.Reading
	tools []*profile.Profile
	text  string             // the text being checked
	given map[plan.Type]bool // types of resources that the subtask takes
	says  profile.Set        // words of the tools' values and descriptions
	value profile.Set        // those of the values alone
	args  []toolbox.Arg      // arguments with values
	told  []string           // texts of their values
	// orders are texts that a tool would write as a caption although they read like orders.
	orders []string
	// grades are words for a parameter that cannot read them: "a bit" for an angle.
	grades profile.Set
}

// Leftover returns the words of the clause, as written, that its subtask and the given steps do not account for.
func (d *Drafter) Leftover(r *scene.Reading, sub plan.Subtask, beside ...Step) []string {
	c := &cover{
		Reader: d.Reader, r: r, tools: []*profile.Profile{r.Head},
		says: profile.Set{}, value: profile.Set{}, grades: profile.Set{}, given: map[plan.Type]bool{},
	}
	for _, a := range allTold(sub) {
		c.given[profile.Base(a.Type)] = true
		if a.Source.Kind == plan.OfValue || a.Source.Kind == plan.OfText {
			teller{c}.tell(r.Head, a)
		}
	}
	for _, b := range beside {
		c.tools = append(c.tools, b.Tool)
		for _, told := range b.Told {
			teller{c}.tell(b.Tool, told)
		}
	}
	maps.Copy(c.value, c.says)
	for _, f := range c.tools {
		for w := range f.About {
			c.says[w] = true
		}
	}
	vain := surplus{c}
	unknown := slices.Concat(c.orders, vain.soundless(sub), vain.removed(), vain.picked(), vain.alsoCounted(), vain.alsoNamed(), vain.contradicted(),
		vain.timed(), vain.doubled(), vain.soundOf(), vain.alsoPlaced(), vain.inTurn(), vain.onlyOne(), vain.misread(), vain.turned(), vain.unturned())
	also := slices.Concat(vain.alsoChosen(), vain.opposed(), vain.greyed(), vain.askedBeside())
	missed := slices.DeleteFunc(c.unknown(d.Text, r.Clause.Words), func(w string) bool {
		return slices.ContainsFunc(c.orders, func(order string) bool { return strings.Contains(order, w) })
	})
	unknown = append(unknown, slices.DeleteFunc(also, func(w string) bool { return slices.Contains(missed, w) })...)
	unknown = append(unknown, missed...)
	for _, more := range r.Clause.More {
		switch words := d.Lexicon.Words(more, nil); {
		case d.Forbids(words) && Stretches(r) && d.Any("distorting", words):
			unknown = append(unknown, more)
		case !d.Forbids(words) && !d.Complains(words):
			unknown = append(unknown, c.unknown(more, words)...)
		}
	}
	return unknown
}

// hears reports whether the parameter reads another value without the word, or without the quantity that the word belongs
// to: in "sharpen the eyes" it ignores the eyes.
func hears(p param.Param, text, word string) bool {
	halfTransparent := p.Type == param.Opacity && len(english.WordsOf(text)) == 2 // one value with "half"
	if p.Type == param.Text || p.Type == param.Condition || p.Type == param.Sizes || halfTransparent {
		return true
	}
	if (p.Type == param.Size || p.Type == param.Duration) && p.Speaks(word) { // "20% of the width", "the last 3 seconds"
		return true
	}
	if (p.Type == param.Number || p.Type == param.Integer) && p.Names(word) > 0 { // "colours: 6"
		return true
	}
	if p.Type == param.Pages && strings.HasPrefix(word, "page") { // "page 3" is "3"
		return true
	}
	if p.Type == param.Size && word == "wide" { // "20% wide"
		return true
	}
	if p.Type == param.Angle && word == "clockwise" { // as it turns anyway
		return true
	}
	for _, q := range quantity.Find(text) {
		if slices.Contains(english.WordsOf(text[q.Start:q.End]), word) && values.ReadsOtherwise(p, text, text[:q.Start]+text[q.End:]) {
			return true
		}
	}
	return values.ReadsOtherwise(p, text, regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(text, ""))
}

// dependsOn reports whether the value that the parameter reads from the text depends on the quantity. The quantity may
// also equal the default: "contrast +20%" and "contrast".
func dependsOn(p param.Param, text, said string) bool {
	return values.ReadsOtherwise(p, text, strings.Replace(text, said, "", 1)) ||
		p.Type == param.Adjustment && values.ReadsOtherwise(p, text, strings.Replace(text, said, digits.ReplaceAllString(said, "7"), 1))
}

var digits = lazyregexp.New(`\d+(?:[.,]\d+)?`)

// Plain reports whether a quantity means the same whatever changes a file: "100 kB", but not "20 px", which may be of a border.
func Plain(q quantity.Quantity) bool {
	return q.Unit != quantity.Pixels && slices.Contains(values.PlainUnits, q.Unit)
}

// Measured reports whether a quantity has a unit.
func Measured(q quantity.Quantity) bool { return q.Unit != quantity.Number }

// saysAll reports whether every word of the text is in a value for the tools.
func (c *cover) saysAll(text string) bool {
	return !slices.ContainsFunc(english.WordsOf(text), func(w string) bool { return len(w) > 1 && !c.says[w] })
}

// states reports whether the text of some value has the word, in lower case.
func (c *cover) states(word string) bool {
	return slices.ContainsFunc(c.told, func(text string) bool { return slices.Contains(english.WordsOf(text), word) })
}

// unknown returns the words of a part of the text that are not accounted for.
func (c *cover) unknown(text string, words []retrieve.Word) []string {
	if len(words) == 0 {
		return nil
	}
	start, end, measures := words[0].Start, words[len(words)-1].End, c.r.Stated
	if text != c.Text {
		measures = clause.QuantitiesIn(text, words)
	}
	loose := counts{c}.unmeasured(text[start:end], measures)
	var unknown []string
	c.text = text
	aside, measured := false, false
	for i := 0; i < len(words); i++ {
		w := words[i]
		aside = !w.IsMark() && !c.Is("ending asides", w) && (aside || c.givesReason(text, words, i))
		class, length := "", 1
		if w.Kind == retrieve.Plain {
			class, length = c.Lexicon.ClassAt(words, i)
		}
		how := measured && c.Is("qualities", w) // "8 px thick"
		measured = slices.ContainsFunc(measures, func(q quantity.Quantity) bool { return clause.Overlaps(w, q, start) })
		if !measured && !how && !c.covered(words, i, class, aside) {
			from := w.Start
			loose = slices.DeleteFunc(loose, func(q quantity.Quantity) bool { // "40 parsecs" is one thing
				counted := q.Unit == quantity.Number && start+q.End+1 == w.Start
				if counted {
					from = start + q.Start
				}
				return counted
			})
			unknown = append(unknown, text[from:words[i+length-1].End])
		}
		i += length - 1
	}
	var numbers []string
	for _, q := range loose {
		numbers = append(numbers, text[start+q.Start:start+q.End])
	}
	return append(numbers, unknown...)
}

// announces reports whether the word at i introduces a quotation: "that says".
func (c *cover) announces(words []retrieve.Word, i int) bool {
	for k := max(0, i-3); k <= i; k++ {
		if n := c.Begins("announcing", words[k:]); k+n > i && k+n < len(words) && words[k+n].IsQuote() {
			return true
		}
	}
	return false
}

// givesReason reports whether a reason begins with the word at i: "for our website". "A QR code for https://…" has none.
func (c *cover) givesReason(text string, words []retrieve.Word, i int) bool {
	if i > 1 && i+1 < len(words) && words[i].Lower() == "to" && c.Is("delivering", words[i+1]) { // "smaller to email it"
		return true
	}
	return i > 0 && c.Is("asides", words[i]) && (i+1 == len(words) || !c.saysAll(text[words[i+1].Start:words[i+1].End]))
}

// covered reports whether the word at i, of that class, is accounted for.
func (c *cover) covered(words []retrieve.Word, i int, class string, aside bool) bool {
	w := words[i]
	switch w.Kind {
	case retrieve.Quote:
		return slices.ContainsFunc(c.told, func(told string) bool {
			return told == w.Lower() || len(w.Text) > 2 && strings.Contains(told, w.Lower())
		}) || len(w.Text) > 1 && c.saysAll(w.Text)
	case retrieve.Plain:
	default:
		return true // numbers are quantities
	}
	text, written := w.Lower(), c.text[w.Start:w.End] // the spelling may have been corrected
	switch {
	case c.Determined(words, i) && c.IsMedia(w) && !retrieve.IsFormat(text) && !c.mediaNoun(words, i) && !c.r.Head.About[text]:
		return false // "how long is this video" is not a general question
	case counts{c}.countsNouns(words, i), text == "each" && counts{c}.eachOfOne():
		return false
	case c.In("distorting", text) && i > 0 && (c.Is("forbidding", words[i-1]) || strings.HasSuffix(strings.ReplaceAll(words[i-1].Lower(), "’", "'"), "n't")):
		return !Stretches(c.r)
	case i == 0 && c.Is("leaving", w) && c.keepsPages(): // "keep only the odd pages"
		return true
	case amiss{c}.is(words, i), amiss{c}.misplaced(words, i):
		return false
	case text == "corners" && c.someCorner("corner"): // one corner is chosen
		return false
	case strings.HasPrefix(text, "recording"): // of sound, or of a screen
		return true
	case text == "txt" && c.r.Head.Returns == plan.Text && !c.r.Head.Tabular: // every text is one
		return true
	case retrieve.IsFormat(text):
		return c.ShownFormat(words, i) || c.format(text) || keepsFormat(c.r.Head, c.Things, text) ||
			c.Lexicon.MediaNoun([]retrieve.Word{w}) == plan.Document && slices.ContainsFunc(c.tools, handles(plan.Document))
	case c.In("sound nouns", text), c.Lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio:
		return c.knows(class) || c.says[text] || slices.ContainsFunc(c.tools, handles(plan.Audio))
	case c.becomes(words, i) && class == w.Stem:
		return c.states(text)
	case c.says[text], c.says[w.Stem], len(written) > 1 && c.saysAll(written), c.r.Head.Name != "" && c.knows(class):
		return true
	case c.r.Marked() && c.In("fate", text), i == 0 && len(words) > 1 && words[1].IsMark() && (text == "no" || c.grammar(words, i)):
		return true // "no, I meant the left one"
	case i+1 < len(words) && words[i+1].IsFile() && c.Is("sparing", w): // "not b.png"
		return true
	case c.In("prohibiting", text): // the tool's own words say what it leaves unchanged
		return c.r.Head.About["without"]
	case c.In("unable", text): // "Discord won't take more than 8 MB"
		return slices.ContainsFunc(c.r.Stated, func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
	case text == "but" && c.Any("wholes", words[max(0, i-3):i]): // "everything but the left half", "all the faces but one"
		return false
	case i+2 < len(words) && c.Is("entitling", words[i+1]) && words[i+2].IsQuote(), c.ofPace(words, i), c.announces(words, i),
		c.someCorner(text), c.codeAtHand(words, i):
		return true
	case text == "middle" && i+1 < len(words) && c.Is("parts", words[i+1]): // "the middle part from 1s to 2s"
		return slices.ContainsFunc(c.args, func(a toolbox.Arg) bool {
			return profile.Kind(a) == param.TimeRange || profile.Kind(a) == param.TimeRanges
		})
	case c.In("rest", text) && c.RemovesPart(c.r.Clause.Words) &&
		slices.ContainsFunc(c.args, func(a toolbox.Arg) bool { return profile.Kind(a) == param.TimeRanges }):
		return true // "cut out 0:05 to 0:10 and keep the rest"
	case c.In("excluding", text), c.parts(words, i), c.grades[text]:
		return false
	}
	return aside && !c.tabled(text) || c.grammar(words, i) || c.pointed(words, i)
}

// keepsPages reports whether the tool keeps just the pages that its value names.
func (c *cover) keepsPages() bool {
	at := slices.IndexFunc(c.args, func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Pages && !a.Optional })
	return at >= 0 && !strings.HasPrefix(c.told[at], "all but")
}

// becomes reports whether the word at i is a colour that something is to have: "make the logo all white", but not "the
// white border".
func (c *cover) becomes(words []retrieve.Word, i int) bool {
	if !profile.AnyColour.Reads(words[i].Lower()) || c.r.Head.Generates() || !c.r.Head.Returns.Media() {
		return false
	}
	return i+1 == len(words) || words[i+1].IsMark() || c.Is("closing words", words[i+1]) || c.Is("joining words", words[i+1])
}

// someCorner reports whether the word leaves the corner open, so that the tool chooses one.
func (c *cover) someCorner(text string) bool {
	open := func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Position && a.Optional }
	return text == "corner" && slices.ContainsFunc(c.r.Head.Args, open)
}

// codeAtHand reports whether the word at i refers to source code that came with the message: "my script".
func (c *cover) codeAtHand(words []retrieve.Word, i int) bool {
	return c.Is("code nouns", words[i]) && c.Determined(words, i) && c.Things.SentText()
}

// tabled reports whether the word occurs in a table that the tool works on: "the total for March" is about some rows.
func (c *cover) tabled(text string) bool {
	column := func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Text && !a.Optional }
	if !slices.ContainsFunc(c.r.Head.Args, column) {
		return false
	}
	return slices.ContainsFunc(c.Request.Resources(), func(res plan.Resource) bool {
		return res.Type == plan.Text && slices.Contains(english.WordsOf(res.Value[:min(len(res.Value), 20_000)]), text)
	})
}

// knows reports whether the class of words asks for one of the tools, or for one that makes an input of the first.
func (c *cover) knows(class string) bool {
	asked := func(f *profile.Profile) bool { return c.Index.Vocabulary(f.Name, class) }
	if slices.ContainsFunc(c.tools, asked) {
		return true
	}
	for _, a := range c.r.Head.Args {
		own := a.Type == plan.Text && c.r.Head.TextOnly && len(c.r.Files) == 0 // a text in the clause itself
		if a.Param == nil && a.Type != plan.Image && a.Type != plan.Video && a.Type != plan.Audio && a.Type != plan.Document && !own && c.Makes(a.Type, asked) {
			return true
		}
	}
	return false
}

// handles returns a test for tools that take or make media of the type. For these, "pdf" means a document.
func handles(t plan.Type) func(*profile.Profile) bool {
	return func(f *profile.Profile) bool { return f.Returns == t || f.Takes(t) }
}

// format reports whether a tool writes the format, or a given file has it.
func (c *cover) format(format string) bool {
	converts := slices.ContainsFunc(c.tools, func(f *profile.Profile) bool { return f.AcceptsText(plan.Format) })
	writes := retrieve.FileType("."+format) == profile.Base(c.r.Head.Returns) || format == "gif"
	named := slices.ContainsFunc(c.tools, func(f *profile.Profile) bool { return f.Formats[format] })
	told := slices.ContainsFunc(c.told, func(text string) bool { return slices.Contains(english.WordsOf(text), format) })
	return converts && told && writes || !converts && named
}

// grammar reports whether the word at i is purely grammatical, and so irrelevant to choosing a tool.
func (c *cover) grammar(words []retrieve.Word, i int) bool {
	text := words[i].Lower()
	if c.Lexicon.Stop(text) || c.mediaNoun(words, i) {
		return true
	}
	if c.In("obliging", text) && i+1 < len(words) && words[i+1].Lower() == "to" || text == "away" && i > 0 && c.Is("cropping", words[i-1]) {
		return true
	}
	ends := i+1 == len(words) || words[i+1].IsMark()
	amid := ends && i > 0 && !words[i-1].IsMark() && !c.Is("determiners", words[i-1]) && !c.r.Head.Combines() && (text == "first" || text == "last")
	if amid || // "put the end first"
		c.Begins("greetings", words[i:]) > 0 && i > 0 && i+1 < len(words) { // "the title hello there"
		return false
	}
	return slices.ContainsFunc([]string{"fillers", "prepositions", "generic", "versions", "results", "pronouns", "plurals", "courtesy", "ordering", "owners",
		"determiners", "articles", "auxiliaries"}, func(section string) bool { return c.In(section, text) })
}

// parts reports whether the word at i is the number of parts to split something into: "in two", but not "in two
// sentences".
func (c *cover) parts(words []retrieve.Word, i int) bool {
	last := i+1 == len(words) || words[i+1].Kind != retrieve.Plain || c.Is("asides", words[i+1]) || c.Is("targets", words[i+1])
	return i > 0 && last && (words[i-1].Lower() == "in" || words[i-1].Lower() == "into") && c.Is("parting", words[i])
}

// mediaNoun reports whether the word at i is a noun for media that the tools take or make: "a short clip" asks for one,
// "the clip" exists.
func (c *cover) mediaNoun(words []retrieve.Word, i int) bool {
	typ := c.Lexicon.MediaNoun(words[i : i+1])
	there := slices.ContainsFunc(c.Things, func(e scene.Thing) bool { return e.Given && profile.Base(e.Typ) == typ })
	switch {
	case typ == "" || c.r.Head.Name == "" || c.given[typ]:
		return typ != ""
	case i > 0 && !c.open(words, i) && (!there || !c.Determined(words, i)):
		return true
	}
	return slices.ContainsFunc(c.tools, func(f *profile.Profile) bool {
		return profile.Base(f.Returns) == typ || slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return profile.Base(a.Type) == typ })
	})
}

// open reports whether the noun at i has an indefinite article: "a picture".
func (c *cover) open(words []retrieve.Word, i int) bool {
	return c.Any("articles", words[max(0, i-3):i])
}

// pointed reports whether the word at i only identifies a thing.
func (c *cover) pointed(words []retrieve.Word, i int) bool {
	w, text, next := words[i], words[i].Lower(), i+1 < len(words)
	_, isMap := english.MapNouns[text]
	switch {
	case english.Ordinals[text] != 0:
		return next && c.Is("counted things", words[i+1]) || c.Counts(words, i)
	case text == "original", isMap:
		return true
	case c.In("picture nouns", text) && i > 1 && c.Is("prepositions", words[i-2]) && c.Is("determiners", words[i-1]):
		return c.given[plan.Image]
	case i > 1 && c.Is("belonging", words[i-2]) && c.Is("determiners", words[i-1]) && c.Files.SpeaksOfFile(text): // "the colours of our logo"
		return true
	case !next && i > 0 && c.Is("shown", words[i-1]) && c.looksAt(): // "read this menu"
		return true
	case i > 0 && next && c.Is("determiners", words[i-1]) && c.IsMedia(words[i+1]) && !c.IsMedia(w): // "the toy picture"
		return true
	case c.In("text nouns", strings.TrimSuffix(text, "s")):
		return !c.open(words, i) && (c.r.Head.Returns != plan.Document || c.r.Head.AcceptsText(plan.Content)) // "the text of page 2" is no document
	case c.In("text things", strings.ToLower(c.text[w.Start:w.End])):
		return c.r.Head.Takes(plan.Text)
	case c.shows(text):
		return true
	case c.r.Marked():
		sections := []string{"erasing", "hiding", "blotting", "marked", "marks", "parts"}
		return c.CanOrder(text) || slices.ContainsFunc(sections, func(s string) bool { return c.In(s, text) })
	case text == "left":
		return i > 0 && (c.Is("auxiliaries", words[i-1]) || strings.HasSuffix(words[i-1].Lower(), "s"))
	}
	return false
}

// looksAt reports whether the tool only describes the only given file.
func (c *cover) looksAt() bool {
	given := slices.DeleteFunc(slices.Clone(c.Things), func(e scene.Thing) bool { return !e.Given || e.Made })
	return len(given) == 1 && c.r.Head.Returns == plan.Text && !c.r.Head.TextOnly
}

// shows reports whether the word names the clause's object, if a mark identifies it, or if the tool's templates have a
// slot for such words.
func (c *cover) shows(text string) bool {
	shown := slices.ContainsFunc(c.r.Files, func(e scene.Thing) bool { return profile.MarkType(e.Typ) })
	return (shown || c.r.Head.Slot) && slices.Contains(english.WordsOf(c.r.Object), text)
}

// paced reports whether q is the length from which the tool's speed factor is computed.
func (c *cover) paced(q quantity.Quantity) bool {
	length, ok := c.Pace.Lasting(c.r)
	_, paces := c.r.Head.Pace()
	return ok && paces && q == length && c.Pace.FactorFor(c.r, q) != ""
}

// ofPace reports whether the word at i only introduces such a length.
func (c *cover) ofPace(words []retrieve.Word, i int) bool {
	q, _ := c.Pace.Lasting(c.r)
	return (c.Is("lasting", words[i]) || i == 0 && c.Is("fitting", words[i])) && c.paced(q)
}
