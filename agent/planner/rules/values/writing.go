package values

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Writing extracts texts from clauses: texts to work on, to write or to draw.
type Writing struct{ *scene.Scene }

// Manner splits off phrases with a preposition, and adverbs, at the end of the clause, or at the end of the words before
// a quotation.
func (wr Writing) Manner(r *scene.Reading, f *profile.Profile) Manner {
	m := Manner{from: len(r.Words)}
	for end := len(r.Words); end > 0; end-- {
		switch w := r.Words[end-1]; {
		case w.IsQuote() || w.Text == ":":
			m.from = len(r.Words) // the quotation is the text
		case wr.Is("manner leads", w) || strings.HasSuffix(w.Lower(), "ly"):
			phrase := r.Words[end-1 : m.from]
			if cut := slices.IndexFunc(phrase, func(w retrieve.Word) bool { return w.Kind != retrieve.Plain }); cut >= 0 {
				phrase = phrase[:cut]
			}
			if wr.takeManner(&m, f, phrase) {
				m.from = end - 1
			}
		}
	}
	return m
}

// Without returns what must not be in the new thing that a clause describes: "people, text".
func (wr Writing) Without(r *scene.Reading) string {
	if r.Head.RequiresText(plan.Prompt) {
		return wr.describe(r).without
	}
	d := description{shown: wr.WithoutFiles(r.Words, r.Text)}
	wr.cutSettings(&d, r.Head)
	return d.without
}

// description is what a clause asks for that is new: what it shows, and the settings that are no part of that.
type description struct {
	shown   string // the clause without the order to make it, its settings and its input files
	size    string // "512x512"
	copies  string // "3 versions" for "3 pictures"
	without string // what must not be shown: "people, text"
}

// describe reads the description of something new. The settings that it finds are among those of the tool.
func (wr Writing) describe(r *scene.Reading) description {
	if q := r.Quoted(); q != "" {
		return description{shown: q}
	}
	text := wr.WithoutFiles(r.Words, r.Text)
	if r.Marked() {
		if i, ok := wr.Replacement(r.Words); ok {
			return description{shown: strings.TrimRight(wr.Text[r.Words[i].Start:r.Words[len(r.Words)-1].End], " ,.;:!?")}
		}
		if !wr.Any("putting", r.Words) && !wr.Any("giving", r.Words) {
			return description{shown: text} // "blur the face here": nothing is drawn
		}
	}
	var d description
	words := wr.Lexicon.Core(wr.Lexicon.Words(text, []retrieve.Span{}))
	orders := func(i int) bool {
		w, class := words[i], wr.Lexicon.Class(words[i].Stem)
		_, isMap := english.MapNouns[w.Lower()]
		return i == 0 && (wr.IsVerb(w) || class == "draw") || wr.Is("prompt fillers", w) || wr.Lexicon.Stop(w.Lower()) || wr.IsMedia(w) ||
			isMap || w.IsMark() || class == "generat" || i > 0 && wr.Is("depicting", w) ||
			class == "music" && i+1 < len(words) && wr.Is("depicting", words[i+1])
	}
	for i := 0; i < len(words); i++ {
		if at := sizeFirst.FindStringIndex(text[words[i].Start:]); at != nil && d.size == "" && takesSize(r.Head, text[words[i].Start:][:at[1]]) {
			d.size = text[words[i].Start:][:at[1]]
			for i+1 < len(words) && words[i+1].Start < words[i].Start+at[1] {
				words = slices.Delete(words, i+1, i+2)
			}
			continue
		}
		if n, noun, ok := wr.copies(words[i:], r.Head); ok {
			d.copies = n
			if noun > 1 { // "realistic picture of a cat"
				d.shown = text[words[i+1].Start:words[i+noun].End-1] + text[words[i+noun].End:]
				break
			}
			continue
		}
		if orders(i) {
			continue
		}
		d.shown = text[words[i].Start:]
		break
	}
	d.shown = strings.TrimRight(strings.TrimSpace(d.shown), " ,.;:!?")
	wr.cutSettings(&d, r.Head)
	d.shown = strings.TrimSuffix(strings.TrimSuffix(d.shown, " here"), " there")
	return d
}

// copies returns how many are to be made, if the words begin with that: "3 versions" for "3 pictures of a cat", the index of
// the noun, and "" for a number that the tool does not take. Words between the two say how each is: "3 realistic pictures".
func (wr Writing) copies(words []retrieve.Word, f *profile.Profile) (said string, noun int, ok bool) {
	const most = 4 // "3 black and white pictures"
	at := slices.IndexFunc(f.Params, func(p param.Param) bool { return p.Name == toolbox.ResultsParam })
	if at < 0 || len(words) < 3 || !quantity.Spelled(words[0].Text) && words[0].Kind != retrieve.Number {
		return "", 0, false
	}
	for noun = 1; ; noun++ {
		if noun > most+1 || noun+1 >= len(words) {
			return "", 0, false
		}
		w, next := words[noun], words[noun+1]
		several := strings.HasSuffix(w.Lower(), "s") && (wr.IsMedia(w) || wr.Is("versions", w))
		if several && (next.Lower() == "of" || wr.Is("depicting", next)) {
			break
		}
		if !wr.qualifies(words[:noun+1]) {
			return "", 0, false
		}
	}
	if said = words[0].Text + " versions"; !f.Params[at].Reads(said) {
		return "", noun, true
	}
	return said, noun, true
}

// qualifies reports whether the last word may describe the thing that the first word counts. A plural is itself the
// thing, and so is a verb form after its number: "two cats watching pictures of mice".
func (wr Writing) qualifies(words []retrieve.Word) bool {
	w := words[len(words)-1]
	switch lower := w.Lower(); {
	case w.Text == "-", w.Text == ",", lower == "and":
		return true
	case w.Kind != retrieve.Plain || wr.Lexicon.Stop(lower) || wr.Is("prepositions", w):
		return false
	default:
		thing := strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && !strings.HasSuffix(lower, "us")
		return !thing && (len(words) == 2 || !strings.HasSuffix(lower, "ing"))
	}
}

// takes reports whether the tool has the parameter.
func takes(f *profile.Profile, name string) bool {
	return slices.ContainsFunc(f.Params, func(p param.Param) bool { return p.Name == name })
}

// takesSize reports whether words are a size in pixels for the tool.
func takesSize(f *profile.Profile, words string) bool {
	return slices.ContainsFunc(f.Params, func(p param.Param) bool { return p.Name == toolbox.SizeParam && p.Reads(words) })
}

// inPixels matches the size of a new picture. Small pairs of numbers, such as "3 by 4" and "24x36", belong to its description.
const inPixels = `(?:\d{2,5} ?(?:px|pixels?)?(?: ?[x×*] ?| by )\d{2,5} ?(?:px|pixels)|\d{3,5}(?: ?[x×*] ?| by )\d{3,5}|` +
	`\d{2,5} ?(?:px|pixels)(?: (?:wide|high|tall|square))?)`

var (
	// sizeFirst matches a size before what it is of: "512x512 picture".
	sizeFirst = lazyregexp.New(`(?i)^` + inPixels + `\b`)
	// setting matches words at the end of a description that set how it is made.
	setting = lazyregexp.New(`(?i)(?:` +
		`[ ,;(]+(?:(?:with|using|and) )?(?:the |a )?seed(?: number| of)?[ =:#]*\d+` +
		`|[ ,;(]+(?:(?:in|as|and) )?\d+ (?:versions|variants|variations|options)` +
		`|(?:[,;(] ?| (?:in|as) )(?:the |a )?\d{1,2}:\d{1,2}(?: (?:format|aspect ratio|ratio|shape))?` +
		`|[ ,;(]+(?:(?:in|at|as|of|with|and) )?(?:(?:the |a )?(?:size|resolution)(?: of)? )?` + inPixels + `(?: (?:in size|large|big))?` +
		`)\)?$`)
	// exclusion matches what leads to things that must not be shown.
	exclusion = lazyregexp.New(`(?i)(?:,? (?:and |but )?(?:without|with no) |[,;] (?:and |but )?no | but no )(?:any )?`)
	// listed separates such things.
	listed = lazyregexp.New(`(?i),? (?:and|or) (?:no |any |without )*|, (?:no |any |without )*`)
)

// cutSettings cuts the settings of a tool off the end of what is shown: "a fox, 16:9, with seed 7, no text".
func (wr Writing) cutSettings(d *description, f *profile.Profile) {
	for {
		if at := setting.FindStringIndex(d.shown); at != nil && slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
			return profile.Kind(a) != "" && a.Param.Reads(d.shown[at[0]:])
		}) {
			if said := strings.Trim(d.shown[at[0]:], " ,;()"); takesSize(f, said) {
				d.size = said
			}
			d.shown = d.shown[:at[0]]
			continue
		}
		begin, things := wr.excluded(d.shown)
		if things == "" || !takes(f, toolbox.WithoutParam) {
			return
		}
		d.shown, d.without = d.shown[:begin], strings.TrimSuffix(things+", "+d.without, ", ")
	}
}

// excluded returns the things at the end of a description that must not be shown, and where the words about them begin.
// Only a list of plain things that can be seen is one: "without people or cars", but not "without a trace of doubt" or
// "without end".
func (wr Writing) excluded(shown string) (begin int, things string) {
	const longest = 3 // words of one thing
	for _, at := range exclusion.FindAllStringIndex(shown, -1) {
		all := listed.Split(shown[at[1]:], -1)
		for i, thing := range all {
			words := slices.DeleteFunc(wr.Lexicon.Words(thing, nil), func(w retrieve.Word) bool { return wr.Is("articles", w) })
			plain := func(w retrieve.Word) bool {
				return w.Kind == retrieve.Plain && !wr.Lexicon.Stop(w.Lower()) && !wr.Is("prepositions", w) && !wr.Is("invisible", w)
			}
			if len(words) == 0 || len(words) > longest || slices.ContainsFunc(words, func(w retrieve.Word) bool { return !plain(w) }) {
				all = nil
				break
			}
			all[i] = thing[words[0].Start:words[len(words)-1].End]
		}
		if len(all) > 0 && at[0] > 0 {
			return at[0], strings.Join(all, ", ")
		}
	}
	return 0, ""
}

// content returns a text to work on: a quotation, the words after a colon, or the clause without its order.
func (wr Writing) content(r *scene.Reading, f *profile.Profile) string {
	if q := r.Quoted(); q != "" {
		return q
	}
	if _, after, ok := strings.Cut(r.Text, ": "); ok {
		return strings.TrimSpace(after)
	}
	sections := []string{"text things", "text looks", "languages", "prepositions", "pronouns", "results"}
	orders := func(w retrieve.Word) bool { // words of the order, not of the text
		class := wr.Lexicon.Class(w.Stem)
		return w.Kind != retrieve.Plain || wr.IsMedia(w) || wr.Lexicon.Stop(w.Lower()) || wr.Index.Vocabulary(f.Name, class) || f.Values[class] ||
			slices.Contains([]string{"text", "sentenc", "audio", "speech"}, class) ||
			slices.ContainsFunc(sections, func(section string) bool { return wr.Is(section, w) })
	}
	words := r.Words[:wr.Manner(r, f).from]
	if len(words) > 0 && wr.IsVerb(words[0]) {
		words = words[1:]
	}
	begin := slices.IndexFunc(words, func(w retrieve.Word) bool { return w.IsFile() || !orders(w) })
	for k := range max(0, begin) { // "write good morning on it" is not a greeting
		if wr.Begins("greetings", words[k:]) > 0 {
			begin = k
			break
		}
	}
	if begin >= 0 && begin+2 < len(words) && words[begin].IsFile() && wr.Is("lettering", r.Words[0]) && words[begin+1].Lower() == "with" {
		begin += 2 // "stamp a.png with approved"
	}
	if begin < 0 && f.TextOnly {
		return longNumber(words) // "a bar code for 4006381333931"
	}
	if begin < 0 || words[begin].IsFile() || wr.Is("lettering", r.Words[0]) && (wr.saysWhere(words[:begin]) || wr.saysWhere(words[:begin+1])) {
		return ""
	}
	says := func(w retrieve.Word) bool {
		return !orders(w) && !wr.Is("places", w) && !profile.AnyColour.Reads(w.Text)
	}
	end := wr.contentEnd(words, begin, says)
	if owned := begin > 0 && wr.Is("people", words[begin-1]); owned && end == begin+1 && wr.Is("lettering", r.Words[0]) {
		return "" // "write my name on it" does not tell the name
	}
	start := words[begin].Start
	if start > 0 && strings.ContainsAny(wr.Text[start-1:start], "@#") { // "watermark it with @ada"
		start--
	}
	return strings.TrimRight(strings.TrimSpace(wr.Text[start:words[end-1].End]), ".,;")
}

// contentEnd returns the end of a text that starts at begin: before the words for its place, if no other meaningful words
// follow, and before polite words.
func (wr Writing) contentEnd(words []retrieve.Word, begin int, says func(retrieve.Word) bool) int {
	end := len(words)
	for k := begin + 1; k+1 < len(words); k++ { // "add hello to the picture", "all over it"
		corner := wr.Is("places", words[k]) && wr.Is("places", words[k+1]) // "hello bottom left"
		leads := wr.Is("targets", words[k]) || wr.Is("covering", words[k]) || corner || words[k].Text == ","
		if leads && !slices.ContainsFunc(words[k+1:], says) {
			end = k
			if words[k-1].Lower() == "all" && k-1 > begin {
				end--
			}
			break
		}
	}
	for end > begin+1 && (wr.Is("closing words", words[end-1]) || wr.Is("qualities", words[end-1])) {
		end--
	}
	return end
}

// saysWhere reports whether the words end with the introduction of a place, as in "write the words under the": the next
// words are not a text.
func (wr Writing) saysWhere(words []retrieve.Word) bool {
	for len(words) > 0 && (wr.Is("determiners", words[len(words)-1]) || wr.Is("articles", words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return len(words) > 0 && wr.Is("places lead", words[len(words)-1])
}

// longNumber returns the last number in the words that is too long for a measurement.
func longNumber(words []retrieve.Word) string {
	for _, w := range slices.Backward(words) {
		if w.Kind == retrieve.Number && len(w.Text) > 4 {
			return w.Text
		}
	}
	return ""
}

// Manner is how to process a text, for a tool with such a parameter: "in a deep voice". It is not part of the text.
type Manner struct {
	How, Language string
	from          int // index of its first word
}

// takeManner adds a phrase; it returns false if the phrase does not describe a manner.
func (wr Writing) takeManner(m *Manner, f *profile.Profile, phrase []retrieve.Word) bool {
	taken := false
	for _, a := range f.Args {
		switch {
		case !a.Optional:
		case a.Meaning == plan.Language && len(phrase) <= 3:
			if i := wr.Find("languages", phrase); i >= 0 && m.Language == "" {
				m.Language, taken = phrase[i].Text, true
			}
		case a.Meaning == plan.Instruction && !english.Has(phrase, "the"):
			about := english.WordsOf(a.About)
			described := func(w retrieve.Word) bool {
				asks := wr.Lexicon.Stop(w.Lower()) || wr.Index.Vocabulary(f.Name, wr.Lexicon.Class(w.Stem))
				return !asks && slices.Contains(about, strings.TrimSuffix(w.Lower(), "ly"))
			}
			if slices.ContainsFunc(phrase, described) {
				m.How, taken = strings.Trim(wr.Text[phrase[0].Start:phrase[len(phrase)-1].End]+", "+m.How, ", "), true
			}
		}
	}
	return taken
}

// Capital reports whether a text begins with a capital letter.
func Capital(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}
