package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/retrieve"
)

// settings takes out of a clause what its tool is told.
type settings struct{ *scene }

// textFor takes out of a clause what a text argument of that meaning wants; "" if the
// clause does not say it.
func (st *settings) textFor(r *reading, m plan.Meaning, f *profile) string {
	switch m {
	case plan.Object:
		return r.object
	case plan.Prompt:
		return st.prompt(r)
	case plan.Content:
		return st.content(r, f)
	case plan.Amount:
		return st.amount(r)
	case plan.Format:
		return st.format(r)
	case plan.Language:
		return st.language(r)
	case plan.Place:
		return st.place(r, f)
	case plan.Query:
		return st.withoutFiles(r.words, r.text)
	default:
		return st.instruction(r)
	}
}

// instruction is the clause as an order. Where it only points at the thing that the clause
// before was about, the thing is named.
func (st *settings) instruction(r *reading) string {
	text := st.withoutFiles(r.words, r.text)
	same := r.object != "" && r.prev != nil && r.prev.object == r.object
	if !same || strings.Contains(strings.ToLower(text), strings.ToLower(r.object)) {
		return text
	}
	fields := strings.Fields(text)
	for i, word := range fields {
		switch bare := strings.Trim(word, ".,!?"); strings.ToLower(bare) {
		case "it", "them", "that":
			fields[i] = strings.Replace(word, bare, "the "+r.object, 1)
			return strings.Join(fields, " ")
		}
	}
	return text
}

// withoutFiles writes the words of a clause again without names of files and what led to
// them. whole is the clause with what is said more about it.
func (st *settings) withoutFiles(words []retrieve.Word, whole string) string {
	if len(words) == 0 {
		return ""
	}
	text := st.text[words[0].Start:words[len(words)-1].End]
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
		b.WriteString(st.text[w.Start:w.End])
		last = i
	}
	return strings.TrimSpace(strings.TrimRight(b.String(), " ,:;")) + more
}

// prompt is what something new shows or sounds like: the clause without the order to make it
// and the files that it is made after.
func (st *settings) prompt(r *reading) string {
	if q := r.quoted(); q != "" {
		return q
	}
	text := st.withoutFiles(r.words, r.text)
	if r.marked() {
		if i, ok := st.Filling(r.words); ok {
			return strings.TrimRight(st.text[r.words[i].Start:r.words[len(r.words)-1].End], " ,.;:!?")
		}
		if !st.Any("putting", r.words) && !st.Any("giving", r.words) {
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
func (st *settings) content(r *reading, f *profile) string {
	if q := r.quoted(); q != "" {
		return q
	}
	if _, after, ok := strings.Cut(r.text, ": "); ok {
		return strings.TrimSpace(after)
	}
	sections := []string{"text things", "text looks", "languages", "prepositions", "pronouns", "results"}
	orders := func(w retrieve.Word) bool { // it belongs to the order, not to the text
		class := st.Lexicon.Class(w.Stem)
		return w.Kind != retrieve.Plain || st.IsMedia(w) || st.Lexicon.Stop(w.Lower()) || st.index.Vocabulary(f.Name, class) || f.values[class] ||
			slices.Contains([]string{"text", "sentenc", "audio", "speech"}, class) ||
			slices.ContainsFunc(sections, func(section string) bool { return st.Is(section, w) })
	}
	words := r.words[:st.manner(r, f).from]
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
	if begin >= 0 && begin+2 < len(words) && words[begin].IsFile() && st.Is("lettering", r.words[0]) && words[begin+1].Lower() == "with" {
		begin += 2 // "stamp a.png with approved"
	}
	if begin < 0 && f.textOnly {
		return longNumber(words) // "a bar code for 4006381333931"
	}
	if begin < 0 || words[begin].IsFile() || st.Is("lettering", r.words[0]) && (st.SaysWhere(words[:begin]) || st.SaysWhere(words[:begin+1])) {
		return ""
	}
	end := len(words)
	says := func(w retrieve.Word) bool { return !orders(w) && !st.Is("places", w) && !anyColour.Reads(w.Text) }
	for k := begin + 1; k+1 < len(words); k++ { // "add hello to the picture"
		if st.Is("targets", words[k]) && !slices.ContainsFunc(words[k+1:], says) {
			end = k
			break
		}
	}
	for end > begin+1 && st.Is("closing words", words[end-1]) {
		end--
	}
	start := words[begin].Start
	if start > 0 && strings.ContainsAny(st.text[start-1:start], "@#") { // "watermark it with @ada"
		start--
	}
	return strings.TrimRight(strings.TrimSpace(st.text[start:words[end-1].End]), ".,;")
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

// objectOf is the thing that a clause is about: the first run of words that are neither grammar
// nor words that ask for the tool.
func (st *settings) objectOf(r *reading, f *profile) string {
	asks := func(w retrieve.Word) bool { return st.asksFor(f, w) }
	ends := func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain && w.Kind != retrieve.Number || st.Lexicon.Stop(w.Lower()) || st.IsMedia(w) ||
			st.Is("prepositions", w) || st.Is("auxiliaries", w) || st.Is("fillers", w)
	}
	words := r.words[st.objectStart(r, f):]
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
			return st.text[run[at].Start:run[end-1].End]
		}
		words = words[min(end+1, len(words)):]
	}
	return ""
}

// quotedWord is a word that a clause quotes from a picture, with the noun before it: "the word Total". Any word can be
// quoted so, a small one too.
func (st *settings) quotedWord(words []retrieve.Word) string {
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
		for end < len(words) && !words[end].IsMark() && capital(st.text[words[end].Start:]) {
			end++
		}
		if end > i+1 {
			return st.span(words[i:end])
		}
	}
	return ""
}

func capital(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}

// meantObject is the thing that the clause is about: the one that it names, or that of the
// clause before where it says "it" or goes on with the same tool.
func (st *settings) meantObject(r *reading) string {
	object := st.objectOf(r, r.head)
	if object != "" || r.prev == nil {
		return object
	}
	pointedAt := r.refs.pronoun && len(r.files) == 0 && r.prev.head.Returns != plan.Image
	again := r.prev.head.Name == r.head.Name && r.clause.join == along // "how many cars are in a.jpg, and how many in b.jpg"
	if pointedAt || again {
		return r.prev.object
	}
	return ""
}

// asksFor reports whether the word asks for the tool rather than naming a thing.
func (st *settings) asksFor(f *profile, w retrieve.Word) bool {
	class := st.Lexicon.Class(w.Stem)
	return st.Is("generic", w) && w.Lower() != "face" || st.In("asking classes", class) || st.index.Vocabulary(f.Name, class)
}

// objectStart is where the thing may begin: after "how many", "number of" and "whether", or
// after the verb of an order.
func (st *settings) objectStart(r *reading, f *profile) int {
	for i, w := range r.words {
		text, next := w.Lower(), ""
		if i+1 < len(r.words) {
			next = r.words[i+1].Lower()
		}
		switch {
		case r.form == retrieve.Count && (text == "how" && (next == "many" || next == "much") || next == "of" && st.Lexicon.Class(w.Stem) == "count"):
			return i + 2
		case r.form == retrieve.Where && text == "where" && i > 0, r.form == retrieve.YesNo && (text == "if" || text == "whether") && i > 0:
			return i + 1
		}
	}
	if r.form == retrieve.Order && len(r.words) > 0 && r.words[0].Kind == retrieve.Plain {
		first := r.words[0]
		if len(r.words) > 1 && (st.Is("ordered things", r.words[1]) || st.Is("articles", r.words[1])) {
			return 1 // an order, even if nobody knows the verb: "stabilize this video"
		}
		if strings.HasSuffix(first.Lower(), "ing") || st.IsVerb(first) || st.index.Vocabulary(f.Name, st.Lexicon.Class(first.Stem)) {
			return 1
		}
	}
	return 0
}

// manner is what a clause says of how a text is to be worked on, where the tool can be told
// it: "in a deep voice". That is no part of the text.
type manner struct {
	how, language string
	from          int // the word at which it begins
}

// manner takes phrases with a preposition, and adverbs, off the end of the clause, or off the
// end of what stands before a quotation.
func (st *settings) manner(r *reading, f *profile) manner {
	m := manner{from: len(r.words)}
	for end := len(r.words); end > 0; end-- {
		switch w := r.words[end-1]; {
		case w.IsQuote() || w.Text == ":":
			m.from = len(r.words) // what is quoted is the text
		case st.Is("manner leads", w) || strings.HasSuffix(w.Lower(), "ly"):
			phrase := r.words[end-1 : m.from]
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

// takeManner keeps what the phrase says; false if it says nothing of how.
func (st *settings) takeManner(m *manner, f *profile, phrase []retrieve.Word) bool {
	taken := false
	for _, a := range f.Args {
		switch {
		case !a.Optional:
		case a.Meaning == plan.Language && len(phrase) <= 3:
			if i := st.Find("languages", phrase); i >= 0 && m.language == "" {
				m.language, taken = phrase[i].Text, true
			}
		case a.Meaning == plan.Instruction && !english.Has(phrase, "the"):
			about := english.WordsOf(a.About)
			described := func(w retrieve.Word) bool {
				asks := st.Lexicon.Stop(w.Lower()) || st.index.Vocabulary(f.Name, st.Lexicon.Class(w.Stem))
				return !asks && slices.Contains(about, strings.TrimSuffix(w.Lower(), "ly"))
			}
			if slices.ContainsFunc(phrase, described) {
				m.how, taken = strings.Trim(st.text[phrase[0].Start:phrase[len(phrase)-1].End]+", "+m.how, ", "), true
			}
		}
	}
	return taken
}
