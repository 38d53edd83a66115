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

// isOutputName reports whether a name that nothing has is the name of a result: "save it as edges.png".
func (s *scene) isOutputName(w retrieve.Word) bool {
	i := slices.IndexFunc(s.words, func(o retrieve.Word) bool { return o.Start == w.Start })
	for i > 1 && s.Is("articles", s.words[i-1]) { // "make a favicon.ico"
		i--
	}
	return i > 0 && (s.In("naming", s.words[i-1].Lower()) || i < len(s.words) && s.Is("articles", s.words[i]) && s.Is("making", s.words[i-1]))
}

// references reads how the clause points at things.
func (s *scene) references(r *reading) references {
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
		case s.In("results", text):
			refs.result = true
		case s.In("pronouns", text):
			refs.pronoun = refs.pronoun || next == "" || !s.Introduces(text, words[i+1])
		case s.In("plurals", text):
			refs.plural = true
			refs.pronoun = refs.pronoun || text == "them" || text == "both" || text == "they"
		case text == "original":
			refs.original = true
		case text == "latter", text == "former", s.In("counted things", next) && english.Ordinals[text] != 0:
			refs.ordinal = english.Ordinals[text]
		}
		if s.Determined(words, i) {
			s.definite(&refs, text, w)
		}
	}
	return refs
}

// definite takes in a noun that speaks of something given.
func (s *scene) definite(refs *references, text string, w retrieve.Word) {
	if typ := s.Lexicon.MediaNoun([]retrieve.Word{w}); typ != "" {
		refs.definite[typ] = true
		refs.plural = refs.plural || strings.HasSuffix(text, "s") && text != "canvas"
	}
	if typ, ok := english.MapNouns[text]; ok {
		refs.definite[typ] = true
	}
	if s.In("sound nouns", text) {
		refs.definite[plan.Audio] = true
	}
	if s.In("text nouns", text) {
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

// rival is a tool that may be what a clause asks for.
type rival struct {
	tool  *profile
	near  float64 // by words
	score float64
	rest  int // words of the clause that it does not explain
	// example is the nearest example of the tool.
	example string
	// begun is how many words of the clause are an example of an operator's own tool; 0 for any other tool.
	begun int
}
