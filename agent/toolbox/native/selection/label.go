package selection

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"atelier/agent/toolbox/native/prose"
)

// pluralList is the list of irregular plurals.
//
//go:embed words/plurals.txt
var pluralList string

// synonymList is the list of synonyms.
//
//go:embed words/synonyms.txt
var synonymList string

// kindList is the list of general terms and their members.
//
//go:embed words/kinds.txt
var kindList string

// lexicon knows plurals, synonyms and general terms.
type lexicon struct {
	singular map[string]string   // irregular plurals
	plural   map[string]string   // the reverse
	same     map[string]string   // synonym to canonical word
	covers   map[string][]string // general term to its members
}

var things = sync.OnceValue(func() lexicon {
	l := lexicon{singular: map[string]string{}, plural: map[string]string{}, same: map[string]string{}, covers: map[string][]string{}}
	for _, line := range prose.Lines(pluralList) {
		many, one, _ := strings.Cut(line, ": ")
		l.singular[many], l.plural[one] = one, many
	}
	for _, line := range prose.Lines(synonymList) {
		one, others, _ := strings.Cut(line, ": ")
		for other := range strings.SplitSeq(others, ", ") {
			l.same[other] = one
		}
	}
	for _, line := range prose.Lines(kindList) {
		kind, members, _ := strings.Cut(line, ": ")
		l.covers[kind] = strings.Split(members, ", ")
	}
	return l
})

// singular returns the singular of a lower-case English noun.
func singular(word string) string {
	if one, ok := things().singular[word]; ok {
		return one
	}
	switch n := len(word); {
	case n < 4 || strings.HasSuffix(word, "ss") || strings.HasSuffix(word, "us") || strings.HasSuffix(word, "is"):
		return word
	case strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case endsWithAny(word, "ches", "shes", "xes", "sses", "zes"):
		return word[:n-2]
	case strings.HasSuffix(word, "s"):
		return word[:n-1]
	}
	return word
}

// single returns the singular of an English noun phrase, changing its last word.
func single(noun string) string {
	head := noun[strings.LastIndexByte(noun, ' ')+1:]
	one := singular(strings.ToLower(head))
	if one == strings.ToLower(head) || plural(one) != strings.ToLower(head) {
		return noun
	}
	return noun[:len(noun)-len(head)] + one
}

// plural returns the plural of an English noun phrase, changing its last word.
func plural(noun string) string {
	head := noun[strings.LastIndexByte(noun, ' ')+1:]
	rest := noun[:len(noun)-len(head)]
	if many, ok := things().plural[strings.ToLower(head)]; ok {
		return rest + many
	}
	switch n := len(head); {
	case n == 0:
		return noun
	case endsWithAny(head, "ch", "sh", "x", "s", "z"):
		return noun + "es"
	case n > 1 && strings.HasSuffix(head, "y") && !strings.ContainsRune("aeiou", rune(head[n-2])):
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}

func endsWithAny(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(word, e) })
}

// nouns normalizes the words of a phrase or label for comparison: lower case, singular, and the
// canonical word for synonyms, including multi-word ones.
func nouns(phrase string) []string {
	var words []string
	for _, t := range prose.Tokens(strings.NewReplacer("_", " ", "-", " ").Replace(phrase)) {
		w := t.Lower()
		w = strings.TrimSuffix(w, "'s")
		words = append(words, singular(w))
	}
	var out []string
	for i := 0; i < len(words); {
		taken := 1
		word := words[i]
		for n := min(3, len(words)-i); n >= 1; n-- {
			if one, ok := things().same[strings.Join(words[i:i+n], " ")]; ok {
				taken, word = n, one
				break
			}
		}
		out = append(out, strings.Fields(word)...)
		i += taken
	}
	return out
}

// is reports whether a thing is of a kind, directly or through another kind.
func is(thing, kind string) bool { return isWithin(thing, kind, 4) }

func isWithin(thing, kind string, depth int) bool {
	if thing == kind {
		return true
	}
	if depth == 0 {
		return false
	}
	return slices.ContainsFunc(things().covers[kind], func(k string) bool { return isWithin(thing, k, depth-1) })
}

// Grades of how well a label fits a description. Only the labels with the best grade are selected.
const (
	noFit      = iota
	someWord   // a word is shared: "light" and "traffic light"
	general    // the label is more general: "person" for "woman"
	headOnly   // the label lacks the attributes: "car" for "red car"
	rightThing // the label matches or is a kind of it: "brown dog" for "animal"
)

// fit grades a label against the requested nouns. A label may list several names, separated by commas.
func fit(asked []string, label string) int {
	best := noFit
	for one := range strings.SplitSeq(label, ",") {
		best = max(best, fitOne(asked, nouns(one)))
	}
	return best
}

func fitOne(asked, label []string) int {
	if len(asked) == 0 || len(label) == 0 {
		return noFit
	}
	head, have := asked[len(asked)-1], label[len(label)-1]
	attributes := asked[:len(asked)-1]
	told := func(words []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(label, w) })
	}
	switch {
	case is(have, head) && told(attributes):
		return rightThing
	case is(have, head):
		return headOnly
	case is(head, have) && len(label) == 1:
		return general
	case slices.ContainsFunc(asked, func(w string) bool { return slices.Contains(label, w) && (!colours[w] || colours[head]) }):
		return someWord
	}
	return noFit
}

// colours do not name things.
var colours = map[string]bool{
	"red": true, "green": true, "blue": true, "yellow": true, "black": true, "white": true,
	"brown": true, "grey": true, "gray": true, "pink": true, "purple": true, "golden": true, "silver": true,
}
