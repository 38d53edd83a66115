// Package told reads what a clause says that its tool is told: texts, quantities, choices, places.
package told

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// Reader takes out of a clause what its tool is told.
type Reader struct{ *scene.Scene }

// TextFor takes out of a clause what a text argument of that meaning wants; "" if the
// clause does not say it.
func (st *Reader) TextFor(r *scene.Reading, m plan.Meaning, f *profile.Profile) string {
	switch m {
	case plan.Object:
		return r.Object
	case plan.Prompt:
		return st.prompt(r)
	case plan.Content:
		return st.content(r, f)
	case plan.Amount:
		return st.amount(r)
	case plan.Format:
		return st.Format(r)
	case plan.Language:
		return st.language(r)
	case plan.Place:
		return st.Place(r, f)
	case plan.Query:
		return st.WithoutFiles(r.Words, r.Text)
	default:
		return st.Instruction(r)
	}
}

// Instruction is the clause as an order. Where it only points at the thing that the clause
// before was about, the thing is named.
func (st *Reader) Instruction(r *scene.Reading) string {
	text := st.WithoutFiles(r.Words, r.Text)
	same := r.Object != "" && r.Prev != nil && r.Prev.Object == r.Object
	if !same || strings.Contains(strings.ToLower(text), strings.ToLower(r.Object)) {
		return text
	}
	fields := strings.Fields(text)
	for i, word := range fields {
		switch bare := strings.Trim(word, ".,!?"); strings.ToLower(bare) {
		case "it", "them", "that":
			fields[i] = strings.Replace(word, bare, "the "+r.Object, 1)
			return strings.Join(fields, " ")
		}
	}
	return text
}

// WithoutFiles writes the words of a clause again without names of files and what led to
// them. whole is the clause with what is said more about it.
func (st *Reader) WithoutFiles(words []retrieve.Word, whole string) string {
	if len(words) == 0 {
		return ""
	}
	text := st.Text[words[0].Start:words[len(words)-1].End]
	_, more, _ := strings.Cut(whole, text)
	var b strings.Builder
	skip := st.FilePhrases(words)
	last := -1
	for i, w := range words {
		if skip[i] || w.IsMark() && b.Len() == 0 {
			continue
		}
		if last >= 0 && !w.IsMark() && (last != i-1 || w.Start > words[i-1].End) {
			b.WriteByte(' ')
		}
		b.WriteString(st.Text[w.Start:w.End])
		last = i
	}
	return strings.TrimSpace(strings.TrimRight(b.String(), " ,:;")) + more
}

// MeantObject is the thing that the clause is about: the one that it names, or that of the
// clause before where it says "it" or goes on with the same tool.
func (st *Reader) MeantObject(r *scene.Reading) string {
	object := st.objectOf(r, r.Head)
	if object != "" || r.Prev == nil {
		return object
	}
	pointedAt := r.Refs.Pronoun && len(r.Files) == 0 && r.Prev.Head.Returns != plan.Image
	again := r.Prev.Head.Name == r.Head.Name && r.Clause.Join == clause.Along // "how many cars are in a.jpg, and how many in b.jpg"
	if pointedAt || again {
		return r.Prev.Object
	}
	return ""
}

// Manner takes phrases with a preposition, and adverbs, off the end of the clause, or off the
// end of what stands before a quotation.
func (st *Reader) Manner(r *scene.Reading, f *profile.Profile) Manner {
	m := Manner{from: len(r.Words)}
	for end := len(r.Words); end > 0; end-- {
		switch w := r.Words[end-1]; {
		case w.IsQuote() || w.Text == ":":
			m.from = len(r.Words) // what is quoted is the text
		case st.Is("manner leads", w) || strings.HasSuffix(w.Lower(), "ly"):
			phrase := r.Words[end-1 : m.from]
			if cut := slices.IndexFunc(phrase, func(w retrieve.Word) bool { return w.Kind != retrieve.Plain }); cut >= 0 {
				phrase = phrase[:cut]
			}
			if st.takeManner(&m, f, phrase) {
				m.from = end - 1
			}
		}
	}
	return m
}

// longNumber is the last number of the words that is too long to be a measure.
func longNumber(words []retrieve.Word) string {
	for _, w := range slices.Backward(words) {
		if w.Kind == retrieve.Number && len(w.Text) > 4 {
			return w.Text
		}
	}
	return ""
}

// prompt is what something new shows or sounds like: the clause without the order to make it
// and the files that it is made after.
func (st *Reader) prompt(r *scene.Reading) string {
	if q := r.Quoted(); q != "" {
		return q
	}
	text := st.WithoutFiles(r.Words, r.Text)
	if r.Marked() {
		if i, ok := st.Filling(r.Words); ok {
			return strings.TrimRight(st.Text[r.Words[i].Start:r.Words[len(r.Words)-1].End], " ,.;:!?")
		}
		if !st.Any("putting", r.Words) && !st.Any("giving", r.Words) {
			return text // "blur the face here": what is there stays
		}
	}
	words := st.Lexicon.Core(st.Lexicon.Words(text, []retrieve.Span{}))
	orders := func(i int) bool {
		w, class := words[i], st.Lexicon.Class(words[i].Stem)
		_, isMap := english.MapNouns[w.Lower()]
		return i == 0 && (st.IsVerb(w) || class == "draw") || st.Is("prompt fillers", w) || st.Lexicon.Stop(w.Lower()) || st.IsMedia(w) ||
			isMap || w.IsMark() || class == "generat" || i > 0 && st.Is("depicting", w) ||
			class == "music" && i+1 < len(words) && st.Is("depicting", words[i+1])
	}
	for i, w := range words {
		if orders(i) {
			continue
		}
		shown := strings.TrimRight(strings.TrimSpace(text[w.Start:]), " ,.;:!?")
		return strings.TrimSuffix(strings.TrimSuffix(shown, " here"), " there")
	}
	return ""
}

// content is a text to be worked on: what is quoted or follows a colon, or what is left when the order is taken
// away.
func (st *Reader) content(r *scene.Reading, f *profile.Profile) string {
	if q := r.Quoted(); q != "" {
		return q
	}
	if _, after, ok := strings.Cut(r.Text, ": "); ok {
		return strings.TrimSpace(after)
	}
	sections := []string{"text things", "text looks", "languages", "prepositions", "pronouns", "results"}
	orders := func(w retrieve.Word) bool { // it belongs to the order, not to the text
		class := st.Lexicon.Class(w.Stem)
		return w.Kind != retrieve.Plain || st.IsMedia(w) || st.Lexicon.Stop(w.Lower()) || st.Index.Vocabulary(f.Name, class) || f.Values[class] ||
			slices.Contains([]string{"text", "sentenc", "audio", "speech"}, class) ||
			slices.ContainsFunc(sections, func(section string) bool { return st.Is(section, w) })
	}
	words := r.Words[:st.Manner(r, f).from]
	if len(words) > 0 && st.IsVerb(words[0]) {
		words = words[1:]
	}
	begin := slices.IndexFunc(words, func(w retrieve.Word) bool { return w.IsFile() || !orders(w) })
	for k := range max(0, begin) { // "write good morning on it" is no greeting
		if st.Begins("greetings", words[k:]) > 0 {
			begin = k
			break
		}
	}
	if begin >= 0 && begin+2 < len(words) && words[begin].IsFile() && st.Is("lettering", r.Words[0]) && words[begin+1].Lower() == "with" {
		begin += 2 // "stamp a.png with approved"
	}
	if begin < 0 && f.TextOnly {
		return longNumber(words) // "a bar code for 4006381333931"
	}
	if begin < 0 || words[begin].IsFile() || st.Is("lettering", r.Words[0]) && (st.SaysWhere(words[:begin]) || st.SaysWhere(words[:begin+1])) {
		return ""
	}
	says := func(w retrieve.Word) bool {
		return !orders(w) && !st.Is("places", w) && !profile.AnyColour.Reads(w.Text)
	}
	end := st.contentEnd(words, begin, says)
	if owned := begin > 0 && st.Is("people", words[begin-1]); owned && end == begin+1 && st.Is("lettering", r.Words[0]) {
		return "" // "write my name on it" does not tell the name
	}
	start := words[begin].Start
	if start > 0 && strings.ContainsAny(st.Text[start-1:start], "@#") { // "watermark it with @ada"
		start--
	}
	return strings.TrimRight(strings.TrimSpace(st.Text[start:words[end-1].End]), ".,;")
}

// contentEnd is where a text ends that begins at a word: before what leads to the place where it goes, if nothing
// behind that says something, and before politeness.
func (st *Reader) contentEnd(words []retrieve.Word, begin int, says func(retrieve.Word) bool) int {
	end := len(words)
	for k := begin + 1; k+1 < len(words); k++ { // "add hello to the picture", "all over it"
		corner := st.Is("places", words[k]) && st.Is("places", words[k+1]) // "hello bottom left"
		leads := st.Is("targets", words[k]) || st.Is("covering", words[k]) || corner || words[k].Text == ","
		if leads && !slices.ContainsFunc(words[k+1:], says) {
			end = k
			if words[k-1].Lower() == "all" && k-1 > begin {
				end--
			}
			break
		}
	}
	for end > begin+1 && st.Is("closing words", words[end-1]) {
		end--
	}
	return end
}

// Capital reports whether a text begins with a capital letter.
func Capital(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}

// objectOf is the thing that a clause is about: the first run of words that are neither grammar
// nor words that ask for the tool.
func (st *Reader) objectOf(r *scene.Reading, f *profile.Profile) string {
	asks := func(w retrieve.Word) bool { return st.asksFor(f, w) }
	ends := func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain && w.Kind != retrieve.Number || st.Lexicon.Stop(w.Lower()) || st.IsMedia(w) ||
			st.Is("prepositions", w) || st.Is("auxiliaries", w) || st.Is("fillers", w)
	}
	words := r.Words[st.objectStart(r, f):]
	if word := st.quotedWord(words); word != "" {
		return word
	}
	for len(words) > 0 {
		end := slices.IndexFunc(words, ends)
		if end < 0 {
			end = len(words)
		}
		run := words[:end]
		if at := slices.IndexFunc(run, func(w retrieve.Word) bool { return !asks(w) }); at >= 0 && !st.Generic(run[at:]) {
			return st.Text[run[at].Start:run[end-1].End]
		}
		words = words[min(end+1, len(words)):]
	}
	return ""
}

// quotedWord is a word that a clause quotes from a picture, with the noun before it: "the word Total". Any word can be
// quoted so, a small one too.
func (st *Reader) quotedWord(words []retrieve.Word) string {
	for i := 0; i+1 < len(words); i++ {
		next := words[i+1]
		if !st.Is("word nouns", words[i]) || next.IsMark() || next.IsFile() {
			continue
		}
		if next.IsQuote() {
			return words[i].Text + " " + next.Text
		}
		end := i + 1
		if words[i].Lower() == "word" && !st.Is("prepositions", next) {
			end++
		}
		for end < len(words) && !words[end].IsMark() && Capital(st.Text[words[end].Start:]) {
			end++
		}
		if end > i+1 {
			return st.Span(words[i:end])
		}
	}
	return ""
}

// asksFor reports whether the word asks for the tool rather than naming a thing.
func (st *Reader) asksFor(f *profile.Profile, w retrieve.Word) bool {
	class := st.Lexicon.Class(w.Stem)
	return st.Is("generic", w) && w.Lower() != "face" || st.In("asking classes", class) || st.Index.Vocabulary(f.Name, class)
}

// Manner is what a clause says of how a text is to be worked on, where the tool can be told
// it: "in a deep voice". That is no part of the text.
type Manner struct {
	How, Language string
	from          int // the word at which it begins
}

// objectStart is where the thing may begin: after "how many", "number of" and "whether", or
// after the verb of an order.
func (st *Reader) objectStart(r *scene.Reading, f *profile.Profile) int {
	for i, w := range r.Words {
		text, next := w.Lower(), ""
		if i+1 < len(r.Words) {
			next = r.Words[i+1].Lower()
		}
		switch {
		case r.Form == retrieve.Count && (text == "how" && (next == "many" || next == "much") || next == "of" && st.Lexicon.Class(w.Stem) == "count"):
			return i + 2
		case r.Form == retrieve.Where && text == "where" && i > 0, r.Form == retrieve.YesNo && (text == "if" || text == "whether") && i > 0:
			return i + 1
		}
	}
	if r.Form == retrieve.Order && len(r.Words) > 0 && r.Words[0].Kind == retrieve.Plain {
		first := r.Words[0]
		if len(r.Words) > 1 && (st.Is("ordered things", r.Words[1]) || st.Is("articles", r.Words[1])) {
			return 1 // an order, even if nobody knows the verb: "stabilize this video"
		}
		if strings.HasSuffix(first.Lower(), "ing") || st.IsVerb(first) || st.Index.Vocabulary(f.Name, st.Lexicon.Class(first.Stem)) {
			return 1
		}
	}
	return 0
}

// takeManner keeps what the phrase says; false if it says nothing of how.
func (st *Reader) takeManner(m *Manner, f *profile.Profile, phrase []retrieve.Word) bool {
	taken := false
	for _, a := range f.Args {
		switch {
		case !a.Optional:
		case a.Meaning == plan.Language && len(phrase) <= 3:
			if i := st.Find("languages", phrase); i >= 0 && m.Language == "" {
				m.Language, taken = phrase[i].Text, true
			}
		case a.Meaning == plan.Instruction && !english.Has(phrase, "the"):
			about := english.WordsOf(a.About)
			described := func(w retrieve.Word) bool {
				asks := st.Lexicon.Stop(w.Lower()) || st.Index.Vocabulary(f.Name, st.Lexicon.Class(w.Stem))
				return !asks && slices.Contains(about, strings.TrimSuffix(w.Lower(), "ly"))
			}
			if slices.ContainsFunc(phrase, described) {
				m.How, taken = strings.Trim(st.Text[phrase[0].Start:phrase[len(phrase)-1].End]+", "+m.How, ", "), true
			}
		}
	}
	return taken
}
