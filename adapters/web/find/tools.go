package find

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"atelier/adapters/web/page"
)

// Tools returns the tools that contain all words of a query, or words that begin with them: first those with the words
// in their names, then those that describe themselves by them, then those with the largest share of such examples.
func Tools(all []page.Tool, query string) []page.Tool {
	if len(query) > LongestQuery {
		query = query[:LongestQuery]
	}
	wanted := wordsOf(query)
	if len(wanted) == 0 && strings.TrimSpace(query) != "" { // only punctuation
		return nil
	}
	type hit struct {
		page.Tool

		score float64
	}
	var hits []hit
	for _, t := range all {
		if score, ok := rate(t, wanted); ok {
			hits = append(hits, hit{t, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]page.Tool, len(hits))
	for i, h := range hits {
		found[i] = h.Tool
	}
	return found
}

// rate returns how well a tool fits words, and whether it contains them all.
func rate(t page.Tool, wanted []string) (score float64, ok bool) {
	name, about := wordsOf(t.Name), wordsOf(t.Description)
	for _, w := range wanted {
		in := 0
		for _, e := range t.Examples {
			if has(wordsOf(e), w) {
				in++
			}
		}
		switch {
		case slices.Contains(name, w):
			score += 6
		case has(name, w):
			score += 4
		case has(about, w):
			score += 2
		case in == 0 && !has(wordsOf(t.Domain), w):
			return 0, false
		}
		score += float64(in) / float64(max(1, len(t.Examples)))
	}
	return score, true
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
