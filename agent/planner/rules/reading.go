package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
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
	if t.ordersLettering(c) {
		c = t.quoteAnnounced(c)
	}
	r := &reading{clause: c, words: t.lexicon.Core(c.words), text: c.text, form: t.lexicon.FormOf(c.words), head: &profile{}, prev: t.prev, told: t.told}
	if len(c.more) > 0 {
		r.text += ". " + strings.Join(c.more, ". ")
	}
	for i, w := range c.words {
		if !isFile(w) {
			continue
		}
		res, ok := t.lookup(w.Text)
		if t.spares(c.words, i) {
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

// spares reports whether the file at i is named to be left alone: "not b.png", "except a.png".
func (g *grammar) spares(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		switch {
		case g.is("sparing", words[k]):
			return true
		case !g.lexicon.Stop(words[k].Text) && !g.isMedia(words[k]):
			return false
		}
	}
	return false
}

// isOutputName reports whether a name that nothing has is the name of a result: "save it as edges.png".
func (s *scene) isOutputName(w retrieve.Word) bool {
	i := slices.IndexFunc(s.words, func(o retrieve.Word) bool { return o.Start == w.Start })
	for i > 1 && s.is("articles", s.words[i-1]) { // "make a favicon.ico"
		i--
	}
	return i > 0 && (s.in("naming", lower(s.words[i-1])) || i < len(s.words) && s.is("articles", s.words[i]) && s.is("making", s.words[i-1]))
}

// references reads how the clause points at things.
func (g *grammar) references(r *reading) references {
	refs := references{sequence: r.clause.join == after, definite: map[plan.Type]bool{}}
	words := r.clause.words
	for i, w := range words {
		if w.Kind != retrieve.Plain {
			continue
		}
		text, next := lower(w), ""
		if i+1 < len(words) && words[i+1].Kind == retrieve.Plain {
			next = lower(words[i+1])
		}
		switch {
		case g.in("results", text):
			refs.result = true
		case g.in("pronouns", text):
			refs.pronoun = refs.pronoun || next == "" || !g.introduces(text, words[i+1])
		case g.in("plurals", text):
			refs.plural = true
			refs.pronoun = refs.pronoun || text == "them" || text == "both" || text == "they"
		case text == "original":
			refs.original = true
		case text == "latter", text == "former", g.in("counted things", next) && ordinals[text] != 0:
			refs.ordinal = ordinals[text]
		}
		if g.determined(words, i) {
			g.definite(&refs, text, w)
		}
	}
	return refs
}

// introduces reports whether a "this" or "that" belongs to the word after it: "this dog".
func (g *grammar) introduces(text string, next retrieve.Word) bool {
	return (text == "this" || text == "that") && !g.lexicon.Stop(lower(next)) && !g.is("prepositions", next) &&
		!g.is("courtesy", next) && !g.isMedia(next)
}

// definite takes in a noun that speaks of something given.
func (g *grammar) definite(refs *references, text string, w retrieve.Word) {
	if typ := g.lexicon.MediaNoun([]retrieve.Word{w}); typ != "" {
		refs.definite[typ] = true
		refs.plural = refs.plural || strings.HasSuffix(text, "s") && text != "canvas"
	}
	if typ, ok := mapNouns[text]; ok {
		refs.definite[typ] = true
	}
	if g.in("sound nouns", text) {
		refs.definite[plan.Audio] = true
	}
	if g.in("text nouns", text) {
		refs.definite[plan.Text] = true
	}
}

// verb returns the first word of the clause in lower case.
func (r *reading) verb() string {
	if len(r.words) == 0 {
		return ""
	}
	return lower(r.words[0])
}

// marked reports whether the clause means something that is marked on a picture.
func (r *reading) marked() bool {
	return slices.ContainsFunc(r.files, func(e thing) bool { return e.on != "" })
}

// has reports whether one of the words is that plain one.
func has(words []retrieve.Word, text string) bool {
	return slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && lower(w) == text })
}

// quoted is the longest quotation in the clause.
func (r *reading) quoted() string {
	best := ""
	for _, w := range r.clause.words {
		if isQuote(w) && len(w.Text) > len(best) {
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
		return slices.ContainsFunc(words, func(w retrieve.Word) bool { return isFile(w) && overlaps(w, q, start) })
	})
}

// overlaps reports whether a word and a quantity of a text that begins at start share letters.
func overlaps(w retrieve.Word, q quantity.Quantity, start int) bool {
	return w.Start < start+q.End && w.End > start+q.Start
}
