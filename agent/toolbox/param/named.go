package param

import (
	"slices"
	"strings"
)

// Names returns how clearly the words of a text outside of quantities name the parameter; 0 if they do not. A word of its
// name counts most, then one of its examples, then one of its description.
func (p Param) Names(text string) int {
	const byName, byExample, byAbout = 100, 50, 1
	words := wordsBeside(text)
	said := func(w string) bool { return len(w) > 2 && !vague[w] && slices.Contains(words, w) }
	score, whole := 0, 1
	for _, w := range wordsBeside(strings.ReplaceAll(p.Name, "_", " ")) {
		if said(w) {
			score += byName
		} else {
			whole = 0
		}
	}
	if score > 0 {
		score += whole // "width 5" is the width, not the border width
	}
	if p.Speaks(text) {
		score += byExample
	}
	about := wordsBeside(p.About)
	slices.Sort(about)
	for _, w := range slices.Compact(about) {
		if said(w) {
			score += byAbout
		}
	}
	return score
}

// Meant returns the index of the parameter that a bare number is for, by the words after it, or else those before it.
// Without such words it is the only one, or the only required one. It is -1 if several may be meant, or if the number
// counts something else: "6 colours" is no number of stitches. Own reports whether the word is one of the tool's.
func Meant(all []Param, after, before string, own func(word string) bool) int {
	for _, beside := range []string{after, before} {
		best, at, several := 0, -1, false
		for i, p := range all {
			switch score := p.Names(beside); {
			case score > best:
				best, at, several = score, i, false
			case score == best:
				several = true
			}
		}
		switch {
		case best > 0 && several:
			return -1
		case best > 0:
			return at
		}
	}
	usual := indexes(all, func(p Param) bool { return p.Unit == "" })
	if len(usual) == 0 {
		usual = indexes(all, func(Param) bool { return true })
	}
	if required := indexes(all, func(p Param) bool { return !p.Optional && p.Unit == "" }); len(required) > 0 {
		usual = required
	}
	if len(usual) != 1 {
		return -1
	}
	if p := all[usual[0]]; (plural(p.Name) || p.Unit != "") && countsOther(after, own) {
		return -1
	}
	return usual[0]
}

// countsOther reports whether the text begins with a noun that is none of the tool's words.
func countsOther(after string, own func(word string) bool) bool {
	noun, _, _ := strings.Cut(strings.TrimLeft(strings.ToLower(after), " -"), " ")
	return plural(noun) && !own(noun) && !own(singular(noun))
}

func indexes(all []Param, test func(Param) bool) []int {
	var found []int
	for i, p := range all {
		if test(p) {
			found = append(found, i)
		}
	}
	return found
}

// vague are words that descriptions of parameters have, and that name none.
var vague = map[string]bool{
	"how": true, "many": true, "much": true, "the": true, "and": true, "for": true, "with": true, "it": true, "that": true, "thi": true,
	"are": true, "each": true, "one": true, "number": true, "amount": true, "value": true, "which": true, "than": true, "all": true,
	"has": true, "get": true, "from": true, "into": true, "absent": true, "made": true, "make": true, "used": true, "use": true,
}

// plural reports whether a word looks like a noun in the plural.
func plural(word string) bool { return len(word) > 3 && singular(word) != word }

// singular returns a lower-case word without its plural ending, and in British spelling.
func singular(word string) string {
	stem, ok := strings.CutSuffix(word, "s")
	switch {
	case !ok || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "u"): // "glass", "radius"
		stem = word
	case strings.HasSuffix(stem, "ie"):
		stem = strings.TrimSuffix(stem, "ie") + "y"
	case strings.HasSuffix(stem, "che"), strings.HasSuffix(stem, "she"), strings.HasSuffix(stem, "xe"), strings.HasSuffix(stem, "sse"):
		stem = strings.TrimSuffix(stem, "e")
	}
	return strings.Replace(stem, "color", "colour", 1)
}
