package scene

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Reading is the interpretation of a clause.
type Reading struct {
	Clause  clause.Clause
	Words   []retrieve.Word // without the polite wrapping
	Text    string          // the clause, with later remarks about it
	Form    retrieve.Form
	Files   []Thing  // files that it names
	Names   []string // names for several results
	Refs    References
	Stated  []quantity.Quantity // quantities, by their positions in the clause
	Head    *profile.Profile    // the tool that makes the result
	Score   float64             // certainty of Head, 0 to 1
	Rivals  []Rival             // all similar tools, nearest first
	Object  string              // the object in a picture, sound or text that it is about
	Results []Thing             // results of its subtasks
	Prev    *Reading            // the previous clause with a result
	Told    string              // text of a statement before it
}

// References are a clause's references to things other than by name.
type References struct {
	Pronoun  bool               // it, that
	Plural   bool               // them, both, all
	Result   bool               // the result, the new picture
	Sequence bool               // "… and then …"
	Original bool               // "the original"
	Definite map[plan.Type]bool // "the picture", "the mask"
	Ordinal  int                // number of the thing: 1 the first, -1 the last, 0 unspecified
}

// Points reports whether there is any reference.
func (r References) Points() bool {
	return r.Pronoun || r.Result || r.Sequence || len(r.Definite) > 0
}

// OutputName reports whether an unknown file name is the name for a result: "save it as edges.png". It is one of several
// results if it is in a list or has an article: "into left.wav and right.wav", "and an icon.png".
func (s *Scene) OutputName(w retrieve.Word) (is, several bool) {
	i := slices.IndexFunc(s.Words, func(o retrieve.Word) bool { return o.Start == w.Start })
	if i == 0 {
		return len(s.Request.Given) > 0 && retrieve.FileType(w.Text) == s.Request.Given[0].Type, false // "favicon.ico with 16 and 32 pixels"
	}
	for ; i > 0; i-- {
		before := s.Words[i-1]
		listed := i > 1 && before.Lower() == "and" && s.unknownFile(s.Words[i-2])
		switch {
		case s.In("naming", before.Lower()):
			return true, several
		case i > 1 && s.Is("articles", before) && s.Is("making", s.Words[i-2]):
			return true, several
		case before.Lower() == "a", before.Lower() == "an":
			beside := i > 1 && (s.Words[i-2].IsMark() || slices.Contains([]string{"and", "plus", "also"}, s.Words[i-2].Lower()))
			return beside, beside // "put a logo.png on it" means a file that is missing
		case listed, before.IsMark(), s.unknownFile(before):
			several = true
		case !s.Is("articles", before):
			return false, false
		}
	}
	return false, false
}

// unknownFile reports whether a word names a file that the request does not have.
func (s *Scene) unknownFile(w retrieve.Word) bool {
	_, ok := s.Files.Lookup(w.Text)
	return w.IsFile() && !ok
}

// References finds the references of the clause.
func (s *Scene) References(r *Reading) References {
	refs := References{Sequence: r.Clause.Join == clause.After, Definite: map[plan.Type]bool{}}
	words := r.Clause.Words
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
			refs.Result = true
		case s.In("pronouns", text):
			refs.Pronoun = refs.Pronoun || next == "" || !s.introduces(text, words[i+1])
		case s.In("plurals", text):
			refs.Plural = true
			refs.Pronoun = refs.Pronoun || text == "them" || text == "both" || text == "they"
		case text == "original":
			refs.Original = true
		case text == "latter", text == "former", s.In("counted things", next) && english.Ordinals[text] != 0:
			refs.Ordinal = english.Ordinals[text]
		}
		if s.Determined(words, i) {
			s.definite(&refs, text, w)
		}
	}
	return refs
}

// introduces reports whether a "this" or "that" belongs to the word after it: "this dog".
func (s *Scene) introduces(text string, next retrieve.Word) bool {
	return (text == "this" || text == "that") && !s.Lexicon.Stop(next.Lower()) && !s.Is("prepositions", next) &&
		!s.Is("courtesy", next) && !s.IsMedia(next)
}

// definite adds a noun that refers to something given.
func (s *Scene) definite(refs *References, text string, w retrieve.Word) {
	if typ := s.Lexicon.MediaNoun([]retrieve.Word{w}); typ != "" {
		refs.Definite[typ] = true
		refs.Plural = refs.Plural || strings.HasSuffix(text, "s") && text != "canvas"
	}
	if typ, ok := english.MapNouns[text]; ok {
		refs.Definite[typ] = true
	}
	if s.In("sound nouns", text) {
		refs.Definite[plan.Audio] = true
	}
	if s.In("text nouns", text) {
		refs.Definite[plan.Text] = true
	}
}

// Verb returns the first word of the clause in lower case.
func (r *Reading) Verb() string {
	if len(r.Words) == 0 {
		return ""
	}
	return r.Words[0].Lower()
}

// Marked reports whether the clause refers to a mark on a picture.
func (r *Reading) Marked() bool {
	return slices.ContainsFunc(r.Files, func(e Thing) bool { return e.On != "" })
}

// Quoted returns the longest quotation in the clause.
func (r *Reading) Quoted() string {
	best := ""
	for _, w := range r.Clause.Words {
		if w.IsQuote() && len(w.Text) > len(best) {
			best = w.Text
		}
	}
	return best
}

// Rival is a tool that a clause may ask for.
type Rival struct {
	Tool  *profile.Profile
	Near  float64 // similarity by words
	Score float64
	Rest  int // number of words of the clause that it does not explain
	// Example is the nearest example of the tool.
	Example string
	// Begun is how many words of the clause match an example of an operator's own tool; 0 for other tools.
	Begun int
}

// Unquoted returns the quantities of the clause outside of quotation marks.
func (r *Reading) Unquoted() []quantity.Quantity {
	return slices.DeleteFunc(slices.Clone(r.Stated), func(q quantity.Quantity) bool {
		quotes := func(w retrieve.Word) bool { return w.IsQuote() && clause.Overlaps(w, q, r.Clause.Words[0].Start) }
		return slices.ContainsFunc(r.Clause.Words, quotes)
	})
}
