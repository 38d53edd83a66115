package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// reading is a clause as it is understood.
type reading struct {
	clause  clause
	words   []retrieve.Word // without the polite wrapping
	text    string          // the clause, with what is said more about it
	form    retrieve.Form
	files   []thing // that it names
	refs    references
	stated  []quantity.Quantity // quantities, by their places in the clause
	head    *profile            // the tool that gives what is asked for
	score   float64             // how sure that is, 0 to 1
	rivals  []rival             // all tools that come near, the nearest first
	object  string              // the thing that it is about
	results []thing             // what its subtasks make
	prev    *reading            // the clause before that made something
	told    string              // what a statement before it told
}

// references are the ways in which a clause points at things without naming them.
type references struct {
	pronoun  bool               // it, that
	plural   bool               // them, both, all
	result   bool               // the result, the new picture
	sequence bool               // "… and then …"
	original bool               // "the original"
	definite map[plan.Type]bool // "the picture", "the mask"
	ordinal  int                // which of several: 1 the first, -1 the last, 0 not said
}

// points reports whether the clause points at anything.
func (r references) points() bool {
	return r.pronoun || r.result || r.sequence || len(r.definite) > 0
}

// read takes in the clause of number n.
func (t *thread) read(n int, c clause) *reading {
	if t.quoter.ordersLettering(c) {
		c = t.quoter.quoteAnnounced(c)
	}
	r := &reading{clause: c, words: t.Lexicon.Core(c.words), text: c.text, form: t.Lexicon.FormOf(c.words), head: &profile{}, prev: t.prev, told: t.told}
	if len(c.more) > 0 {
		r.text += ". " + strings.Join(c.more, ". ")
	}
	for i, w := range c.words {
		if !w.IsFile() {
			continue
		}
		res, ok := t.lookup(w.Text)
		if t.Spares(c.words, i) {
			t.things = slices.DeleteFunc(t.things, func(e thing) bool { return ok && e.source.Name == res.Name })
			continue
		}
		switch e := t.named(n, res); {
		case ok && !among(r.files, e):
			r.files = append(r.files, e)
		case !ok && !t.isOutputName(w):
			t.unknown = append(t.unknown, w.Text)
		}
	}
	for _, e := range r.files {
		if e.on == "" {
			t.mention(e, n)
		}
	}
	r.refs, r.stated = t.references(r), quantitiesIn(t.text, c.words)
	return r
}

// isOutputName reports whether a name that nothing has is the name of a result: "save it as edges.png".
func (s *scene) isOutputName(w retrieve.Word) bool {
	i := slices.IndexFunc(s.words, func(o retrieve.Word) bool { return o.Start == w.Start })
	for i > 1 && s.Is("articles", s.words[i-1]) { // "make a favicon.ico"
		i--
	}
	return i > 0 && (s.In("naming", s.words[i-1].Lower()) || i < len(s.words) && s.Is("articles", s.words[i]) && s.Is("making", s.words[i-1]))
}

// references reads how the clause points at things.
func (ts *tools) references(r *reading) references {
	refs := references{sequence: r.clause.join == after, definite: map[plan.Type]bool{}}
	words := r.clause.words
	for i, w := range words {
		if w.Kind != retrieve.Plain {
			continue
		}
		text, next := w.Lower(), ""
		if i+1 < len(words) && words[i+1].Kind == retrieve.Plain {
			next = words[i+1].Lower()
		}
		switch {
		case ts.In("results", text):
			refs.result = true
		case ts.In("pronouns", text):
			refs.pronoun = refs.pronoun || next == "" || !ts.Introduces(text, words[i+1])
		case ts.In("plurals", text):
			refs.plural = true
			refs.pronoun = refs.pronoun || text == "them" || text == "both" || text == "they"
		case text == "original":
			refs.original = true
		case text == "latter", text == "former", ts.In("counted things", next) && english.Ordinals[text] != 0:
			refs.ordinal = english.Ordinals[text]
		}
		if ts.Determined(words, i) {
			ts.definite(&refs, text, w)
		}
	}
	return refs
}

// definite takes in a noun that speaks of something given.
func (ts *tools) definite(refs *references, text string, w retrieve.Word) {
	if typ := ts.Lexicon.MediaNoun([]retrieve.Word{w}); typ != "" {
		refs.definite[typ] = true
		refs.plural = refs.plural || strings.HasSuffix(text, "s") && text != "canvas"
	}
	if typ, ok := english.MapNouns[text]; ok {
		refs.definite[typ] = true
	}
	if ts.In("sound nouns", text) {
		refs.definite[plan.Audio] = true
	}
	if ts.In("text nouns", text) {
		refs.definite[plan.Text] = true
	}
}

// verb returns the first word of the clause in lower case.
func (r *reading) verb() string {
	if len(r.words) == 0 {
		return ""
	}
	return r.words[0].Lower()
}

// marked reports whether the clause means something that is marked on a picture.
func (r *reading) marked() bool {
	return slices.ContainsFunc(r.files, func(e thing) bool { return e.on != "" })
}

// quoted is the longest quotation in the clause.
func (r *reading) quoted() string {
	best := ""
	for _, w := range r.clause.words {
		if w.IsQuote() && len(w.Text) > len(best) {
			best = w.Text
		}
	}
	return best
}

// span is the text of the clause as it is written, and where it begins.
func (r *reading) span(text string) (string, int) {
	if len(r.clause.words) == 0 {
		return "", 0
	}
	start := r.clause.words[0].Start
	return text[start:r.clause.words[len(r.clause.words)-1].End], start
}

// quantitiesIn are those of the words of a text that stand outside of the names of files. Their
// places are those after the first word.
func quantitiesIn(text string, words []retrieve.Word) []quantity.Quantity {
	if len(words) == 0 {
		return nil
	}
	start, end := words[0].Start, words[len(words)-1].End
	return slices.DeleteFunc(quantity.Find(text[start:end]), func(q quantity.Quantity) bool {
		return slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.IsFile() && overlaps(w, q, start) })
	})
}

// overlaps reports whether a word and a quantity of a text that begins at start share letters.
func overlaps(w retrieve.Word, q quantity.Quantity, start int) bool {
	return w.Start < start+q.End && w.End > start+q.Start
}
