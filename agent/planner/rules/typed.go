package rules

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// maxPhrase is the most words of a phrase that gives a value.
const maxPhrase = 4

// said is what a clause says for an argument; "" if it says nothing.
func (st *settings) said(r *reading, a toolbox.Arg, f *profile) string {
	if a.Param != nil && typed[a.Param.Type] {
		return st.phraseFor(r, *a.Param)
	}
	return st.textFor(r, a.Meaning, f)
}

// phraseFor is the phrase of a clause that holds the value of the parameter; "" if there is none.
func (st *settings) phraseFor(r *reading, p param.Param) string {
	text, _ := r.span(st.text)
	switch p.Type { //nolint:exhaustive // the others are found by reading
	case param.Pages:
		start, end := quantity.FindPages(text)
		if end > 0 && st.Drops(r.words) {
			return "all but " + text[start:end]
		}
		return text[start:end]
	case param.Integers:
		start, end := quantity.FindIntegers(text)
		return text[start:end]
	case param.Sizes:
		start, end := quantity.FindSizes(text)
		return text[start:end]
	case param.Moments:
		start, end := quantity.FindMoments(text)
		if _, one := r.head.arg(func(a toolbox.Arg) bool { return kind(a) == param.Moment }); one && len(quantity.Find(text[start:end])) < 2 {
			return "" // it is the moment
		}
		return text[start:end]
	case param.Interval:
		start, end := quantity.FindInterval(text)
		return text[start:end]
	case param.Metadata:
		text = st.withoutFiles(r.words, r.text)
		start, end := quantity.FindTags(text)
		return text[start:end]
	}
	if p.Type == param.Number || p.Type == param.Integer || p.Type == param.Duration {
		return st.measured(r, p)
	}
	if p.Type == param.Choice {
		return st.choice(r, p)
	}
	words := r.clause.words
	said := st.longest(st.text, words, p)
	if p.Type == param.Aspect && said == "" && r.head.sized() {
		return shapeOf(r.stated, text)
	}
	if p.Type == param.Opacity && r.head.sized() && !st.saysOpacity(r, said) {
		return "" // "20%" is a size there, and "20% opacity" is none
	}
	return said
}

// saysOpacity reports whether a share is an opacity and no size: it is called one, or that of a watermark.
func (st *settings) saysOpacity(r *reading, said string) bool {
	words := english.WordsOf(said)
	sized := slices.ContainsFunc(words, func(w string) bool { return w == "wide" || w == "width" || w == "size" || w == "of" })
	return slices.ContainsFunc(words, func(w string) bool { return st.In("text looks", w) }) || english.Has(r.clause.words, "watermark") && !sized
}

// choice is the phrase that makes a choice, one that prevails if there is one. What is said more about the clause may
// make it: "…, but keep the voice".
func (st *settings) choice(r *reading, p param.Param) string {
	prevailing := p
	prevailing.Choices = map[string][]string{}
	for _, name := range p.Prevailing {
		prevailing.Choices[name] = p.Choices[name]
	}
	for _, p := range []param.Param{prevailing, p} {
		if len(p.Choices) == 0 {
			continue
		}
		if len(r.words) > 1 { // "mirror it vertically": the verb says it last
			if said := st.longest(st.text, r.words[1:], p); said != "" && !st.In("plurals", strings.ToLower(said)) {
				return said
			}
		}
		if said := st.longest(st.text, r.clause.words, p); said != "" {
			return said
		}
		for _, more := range r.clause.more {
			if said := st.longest(more, st.Lexicon.Words(more, nil), p); said != "" {
				return said
			}
		}
	}
	return ""
}

// shapeOf is the shape of the size in pixels that a clause states: 9:16 for "1080x1920"; "" if it states none.
func shapeOf(stated []quantity.Quantity, text string) string {
	for _, q := range stated {
		if z, ok := quantity.Size(text[q.Start:q.End]); ok && q.Unit == quantity.Pixels && z.Width > 0 && z.Height > 0 {
			by := gcd(z.Width, z.Height)
			return fmt.Sprintf("%d:%d", z.Width/by, z.Height/by)
		}
	}
	return ""
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// longest is the longest phrase among the words of the text that the parameter reads, the first of several.
func (st *settings) longest(text string, words []retrieve.Word, p param.Param) string {
	for n := min(maxPhrase, len(words)); n > 0; n-- {
		for i := 0; i+n <= len(words); i++ {
			phrase := words[i : i+n]
			if said := text[phrase[0].Start:phrase[n-1].End]; st.isPhrase(phrase) && p.Reads(said) && st.isTight(text, phrase, p) {
				return said
			}
		}
	}
	return ""
}

// measured is the first quantity of the clause that the parameter takes, one in its own unit before
// a bare number.
func (st *settings) measured(r *reading, p param.Param) string {
	text, _ := r.span(st.text)
	bare := ""
	stated := r.stated
	if p.Type == param.Integer {
		stated = slices.Concat(stated, st.spelled(r))
	}
	if p.Type == param.Number { // "two semitones"
		stated = slices.Concat(stated, slices.DeleteFunc(st.spelled(r), func(q quantity.Quantity) bool {
			next := english.WordsOf(nextTo.FindString(text[q.End:]))
			return len(next) == 0 || st.Lexicon.Stop(next[0]) || !slices.Contains(english.WordsOf(p.About), next[0])
		}))
	}
	for _, q := range stated {
		said, own := st.twin(r, text, q, p)
		switch {
		case st.timed(r, text, q), !own:
		case q.Unit == quantity.Number && counted(toolbox.Arg{Param: &p}) &&
			(!p.Speaks(nextTo.FindString(text[q.End:])) || atAnEnd.MatchString(text[:q.Start])): // "frame 5", "the first 5 frames"
		case !p.Takes(q.Unit) && !countsThem(p, q, said) || !p.Reads(said):
		case q.Unit != quantity.Number:
			return said
		case bare == "":
			bare = said
		}
	}
	return bare
}

// countsThem reports whether a quantity of a text counts what the parameter is about: "10 words" for "how many words
// are listed".
func countsThem(p param.Param, q quantity.Quantity, said string) bool {
	words := english.WordsOf(said)
	return p.Type == param.Integer && p.Unit == "" && q.Unit == quantity.Length && slices.Contains(english.WordsOf(p.About), words[len(words)-1])
}

// spelled is the whole number that a clause says in a word and that counts no files: "the seven most frequent
// words". Of several none is sure.
func (st *settings) spelled(r *reading) []quantity.Quantity {
	var found []quantity.Quantity
	words := r.clause.words
	for i, w := range words {
		_, start := r.span(st.text)
		unit := func(q quantity.Quantity) bool { return overlaps(w, q, start) }
		counts := i+1 < len(words) && st.IsMedia(words[i+1])
		if w.Kind == retrieve.Plain && quantity.Spelled(w.Text) && !counts && !slices.ContainsFunc(r.stated, unit) {
			found = append(found, quantity.Quantity{Unit: quantity.Number, Start: w.Start - start, End: w.End - start})
		}
	}
	if len(found) > 1 {
		return nil
	}
	return found
}

// timed reports whether a quantity of the clause is one of the times that the tool is told, or says how often:
// no length and no number.
func (st *settings) timed(r *reading, text string, q quantity.Quantity) bool {
	for typ, find := range map[param.Type]func(string) (int, int){param.Moments: quantity.FindMoments, param.Interval: quantity.FindInterval} {
		_, takes := r.head.arg(func(a toolbox.Arg) bool { return kind(a) == typ })
		if from, to := find(text); takes && from <= q.Start && q.Start < to {
			return true
		}
	}
	return false
}

// twin is a quantity as it is said. Where the tool has several parameters of the type, it takes in the words beside
// the quantity that speak of one of them: "3 seconds each with a 1 second crossfade". It reports whether the
// quantity is for p.
func (st *settings) twin(r *reading, text string, q quantity.Quantity, p param.Param) (said string, own bool) {
	said = text[q.Start:q.End]
	same := slices.DeleteFunc(slices.Clone(r.head.Args), func(a toolbox.Arg) bool { return settingOf(a) != p.Type })
	if len(same) < 2 {
		return said, true
	}
	after := nextTo.FindString(text[q.End:])
	before := text[:q.Start][max(0, strings.LastIndexAny(text[:q.Start], ",;0123456789")):]
	if leads := withWord.FindAllStringIndex(before, -1); len(leads) > 0 {
		before = before[leads[len(leads)-1][1]:]
	}
	if end := withWord.FindStringIndex(after); end != nil {
		after = after[:end[0]]
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

var (
	nextTo   = lazyregexp.New(`^(?:[ -][a-zA-Z]+){0,3}`)
	atAnEnd  = lazyregexp.New(`(?i)\b(?:first|last|next|final|opening|closing) $`)
	withWord = lazyregexp.New(`(?i)\b(?:with|and)\b`)
)

// span is the text from the first word to the last one.
func (st *settings) span(words []retrieve.Word) string {
	return st.text[words[0].Start:words[len(words)-1].End]
}

// isPhrase reports whether words can stand for a value: none is a file, quoted or a mark.
func (st *settings) isPhrase(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.IsFile() || w.IsQuote() || w.IsMark() && !strings.ContainsAny(w.Text, "#%:-")
	})
}

// isTight reports whether each end of the phrase matters: without its first or its last word it has
// another value, or none. An opacity keeps its noun: "half transparent".
func (st *settings) isTight(text string, words []retrieve.Word, p param.Param) bool {
	if p.Type == param.Opacity {
		return !st.grammatical(words[0]) && !st.grammatical(words[len(words)-1])
	}
	if len(words) == 1 {
		return true
	}
	span := func(words []retrieve.Word) string { return text[words[0].Start:words[len(words)-1].End] }
	whole, err := p.Read(span(words))
	if err != nil {
		return false
	}
	for _, part := range [][]retrieve.Word{words[1:], words[:len(words)-1]} {
		if v, err := p.Read(span(part)); err == nil && v.String() == whole.String() {
			return false
		}
	}
	return true
}

func (st *settings) grammatical(w retrieve.Word) bool {
	return st.Lexicon.Stop(w.Lower()) || st.Is("prepositions", w) || st.IsMedia(w) || st.IsVerb(w)
}
