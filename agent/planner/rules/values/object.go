package values

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// Objects finds the objects that clauses are about.
type Objects struct{ *scene.Scene }

// Meant returns the object that the clause is about: the one that it names, or that of the previous clause if it says
// "it" or continues with the same tool.
func (o Objects) Meant(r *scene.Reading) string {
	object := o.of(r, r.Head)
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

// of returns the object that a clause names: the first run of words that are neither grammar nor words that ask for the
// tool.
func (o Objects) of(r *scene.Reading, f *profile.Profile) string {
	asks := func(w retrieve.Word) bool { return o.asksFor(f, w) }
	ends := func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain && w.Kind != retrieve.Number || o.Lexicon.Stop(w.Lower()) || o.IsMedia(w) ||
			o.Is("prepositions", w) || o.Is("auxiliaries", w) || o.Is("fillers", w)
	}
	words := r.Words[o.start(r, f):]
	if word := o.quotedWord(words); word != "" {
		return word
	}
	for len(words) > 0 {
		end := slices.IndexFunc(words, ends)
		if end < 0 {
			end = len(words)
		}
		run := words[:end]
		if at := slices.IndexFunc(run, func(w retrieve.Word) bool { return !asks(w) }); at >= 0 && !o.generic(run[at:]) {
			return o.Text[run[at].Start:run[end-1].End]
		}
		words = words[min(end+1, len(words)):]
	}
	return ""
}

// quotedWord returns a word that a clause quotes from a picture, with the noun before it: "the word Total". It can be any
// word, even a small one.
func (o Objects) quotedWord(words []retrieve.Word) string {
	for i := 0; i+1 < len(words); i++ {
		next := words[i+1]
		if !o.Is("word nouns", words[i]) || next.IsMark() || next.IsFile() {
			continue
		}
		if next.IsQuote() {
			return words[i].Text + " " + next.Text
		}
		end := i + 1
		if words[i].Lower() == "word" && !o.Is("prepositions", next) {
			end++
		}
		for end < len(words) && !words[end].IsMark() && Capital(o.Text[words[end].Start:]) {
			end++
		}
		if end > i+1 {
			return o.Span(words[i:end])
		}
	}
	return ""
}

// asksFor reports whether the word asks for the tool rather than naming an object.
func (o Objects) asksFor(f *profile.Profile, w retrieve.Word) bool {
	class := o.Lexicon.Class(w.Stem)
	return o.Is("generic", w) && w.Lower() != "face" || o.In("asking classes", class) || o.Index.Vocabulary(f.Name, class)
}

// start returns where the object may begin: after "how many", "number of" or "whether", or after
// the verb of an order.
func (o Objects) start(r *scene.Reading, f *profile.Profile) int {
	for i, w := range r.Words {
		text, next := w.Lower(), ""
		if i+1 < len(r.Words) {
			next = r.Words[i+1].Lower()
		}
		switch {
		case r.Form == retrieve.Count && (text == "how" && (next == "many" || next == "much") || next == "of" && o.Lexicon.Class(w.Stem) == "count"):
			return i + 2
		case r.Form == retrieve.Where && text == "where" && i > 0, r.Form == retrieve.YesNo && (text == "if" || text == "whether") && i > 0:
			return i + 1
		}
	}
	if r.Form == retrieve.Order && len(r.Words) > 0 && r.Words[0].Kind == retrieve.Plain {
		first := r.Words[0]
		if len(r.Words) > 1 && (o.Is("ordered things", r.Words[1]) || o.Is("articles", r.Words[1])) {
			return 1 // an order, even if nobody knows the verb: "stabilize this video"
		}
		if strings.HasSuffix(first.Lower(), "ing") || o.IsVerb(first) || o.Index.Vocabulary(f.Name, o.Lexicon.Class(first.Stem)) {
			return 1
		}
	}
	return 0
}

// generic reports whether the words name no particular object: "objects", "everything", "odd pages", "the bottom right quarter".
func (o Objects) generic(words []retrieve.Word) bool {
	if slices.ContainsFunc(words, func(w retrieve.Word) bool { return o.Is("no objects", w) }) {
		return true
	}
	empty := []string{"unspecific", "generic", "grades", "places", "prepositions"}
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return !o.Lexicon.Stop(w.Lower()) && !slices.ContainsFunc(empty, func(section string) bool { return o.Is(section, w) })
	})
}
