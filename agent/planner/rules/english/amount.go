package english

import (
	"slices"
	"strings"

	"atelier/agent/toolbox/retrieve"
)

// AmountIn is the first phrase of a text that states an amount, one with a figure if there is
// one; "" if there is none. Other words end it: what it takes up is accounted for.
func (g *Grammar) AmountIn(text string) string {
	amount := ""
	words := g.Lexicon.Words(text, []retrieve.Span{})
	core := func(w retrieve.Word) bool { return w.Kind == retrieve.Number || g.Is("amount words", w) }
	for i := 0; i < len(words); i++ {
		if !core(words[i]) || g.Counts(words, i) { // "the first one quieter"
			continue
		}
		begin, end, figure := i, i, false
		for ; i < len(words) && (!figure || words[i].Lower() != "at") && (core(words[i]) || g.Is("amount tails", words[i]) || g.Is("amount joints", words[i]) ||
			words[i].IsMark() && strings.ContainsAny(words[i].Text, "-–×/%°")); i++ {
			if w := words[i]; !g.Is("amount joints", w) && !slices.Contains([]string{"of", "the", "to", "as"}, w.Lower()) {
				end = i
			}
			figure = figure || words[i].Kind == retrieve.Number
		}
		before := max(0, begin-1)
		minus := words[before].Text == "-" && words[before].End == words[begin].Start
		unit := g.Is("time units", words[before]) && words[begin].Kind == retrieve.Number && words[end].Kind == retrieve.Number // "minute 3", "seconds 2 to 4"
		little := words[before].Lower() == "a" && !figure                                                                       // "a bit"
		several := g.Is("numerals", words[before]) && g.Is("parts of one", words[begin])                                        // "two thirds"
		if minus || unit || little || several {
			begin = before
		}
		if amount == "" || figure {
			amount = text[words[begin].Start:words[end].End]
		}
		if figure {
			break
		}
	}
	return amount
}
