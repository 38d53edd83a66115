package english

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/toolbox/retrieve"
)

// IsMadeOf reports whether a lower-case text consists of phrases of the section, possibly with small talk and phrases
// of the sections beside.
func (l *Lists) IsMadeOf(plain, section string, beside ...string) bool {
	words := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if len(words) > 12 {
		return false // too long for a greeting
	}
	prefix := func(rest, section string) int {
		longest := 0
		for _, phrase := range l.Phrases(section) {
			if after, ok := strings.CutPrefix(rest, phrase); ok && (after == "" || after[0] == ' ') {
				longest = max(longest, len(phrase))
			}
		}
		return longest
	}
	hit := false
	for rest := strings.ReplaceAll(strings.Join(words, " "), "’", "'"); rest != ""; {
		own := prefix(rest, section)
		longest := max(own, prefix(rest, "small talk"))
		for _, other := range beside {
			longest = max(longest, prefix(rest, other))
		}
		if longest == 0 {
			return false
		}
		hit = hit || own == longest
		rest = strings.TrimSpace(rest[longest:])
	}
	return hit
}

// AsksForDelivery reports whether the clause asks to mail, post, upload or print something. Results only go back to the
// person who asked.
func (g *Grammar) AsksForDelivery(words []retrieve.Word) bool {
	if len(words) == 0 || slices.ContainsFunc(words, retrieve.Word.IsQuote) {
		return false
	}
	first, rest := words[0], words[1:]
	from := g.pastPointers(rest, 0)
	outlet, person := false, false
	for i, w := range rest {
		if next := g.pastPointers(rest, i+1); g.Is("prepositions", w) && next < len(rest) {
			outlet = outlet || g.Is("outlets", rest[next]) && w.Lower() != "for" // "under 100 kB for the web form"
			person = person || w.Lower() == "to" && !g.IsMedia(rest[next])
		}
	}
	switch {
	case !g.Is("delivering", first):
		return g.Is("sending", first) && from > 0 && (outlet || person && first.Lower() == "send")
	case g.Is("lettering", first): // "print it", but not "print hello on it"
		return from > 0 && from == len(rest)
	}
	return from > 0 || outlet
}

// pastPointers skips words from i on that only refer to something: "it", "the picture", "me".
func (g *Grammar) pastPointers(words []retrieve.Word, i int) int {
	sections := []string{"pronouns", "plurals", "determiners", "articles", "results", "versions", "receivers"}
	for i < len(words) && (words[i].IsFile() || g.IsMedia(words[i]) || slices.ContainsFunc(sections, func(s string) bool { return g.Is(s, words[i]) })) {
		i++
	}
	return i
}
