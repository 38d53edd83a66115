package values

import (
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Said returns the words of a clause for an argument; "" if there are none.
func (st *Reader) Said(r *scene.Reading, a toolbox.Arg, f *profile.Profile) string {
	if a.Param != nil && profile.Typed[a.Param.Type] {
		return st.PhraseFor(r, *a.Param)
	}
	return st.TextFor(r, a.Meaning, f)
}

// PhraseFor returns the phrase of a clause with the value of the parameter; "" if there is none.
func (st *Reader) PhraseFor(r *scene.Reading, p param.Param) string {
	text := st.Span(r.Clause.Words)
	if r.Head.RequiresText(plan.Prompt) {
		switch made := st.Writing.describe(r); {
		case p.Type == param.Size:
			return made.size
		case p.Name == toolbox.ResultsParam && made.copies != "":
			return made.copies
		case p.Type == param.Aspect:
			return st.shapeOfNew(r, p, text, made.size)
		}
	}
	switch p.Type { //nolint:exhaustive // the others are found by reading
	case param.Pages:
		return st.pages(r, text)
	case param.Integers:
		return found(quantity.FindIntegers, text)
	case param.Sizes:
		return found(quantity.FindSizes, text)
	case param.Moments:
		said := found(quantity.FindMoments, text)
		if _, one := r.Head.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Moment }); one && len(quantity.Find(said)) < 2 {
			return "" // the moment
		}
		return said
	case param.Interval:
		return found(quantity.FindInterval, text)
	case param.Condition:
		return st.condition(r)
	case param.Metadata:
		return found(quantity.FindTags, st.WithoutFiles(r.Words, r.Text))
	}
	if p.Type == param.Number || p.Type == param.Integer || p.Type == param.Duration {
		said := st.measured(r, p)
		if r.Head.RequiresText(plan.Prompt) && !p.Speaks(beside(text, said)) {
			return "" // "two penguins" is the content of the picture
		}
		return said
	}
	if p.Type == param.Choice {
		return st.phrases.choice(r, p)
	}
	words := r.Clause.Words
	if p.Type == param.Opacity && r.Head.Sized() { // "20%" is a size here, but "20% opacity" is not
		return st.phrases.longestOf(st.Text, words, p, func(said string) bool { return st.saysOpacity(r, said) })
	}
	if p.Type == param.Colour {
		return st.colour(r, text, p)
	}
	said := st.phrases.longestOf(st.Text, words, p, func(said string) bool {
		before, behind, _ := strings.Cut(text, said)
		if p.Type == param.Aspect && measureAt.MatchString(before) { // "1280 wide"
			return false
		}
		return p.Type != param.Opacity || !ofExtent.MatchString(behind)
	})
	if p.Type == param.Aspect && said == "" && r.Head.Sized() {
		return shapeOf(r.Stated, text)
	}
	return said
}

// shapeOfNew returns the words for the shape of something new that the clause describes; size are those for its size, which
// is a shape too if it has two sides.
func (st *Reader) shapeOfNew(r *scene.Reading, p param.Param, text, size string) string {
	if z, ok := quantity.Size(size); ok && z.Width > 0 && z.Height > 0 {
		return ""
	}
	said := st.phrases.longestOf(st.Text, r.Clause.Words, p, func(said string) bool {
		return !counts.MatchString(said) || aspects.MatchString(text)
	})
	if !shapes.MatchString(text) && (genres.MatchString(said) || strings.Contains(text, " at "+said)) {
		return "" // "a portrait of a queen", "a train at 7:15"
	}
	return said
}

// colour returns the words for a colour. If the tool has several, they include the word beside it that tells which one it
// is, as in the parameter's examples: "yellow on a black box". A colour without such a word belongs to the first.
func (st *Reader) colour(r *scene.Reading, text string, p param.Param) string {
	same := slices.DeleteFunc(slices.Clone(r.Head.Args), func(a toolbox.Arg) bool { return profile.SettingOf(a) != param.Colour })
	if len(same) < 2 {
		return st.phrases.longest(st.Text, r.Clause.Words, p)
	}
	whole := ""
	said := st.phrases.longestOf(st.Text, r.Clause.Words, p, func(said string) bool {
		before, after, _ := strings.Cut(text, said)
		leads := slices.DeleteFunc(english.WordsOf(before), func(w string) bool { return st.In("articles", w) })
		follows := english.WordsOf(after)
		for _, a := range same {
			for _, example := range a.Param.Examples {
				words := english.WordsOf(example)
				first, last := words[0], words[len(words)-1]
				switch {
				case len(follows) > 0 && follows[0] == last && !p.Reads(last):
					whole = said + " " + last
				case len(leads) > 0 && leads[len(leads)-1] == first && !p.Reads(first):
					whole = first + " " + said
				default:
					continue
				}
				return a.Name == p.Name
			}
		}
		whole = said
		return same[0].Name == p.Name
	})
	if said == "" {
		return ""
	}
	return whole
}

// found returns the part of a text between the bounds that find returns.
func found(find func(string) (start, end int), text string) string {
	start, end := find(text)
	return text[start:end]
}

// condition returns the words for the rows of a table: those after "rows where", or after the name of a column. It is ""
// if the clause only names columns.
func (st *Reader) condition(r *scene.Reading) string {
	words := r.Words
	rows := slices.IndexFunc(words, func(w retrieve.Word) bool { return st.Is("table rows", w) })
	column := slices.IndexFunc(words, func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && st.Columns[w.Lower()] })
	from := column
	if rows >= 0 && rows+1 < len(words) && st.Is("of rows", words[rows+1]) {
		from = rows + 2
	}
	if from < 0 || from >= len(words) || column >= 0 && !slices.ContainsFunc(words[from:], func(w retrieve.Word) bool { return !st.aboutColumns(w) }) {
		return ""
	}
	return strings.TrimRight(st.Text[words[from].Start:words[len(words)-1].End], " ,")
}

// aboutColumns reports whether a word only names columns: "name and city", "the price column".
func (st *Reader) aboutColumns(w retrieve.Word) bool {
	return w.IsMark() || w.IsFile() || w.Kind == retrieve.Plain && (st.Columns[w.Lower()] || st.Lexicon.Stop(w.Lower()) || st.Is("table columns", w))
}

var (
	// genres matches genres of pictures that are also shapes.
	genres = lazyregexp.New(`(?i)\b(?:portrait|landscape|square)\b`)
	// shapes matches words that use these as shapes.
	shapes = lazyregexp.New(`(?i)\b(?:portrait|landscape|square) (?:format|orientation|mode|shape|picture|image|photo|poster|drawing|illustration)\b|` +
		`(?:\b(?:in|as|be)|,) (?:a )?(?:portrait|landscape|square)\b`)
	// counts matches numbers that are a shape only if the clause says so: "a table of 3 by 4".
	counts     = lazyregexp.New(`(?i)^\d+(?: by | to |/)\d+$`)
	aspects    = lazyregexp.New(`(?i)\b(?:ratio|format|aspect|shape)\b`)
	wordBefore = lazyregexp.New(`\S*\s*$`)
)

// beside returns said with the words before and after it in a text.
func beside(text, said string) string {
	before, after, found := strings.Cut(text, said)
	if said == "" || !found {
		return ""
	}
	return wordBefore.FindString(before) + said + nextTo.FindString(after)
}

// saysOpacity reports whether a share is an opacity, not a size: it is called so, or belongs to a watermark or to
// pictures that blend.
func (st *Reader) saysOpacity(r *scene.Reading, said string) bool {
	words := english.WordsOf(said)
	_, behind, _ := strings.Cut(st.Text, said)
	sized := slices.ContainsFunc(append(english.WordsOf(nextTo.FindString(behind)), words...), func(w string) bool {
		return w == "wide" || w == "width" || w == "size" || w == "of"
	})
	return slices.ContainsFunc(words, func(w string) bool { return st.In("text looks", w) }) ||
		(english.Has(r.Clause.Words, "watermark") || english.Has(r.Clause.Words, "blend")) && !sized
}

// shapeOf returns the aspect ratio of the size in pixels that a clause states: 9:16 for "1080x1920"; "" if it states none.
func shapeOf(stated []quantity.Quantity, text string) string {
	for _, q := range stated {
		if z, ok := quantity.Size(text[q.Start:q.End]); ok && q.Unit == quantity.Pixels && z.Width > 0 && z.Height > 0 {
			return english.Ratio(z.Width, z.Height)
		}
	}
	return ""
}

// pages returns the words for pages: for all others if the clause removes some, and none if it removes something on them.
func (st *Reader) pages(r *scene.Reading, text string) string {
	start, end := quantity.FindPages(text)
	said := text[start:end]
	if pages, _ := quantity.PageList(said); end == 0 || pages.Others || !st.RemovesPart(r.Words) {
		return said
	}
	for _, w := range st.Lexicon.Words(text[:start], nil) {
		if st.Lexicon.MediaNoun([]retrieve.Word{w}) != "" || st.Is("text nouns", w) { // "remove the text from page 2"
			return ""
		}
	}
	return "all but " + said
}

// CountsSubject reports whether a quantity of a text counts the subject of the parameter: "10 words" for "how many words are
// listed".
func CountsSubject(p param.Param, q quantity.Quantity, said string) bool {
	words := english.WordsOf(said)
	return p.Type.IsNumber() && p.Unit == "" && q.Unit == quantity.Length && p.Names(words[len(words)-1]) > 0
}

// measured returns the first quantity of the clause that the parameter takes, preferring its own unit to a bare number.
func (st *Reader) measured(r *scene.Reading, p param.Param) string {
	text := st.Span(r.Clause.Words)
	bare := ""
	stated := r.Unquoted()
	if _, moment := r.Head.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Moment }); moment && p.Type == param.Duration {
		lengths := lengthsIn(text, stated)
		if len(lengths) == 0 { // "freeze at 4 s" names no length
			lengths = slices.DeleteFunc(slices.Clone(stated), func(q quantity.Quantity) bool { return strings.HasSuffix(text[:q.Start], "at ") })
		}
		stated = lengths // "at 0:03 for 2 seconds"
	}
	if p.Type == param.Integer {
		stated = slices.Concat(stated, st.spelled(r, p))
	}
	if p.Type == param.Number { // "two semitones"
		stated = slices.Concat(stated, slices.DeleteFunc(st.spelled(r, p), func(q quantity.Quantity) bool {
			next := english.WordsOf(nextTo.FindString(text[q.End:]))
			return len(next) == 0 || st.Lexicon.Stop(next[0]) || p.Names(next[0]) == 0
		}))
	}
	for _, q := range stated {
		said, own := twin(r.Head, text, q, p)
		switch {
		case p.Type == param.Duration && (r.Head.Combines() || !r.Head.Takes(r.Head.Returns)) && atAnEnd.MatchString(text[:q.Start]):
			// "join a.mp4 and the first 2 seconds of b.mp4", "the first 2 seconds as mp4"
		case q.Unit == quantity.Number && p.Unit == "px" && st.countsOther(text, q, p):
		case timed(r.Head, text, q), !own, extent.MatchString(said) && !extends(p) && p.Names(said) == 0: // "400 px high" is no gap
		case q.Unit == quantity.Number && ranked.MatchString(text[q.End:]): // "every 10th frame"
		case q.Unit == quantity.Number && p.Type == param.Integer && p.Unit == "" && p.Optional && atAnEnd.MatchString(text[:q.Start]):
			// "the first 10 frames" is no frame 10
		case q.Unit == quantity.Number && counted(toolbox.Arg{Param: &p}) &&
			(!p.Speaks(nextTo.FindString(text[q.End:])) || atAnEnd.MatchString(text[:q.Start])): // "frame 5", "the first 5 frames"
		case !p.Takes(q.Unit) && !CountsSubject(p, q, said) || !p.Reads(said):
		case q.Unit != quantity.Number:
			return said
		case bare == "":
			bare = said
		}
	}
	return bare
}

// ofExtent matches what makes a share before it one of a size: "20% smaller".
var ofExtent = lazyregexp.New(`(?i)^ (?:\pL+er|wide|high|tall|of)\b`)

// countsOther reports whether a bare number of a text counts something else than the parameter's pixels: "3 columns".
func (st *Reader) countsOther(text string, q quantity.Quantity, p param.Param) bool {
	next := st.Lexicon.Words(text[q.End:], []retrieve.Span{})
	if len(next) == 0 {
		return false
	}
	w := next[0]
	return w.Text == "-" || w.Kind == retrieve.Plain && strings.HasSuffix(w.Lower(), "s") && p.Names(w.Lower()) == 0 && !st.IsFiller(w)
}

// extent matches how far something extends: "400 px high".
var extent = lazyregexp.New(`(?i)\b(?:wide|high|tall)\b`)

// extends reports whether values of the parameter are how far something extends.
func extends(p param.Param) bool {
	return p.Name == "width" || p.Name == "height" || p.Name == "size" || extent.MatchString(strings.Join(p.Examples, " "))
}

// lengthsIn returns the durations among the quantities of a text: "for 2 seconds".
func lengthsIn(text string, stated []quantity.Quantity) []quantity.Quantity {
	return slices.DeleteFunc(slices.Clone(stated), func(q quantity.Quantity) bool {
		return q.Unit != quantity.Time || !strings.HasSuffix(text[:q.Start], "for ")
	})
}

// spelled returns the whole number that a clause spells out and that does not count files: "the seven most frequent
// words". If there are several, it returns none.
func (st *Reader) spelled(r *scene.Reading, p param.Param) []quantity.Quantity {
	var found []quantity.Quantity
	words := r.Clause.Words
	for i, w := range words {
		start := words[0].Start
		unit := func(q quantity.Quantity) bool { return clause.Overlaps(w, q, start) }
		several := slices.ContainsFunc(words[i+1:min(i+3, len(words))], func(w retrieve.Word) bool { // "two red arrows" are no number 2
			return p.Unit == "" && p.Optional && strings.HasSuffix(w.Lower(), "s") && p.Names(w.Lower()) == 0
		})
		counts := several || i+1 < len(words) && st.IsMedia(words[i+1]) || i > 0 && st.Is("plurals", words[i-1]) // "two files", "these two"
		if w.Kind == retrieve.Plain && quantity.Spelled(w.Text) && !counts && !slices.ContainsFunc(r.Stated, unit) {
			found = append(found, quantity.Quantity{Unit: quantity.Number, Start: w.Start - start, End: w.End - start})
		}
	}
	if len(found) > 1 {
		return nil
	}
	return found
}

var (
	// measureAt matches a length at the end of a text.
	measureAt = lazyregexp.New(`(?i)\d ?(?:px|pixels?)? $`)
	ranked    = lazyregexp.New(`(?i)^(?:st|nd|rd|th)\b`)
	nextTo    = lazyregexp.New(`^(?:[ -][a-zA-Z]+){0,3}`)
	atAnEnd   = lazyregexp.New(`(?i)\b(?:first|last|next|final|opening|closing) $`)
	withWord  = lazyregexp.New(`(?i)\b(?:with|and)\b`)
	// nextNumber matches one word and a number.
	nextNumber = lazyregexp.New(`^ [a-zA-Z]+ \d`)
)

// timed reports whether a quantity of the clause is one of the tool's times, or a frequency, rather than a length or a
// number.
func timed(f *profile.Profile, text string, q quantity.Quantity) bool {
	for typ, find := range map[param.Type]func(string) (int, int){param.Moments: quantity.FindMoments, param.Interval: quantity.FindInterval} {
		_, takes := f.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == typ })
		if from, to := find(text); takes && from <= q.Start && q.Start < to {
			return true
		}
	}
	return false
}

// twin returns the words of a quantity. If the tool has several parameters of the type, they include the adjacent words
// that identify one of them: "3 seconds each with a 1 second crossfade". It reports whether the quantity is for p.
func twin(f *profile.Profile, text string, q quantity.Quantity, p param.Param) (said string, own bool) {
	said = text[q.Start:q.End]
	after := nextTo.FindString(text[q.End:])
	before := text[:q.Start][max(0, strings.LastIndexAny(text[:q.Start], ",;0123456789")):]
	if leads := withWord.FindAllStringIndex(before, -1); len(leads) > 0 {
		before = before[leads[len(leads)-1][1]:]
	}
	if end := withWord.FindStringIndex(after); end != nil {
		after = after[:end[0]]
	}
	if q.Unit == quantity.Length && p.Type.IsNumber() { // "5 words"
		number, noun, _ := strings.Cut(said, " ")
		q.Unit, q.End, after = quantity.Number, q.Start+len(number), " "+noun+after
		_, own = counting(f, text, q, p, after, before)
		return said, own
	}
	if q.Unit == quantity.Number && p.Type.IsNumber() {
		return counting(f, text, q, p, after, before)
	}
	same := slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool { return profile.SettingOf(a) != p.Type })
	if len(same) < 2 {
		return said, true
	}
	for _, beside := range []string{after, before} {
		for _, a := range same {
			if a.Param.Speaks(beside) {
				whole := said + beside
				if beside == before {
					whole = beside + said
				}
				return strings.TrimSpace(whole), a.Name == p.Name
			}
		}
	}
	return said, same[0].Name == p.Name
}

// counting is twin for a bare number. If the tool has several settings for numbers, the words end with the last one that
// names p: "40 stitches wide".
func counting(f *profile.Profile, text string, q quantity.Quantity, p param.Param, after, before string) (said string, own bool) {
	said = text[q.Start:q.End]
	counts := slices.DeleteFunc(slices.Clone(f.Params), func(o param.Param) bool { return !o.Type.IsNumber() })
	if nextNumber.MatchString(text[q.End:]) && slices.ContainsFunc(counts, func(o param.Param) bool { return o.Names(before) > 0 }) {
		after = "" // "width 40 height 20": the next word is about the next number
	}
	i := param.Meant(counts, after, before, f.Says)
	own = i >= 0 && counts[i].Name == p.Name
	if own && len(counts) > 1 {
		return withNames(said, after, before, p), own
	}
	return said, own
}

// withNames returns a number with the words beside it that name the parameter.
func withNames(number, after, before string, p param.Param) string {
	for _, word := range slices.Backward(english.WordsOf(after)) {
		if whole := number + after[:strings.LastIndex(strings.ToLower(after), word)+len(word)]; p.Names(word) > 0 && p.Reads(whole) {
			return whole
		}
	}
	if whole := strings.Trim(before+number, " ,;"); p.Names(before) > 0 && p.Reads(whole) {
		return whole
	}
	return number
}
