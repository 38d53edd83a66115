package find

import (
	"slices"
	"strings"
	"unicode"

	"atelier/adapters/web/page"
)

// Tools returns the tools that contain all words of a query, or words that begin with them.
func Tools(all []page.Tool, query string) []page.Tool {
	if len(query) > LongestQuery {
		query = query[:LongestQuery]
	}
	wanted := wordsOf(query)
	if len(wanted) == 0 && strings.TrimSpace(query) != "" { // only punctuation
		return nil
	}
	var found []page.Tool
	for _, t := range all {
		text := strings.Join(append([]string{t.Name, t.Domain, t.Description}, t.Examples...), " ")
		words := wordsOf(text)
		if !slices.ContainsFunc(wanted, func(w string) bool { return !has(words, w) }) {
			found = append(found, t)
		}
	}
	return found
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// has reports whether one of the words begins with wanted, or contains it if its script has no spaces.
func has(words []string, wanted string) bool {
	unspaced := strings.ContainsFunc(wanted, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, wanted) || unspaced && strings.Contains(w, wanted)
	})
}
