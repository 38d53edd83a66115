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

// synonymList is the list of words that mean the same thing.
//
//go:embed words/synonyms.txt
var synonymList string

// kindList is the list of general words with their things.
//
//go:embed words/kinds.txt
var kindList string

// lexicon knows which words mean the same thing.
type lexicon struct {
	singular map[string]string   // irregular plurals
	plural   map[string]string   // and back
	same     map[string]string   // every synonym to the one that stands for all
	covers   map[string][]string // a general word's things
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

// singular brings an English noun in lower case to its singular.
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

// single is the singular of an English noun, by its last word.
func single(noun string) string {
	head := noun[strings.LastIndexByte(noun, ' ')+1:]
	one := singular(strings.ToLower(head))
	if one == strings.ToLower(head) || plural(one) != strings.ToLower(head) {
		return noun
	}
	return noun[:len(noun)-len(head)] + one
}

// plural is the plural of an English noun, by its last word.
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

// nouns are the words of a phrase or label in the form in which they are compared:
// lower case, singular, one word for synonyms, also those of several words.
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

// is tells whether a thing is of a kind, directly or by way of another kind.
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

// The grades of how well a label fits what was asked for. Only the labels of the best
// grade are taken.
const (
	noFit      = iota
	someWord   // a word is shared: "light" and "traffic light"
	general    // the label is more general: asked was "woman", found is "person"
	headOnly   // the thing is right, its attributes are not told: "red car" and "car"
	rightThing // the label says it, or names a kind of it: "animal" and "brown dog"
)

// fit grades a label against the nouns that were asked for. A label may name several
// words for its thing, with commas between them.
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

// colours say nothing about what a thing is.
var colours = map[string]bool{
	"red": true, "green": true, "blue": true, "yellow": true, "black": true, "white": true,
	"brown": true, "grey": true, "gray": true, "pink": true, "purple": true, "golden": true, "silver": true,
}
