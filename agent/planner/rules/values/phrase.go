package values

import (
	"slices"
	"strings"

	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// phrases finds the words of a clause for the value of a parameter.
type phrases struct{ *scene.Scene }

// MaxPhrase is the maximum number of words of a phrase for a value.
const MaxPhrase = 5

// choice returns the phrase for a choice, preferably a prevailing one. It may be in a later remark about the clause: "…,
// but keep the voice".
func (ps phrases) choice(r *scene.Reading, p param.Param) string {
	prevailing := p
	prevailing.Choices = map[string][]string{}
	for _, name := range p.Prevailing {
		prevailing.Choices[name] = p.Choices[name]
	}
	for _, p := range []param.Param{prevailing, p} {
		if len(p.Choices) == 0 {
			continue
		}
		if len(r.Words) > 1 { // "mirror it vertically": the verb says it last
			if said := ps.longest(ps.Text, r.Words[1:], p); said != "" && !ps.In("plurals", strings.ToLower(said)) {
				return said
			}
		}
		if said := ps.longest(ps.Text, r.Clause.Words, p); said != "" {
			return said
		}
		for _, more := range r.Clause.More {
			if said := ps.longest(more, ps.Lexicon.Words(more, nil), p); said != "" {
				return said
			}
		}
	}
	return ps.opposite(r, p)
}

// opposite returns the other one of two choices, if the clause rejects one: "don't burn them in".
func (ps phrases) opposite(r *scene.Reading, p param.Param) string {
	if len(p.Choices) != 2 {
		return ""
	}
	for _, text := range append([]string{r.Clause.Text}, r.Clause.More...) {
		words := ps.Lexicon.Words(text, nil)
		for i := 1; i < len(words); i++ {
			turnedAway, err := p.Read(words[i].Text)
			if err != nil || !ps.Is("negations", words[i-1]) {
				continue
			}
			for name := range p.Choices {
				if name != turnedAway.String() {
					return name
				}
			}
		}
	}
	return ""
}

// longest returns the longest phrase that the parameter can read, the first of several.
func (ps phrases) longest(text string, words []retrieve.Word, p param.Param) string {
	return ps.longestOf(text, words, p, func(string) bool { return true })
}

// longestOf is like longest for the phrases that pass the test.
func (ps phrases) longestOf(text string, words []retrieve.Word, p param.Param, passes func(string) bool) string {
	for n := min(MaxPhrase, len(words)); n > 0; n-- {
		for i := 0; i+n <= len(words); i++ {
			phrase := words[i : i+n]
			if i > 0 && p.Type == param.Choice && ps.Is("negations", words[i-1]) {
				continue // "don't burn them in"
			}
			if said := text[phrase[0].Start:phrase[n-1].End]; isPhrase(phrase) && p.Reads(said) && ps.isTight(text, phrase, p) && passes(said) {
				return said
			}
		}
	}
	return ""
}

// isTight reports whether both ends of the phrase matter: without its first or its last word it has another value, or
// none. An opacity keeps its noun: "half transparent".
func (ps phrases) isTight(text string, words []retrieve.Word, p param.Param) bool {
	if p.Type == param.Opacity {
		joins := func(w retrieve.Word) bool {
			place := ps.Is("places", w) && !shares.MatchString(w.Text)           // "bottom right at 40% opacity"
			extends := strings.HasSuffix(w.Lower(), "er") || ps.Is("extents", w) // "20% smaller" is no opacity
			return ps.Is("joining words", w) || place || extends
		} // "20% wide and half transparent"
		return !ps.grammatical(words[0]) && !ps.grammatical(words[len(words)-1]) && !slices.ContainsFunc(words, joins)
	}
	if len(words) == 1 {
		return true
	}
	last := len(words) - 1
	whole := text[words[0].Start:words[last].End]
	return ReadsOtherwise(p, whole, text[words[1].Start:words[last].End]) && ReadsOtherwise(p, whole, text[words[0].Start:words[last-1].End])
}

func (ps phrases) grammatical(w retrieve.Word) bool {
	return ps.Lexicon.Stop(w.Lower()) || ps.Is("prepositions", w) || ps.IsMedia(w) || ps.IsVerb(w)
}

// isPhrase reports whether words can be a value: none is a file, a quotation or a punctuation mark.
func isPhrase(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.IsFile() || w.IsQuote() || w.IsMark() && !strings.ContainsAny(w.Text, "#%:-/+")
	})
}

// ReadsOtherwise reports whether the parameter reads another value, or none, from the shorter text. It returns true if it
// reads none from text.
func ReadsOtherwise(p param.Param, text, shorter string) bool {
	all, err := p.Read(text)
	if err != nil {
		return true
	}
	v, err := p.Read(shorter)
	return err != nil || v.String() != all.String()
}
