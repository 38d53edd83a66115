package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// textFor takes out of a clause what a text argument of that meaning wants; "" if the
// clause does not say it.
func (s *scene) textFor(r *reading, m plan.Meaning, f *profile) string {
	switch m {
	case plan.Object:
		return r.object
	case plan.Prompt:
		return s.prompt(r)
	case plan.Content:
		return s.content(r, f)
	case plan.Amount:
		return s.amount(r)
	case plan.Format:
		return s.format(r)
	case plan.Language:
		return s.language(r)
	case plan.Place:
		return s.place(r, f)
	case plan.Query:
		return s.withoutFiles(r.words, r.text)
	default:
		return s.instruction(r)
	}
}

// instruction is the clause as an order. Where it only points at the thing that the clause
// before was about, the thing is named.
func (s *scene) instruction(r *reading) string {
	text := s.withoutFiles(r.words, r.text)
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
func (s *scene) withoutFiles(words []retrieve.Word, whole string) string {
	if len(words) == 0 {
		return ""
	}
	text := s.text[words[0].Start:words[len(words)-1].End]
	_, more, _ := strings.Cut(whole, text)
	if !slices.ContainsFunc(words, isFile) {
		return text + more
	}
	var b strings.Builder
	skip := s.filePhrases(words)
	last := -1
	for i, w := range words {
		if skip[i] || isMark(w) && b.Len() == 0 {
			continue
		}
		if last >= 0 && !isMark(w) && (last != i-1 || w.Start > words[i-1].End) {
			b.WriteByte(' ')
		}
		b.WriteString(s.text[w.Start:w.End])
		last = i
	}
	return strings.TrimSpace(strings.TrimRight(b.String(), " ,:;")) + more
}

// filePhrases marks the words that only hand a file over: "in the image file cat.png".
func (g *grammar) filePhrases(words []retrieve.Word) []bool {
	skip := make([]bool, len(words))
	leads := func(k int) bool { // "the photo", "depth map", the "and" between two names
		w := words[k]
		if w.Kind != retrieve.Plain {
			return w.Text == ","
		}
		_, isMap := mapNouns[lower(w)]
		return lower(w) == "and" && k > 0 && skip[k-1] || g.english.is("file words", w) || g.isMedia(w) || isMap
	}
	for i, w := range words {
		if !isFile(w) {
			continue
		}
		skip[i] = true
		k := i - 1
		for ; k >= 0 && leads(k); k-- {
			skip[k] = true
		}
		if k < 0 || words[k].Kind != retrieve.Plain {
			continue
		}
		switch text := lower(words[k]); {
		case text == "given", text == "using", text == "use":
			skip[k] = true
		case g.english.in("prepositions", text) && !slices.Contains([]string{"and", "or", "if", "whether", "that", "which"}, text):
			skip[k] = true
			if k > 0 && (lower(words[k-1]) == "based" || lower(words[k-1]) == "according") {
				skip[k-1] = true
			}
		}
	}
	return skip
}

// prompt is what something new shows or sounds like: the clause without the order to make it
// and the files that it is made after.
func (s *scene) prompt(r *reading) string {
	if q := r.quoted(); q != "" {
		return q
	}
	text := s.withoutFiles(r.words, r.text)
	if r.marked() {
		if i, ok := s.filling(r.words); ok {
			return strings.TrimRight(s.text[r.words[i].Start:r.words[len(r.words)-1].End], " ,.;:!?")
		}
		if !s.english.any("putting", r.words) && !s.english.any("giving", r.words) {
			return text // "blur the face here": what is there stays
		}
	}
	words := s.lexicon.Core(s.lexicon.Words(text, []retrieve.Span{}))
	start, begun := len(words), false
	for i, w := range words {
		_, isMap := mapNouns[lower(w)]
		filler := s.english.is("prompt fillers", w) || s.lexicon.Stop(lower(w)) || s.isMedia(w) || isMap || s.lexicon.Class(w.Stem) == "generat"
		music := !begun && i+1 < len(words) && s.lexicon.Class(w.Stem) == "music" && s.english.is("depicting", words[i+1])
		switch {
		case w.Text == ":":
			start = i + 1
		case isMark(w):
			continue
		case w.Kind == retrieve.Plain && i > 0 && s.english.is("depicting", w):
			start, begun = i+1, true
			continue
		case w.Kind == retrieve.Plain && (i == 0 && (s.isVerb(w) || s.lexicon.Class(w.Stem) == "draw") || filler || music):
			continue
		default:
			start = i
		}
		break
	}
	if start >= len(words) {
		return ""
	}
	shown := strings.TrimRight(strings.TrimSpace(text[words[start].Start:]), " ,.;:!?")
	if r.marked() { // where it comes to is marked
		shown = strings.TrimSuffix(strings.TrimSuffix(shown, " here"), " there")
	}
	return shown
}

// content is a text to be worked on: what is quoted or follows a colon, or what is left when
// the order is taken away.
func (s *scene) content(r *reading, f *profile) string {
	if q := r.quoted(); q != "" {
		return q
	}
	for _, colon := range []string{": ", ":\n"} {
		if _, after, ok := strings.Cut(r.text, colon); ok && after != "" {
			return strings.TrimSpace(after)
		}
	}
	if f.textOnly && len(r.files) > 0 || !f.textOnly && (len(r.words) == 0 || !s.english.is("inscribing", r.words[0])) {
		return "" // what the files say or show is meant
	}
	words := r.words[:s.manner(r, f).from]
	orders := func(w retrieve.Word) bool { // it belongs to the order, not to the text
		class := s.lexicon.Class(w.Stem)
		return slices.Contains([]string{"text", "sentenc", "audio", "speech"}, class) || s.lexicon.Stop(lower(w)) || s.index.Vocabulary(f.Name, class) ||
			slices.ContainsFunc([]string{"text things", "languages", "prepositions", "pronouns", "results"}, func(section string) bool { return s.english.is(section, w) })
	}
	begin := 0
	for ; begin < len(words); begin++ {
		w := words[begin]
		if isFile(w) {
			return ""
		}
		if w.Kind == retrieve.Plain && (begin > 0 || !s.isVerb(w)) && !orders(w) && !s.isMedia(w) {
			break
		}
	}
	end := len(words)
	for k := len(words) - 1; k > begin; k-- { // "add hello to the picture"
		if k+1 < len(words) && s.english.is("targets", words[k]) {
			end = k
		}
		if w := words[k]; w.Kind == retrieve.Plain && !orders(w) && !s.isMedia(w) && !s.english.is("places", w) {
			break
		}
	}
	if begin >= end {
		return ""
	}
	return strings.TrimRight(strings.TrimSpace(s.text[words[begin].Start:words[end-1].End]), ".,;")
}

// objectOf is the thing that a clause is about: the first run of words that are neither grammar
// nor words that ask for the tool.
func (s *scene) objectOf(r *reading, f *profile) string {
	asks := func(w retrieve.Word) bool { return s.asksFor(f, w) }
	ends := func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain && w.Kind != retrieve.Number || s.lexicon.Stop(lower(w)) || s.isMedia(w) ||
			s.english.is("prepositions", w) || s.english.is("auxiliaries", w) || s.english.is("fillers", w)
	}
	words := r.words[s.objectStart(r, f):]
	for len(words) > 0 {
		end := slices.IndexFunc(words, ends)
		if end < 0 {
			end = len(words)
		}
		run := words[:end]
		if at := slices.IndexFunc(run, func(w retrieve.Word) bool { return !asks(w) }); at >= 0 && !s.generic(run[at:]) {
			return s.text[run[at].Start:run[end-1].End]
		}
		words = words[min(end+1, len(words)):]
	}
	return ""
}

// asksFor reports whether the word asks for the tool rather than naming a thing.
func (ts *tools) asksFor(f *profile, w retrieve.Word) bool {
	class := ts.lexicon.Class(w.Stem)
	return ts.english.is("generic", w) && lower(w) != "face" || ts.english.in("asking classes", class) || ts.index.Vocabulary(f.Name, class)
}

// generic reports whether the words name no particular thing: "objects", "everything".
func (g *grammar) generic(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return !g.english.is("unspecific", w) && !g.english.is("generic", w) && !g.lexicon.Stop(lower(w)) && !g.english.is("prepositions", w)
	})
}

// objectStart is where the thing may begin: after "how many", "number of" and "whether", or
// after the verb of an order.
func (ts *tools) objectStart(r *reading, f *profile) int {
	for i, w := range r.words {
		text, next := lower(w), ""
		if i+1 < len(r.words) {
			next = lower(r.words[i+1])
		}
		switch {
		case r.form == retrieve.Count && (text == "how" && (next == "many" || next == "much") || next == "of" && ts.lexicon.Class(w.Stem) == "count"):
			return i + 2
		case r.form == retrieve.Where && text == "where" && i > 0, r.form == retrieve.YesNo && (text == "if" || text == "whether") && i > 0:
			return i + 1
		}
	}
	if r.form == retrieve.Order && len(r.words) > 0 && r.words[0].Kind == retrieve.Plain {
		first := r.words[0]
		if len(r.words) > 1 && (ts.english.is("ordered things", r.words[1]) || ts.english.is("articles", r.words[1])) {
			return 1 // an order, even if nobody knows the verb: "stabilize this video"
		}
		if strings.HasSuffix(lower(first), "ing") || ts.isVerb(first) || ts.index.Vocabulary(f.Name, ts.lexicon.Class(first.Stem)) {
			return 1
		}
	}
	return 0
}

// manner is what a clause says of how a text is to be worked on, where the tool can be told
// it: "in a deep voice". That is no part of the text.
type manner struct {
	how, language string
	from          int // the word at which it begins, if nothing else follows
}

func (s *scene) manner(r *reading, f *profile) manner {
	m := manner{from: len(r.words)}
	told := slices.DeleteFunc(slices.Clone(f.Args), func(a toolbox.Arg) bool {
		return !a.Optional || a.Meaning != plan.Instruction && a.Meaning != plan.Language
	})
	if len(told) == 0 {
		return m
	}
	begin := 0
	for i, w := range r.words {
		if isQuote(w) || w.Text == ":" {
			s.readManner(&m, f, told, r.words[begin:i])
			begin = i + 1
		}
		if w.Text == ":" {
			return m
		}
	}
	m.from = begin + s.readManner(&m, f, told, r.words[begin:])
	return m
}

// readManner takes phrases off the end of the words, and returns where the first of them begins.
func (s *scene) readManner(m *manner, f *profile, told []toolbox.Arg, words []retrieve.Word) int {
	for end := len(words); ; {
		last := end
		for last > 0 && isMark(words[last-1]) {
			last--
		}
		k := last - 1
		if k < 0 || words[k].Kind != retrieve.Plain {
			return end
		}
		if !strings.HasSuffix(lower(words[k]), "ly") && (k == 0 || !isMark(words[k-1])) { // no adverb: a phrase with a preposition
			k--
			for k >= max(0, last-longClause-1) && words[k].Kind == retrieve.Plain && !s.english.is("manner leads", words[k]) {
				k--
			}
			if k < 0 || !s.english.is("manner leads", words[k]) {
				return end
			}
		}
		if !s.takeManner(m, f, told, words[k:last]) {
			return end
		}
		end = k
	}
}

// takeManner keeps what the phrase says; false if it says nothing of how.
func (s *scene) takeManner(m *manner, f *profile, told []toolbox.Arg, phrase []retrieve.Word) bool {
	taken := false
	for _, a := range told {
		if a.Meaning == plan.Language {
			if i := s.english.index("languages", phrase); i >= 0 && m.language == "" && len(phrase) <= 3 {
				m.language, taken = phrase[i].Text, true
			}
			continue
		}
		about := set{} // the words by which the argument is described
		for _, w := range s.lexicon.Words(a.About, nil) {
			if w.Kind == retrieve.Plain && !s.lexicon.Stop(lower(w)) && !s.index.Vocabulary(f.Name, s.lexicon.Class(w.Stem)) {
				about[bare(w)] = true
			}
		}
		if !has(phrase, "the") && slices.ContainsFunc(phrase, func(w retrieve.Word) bool { return about[bare(w)] }) {
			m.how = strings.Trim(s.text[phrase[0].Start:phrase[len(phrase)-1].End]+", "+m.how, ", ")
			taken = true
		}
	}
	return taken
}

// bare is a word without the ends of a genitive and of an adverb.
func bare(w retrieve.Word) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(lower(w), "'s"), "’s"), "ly")
}
