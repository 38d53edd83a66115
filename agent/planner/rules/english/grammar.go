// Package english knows the general English words and phrases for requests, independent of tools: closed lists of words
// (english.txt), rewritings of sloppy phrasings (tidy.txt), and the function of short runs of words: ordering, asking,
// counting, referring to files, leaving something alone. It knows no tools, resources or requests.
package english

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/toolbox/retrieve"
)

// Grammar classifies English words and phrases, independent of tools.
type Grammar struct {
	*Lists

	Lexicon *retrieve.Lexicon
	verbs   set // words that can begin an order
}

// New reads the lists of words. The lexicon splits text into words.
func New(l *retrieve.Lexicon) (*Grammar, error) {
	e, err := readLists(englishFile)
	if err != nil {
		return nil, err
	}
	return &Grammar{Lists: e, Lexicon: l, verbs: maps.Clone(e.sets["verbs"])}, nil
}

// CanOrder reports whether a lower-case word can begin an order.
func (g *Grammar) CanOrder(word string) bool { return g.verbs[word] }

// IsVerb reports whether the word can begin an order.
func (g *Grammar) IsVerb(w retrieve.Word) bool { return w.Kind == retrieve.Plain && g.verbs[w.Lower()] }

// IsMedia reports whether the word names a kind of media: "picture", "clip".
func (g *Grammar) IsMedia(w retrieve.Word) bool { return g.Lexicon.MediaNoun([]retrieve.Word{w}) != "" }

// IsContext reports whether the clause only introduces a resource: "I have a photo", "here is a.png".
func (g *Grammar) IsContext(words []retrieve.Word) bool {
	if len(words) == 0 {
		return true
	}
	if n := g.Begins("context", words); n > 0 {
		return !slices.ContainsFunc(words[n:], func(w retrieve.Word) bool { return w.Lower() == "to" }) // "I have to …"
	}
	if len(words) > 2 && words[0].IsFile() && g.Is("holding", words[1]) {
		return true // "a.png is a sketch of mine"
	}
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		switch w.Kind {
		case retrieve.Plain:
			return retrieve.IsFormat(w.Lower()) || g.Is("time units", w) || !g.Lexicon.Stop(w.Text) && !g.IsMedia(w)
		case retrieve.Number, retrieve.Quote:
			return true
		default:
			return false
		}
	})
}

// Determined reports whether a noun has a determiner that refers to something given.
func (g *Grammar) Determined(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-2); k-- {
		switch {
		case g.In("determiners", words[k].Lower()):
			return true
		case g.In("articles", words[k].Lower()):
			return false
		}
	}
	return false
}

// IsFiller reports whether the word has no meaning for tools.
func (g *Grammar) IsFiller(w retrieve.Word) bool {
	text := w.Lower()
	return g.Lexicon.Stop(text) || g.IsMedia(w) ||
		slices.ContainsFunc([]string{"fillers", "plurals", "prepositions", "generic", "results"}, func(list string) bool { return g.In(list, text) })
}

// RemovesPart reports whether an order removes a part: "remove the first 2 seconds", "cut off the end", "cut the end off",
// "cut 0:10 to 0:20 out of it"; not "cut a piece from 0:10 to 0:20 out of it", which keeps that piece.
func (g *Grammar) RemovesPart(words []retrieve.Word) bool {
	for i, w := range words {
		if g.Is("cutting", w) && i+2 < len(words) && g.Is("articles", words[i+1]) && (g.IsMedia(words[i+2]) || g.Is("pieces", words[i+2])) {
			continue
		}
		piece := i+3 < len(words) && g.Is("articles", words[i+2]) && (g.IsMedia(words[i+3]) || g.Is("pieces", words[i+3])) // "cut out a clip" keeps it
		if g.Is("dropping words", w) || g.Is("cutting", w) && i+1 < len(words) && g.Is("away", words[i+1]) && !piece {
			return true
		}
		for k, o := range words[i+1:] {
			rest := words[i+k+2:]
			away := o.Lower() == "off" || o.Lower() == "away" || o.Lower() == "out" && (len(rest) == 0 || k > 0 && rest[0].Lower() == "of")
			if g.Is("cutting", w) && away {
				return true
			}
		}
	}
	return false
}

// Shortens reports whether an order only removes a length at an end: "trim the last 2 seconds". "Cut it to the first 5
// seconds" keeps that part, and so does "cut the first 5 seconds as a gif".
func (g *Grammar) Shortens(words []retrieve.Word) bool {
	if len(words) < 3 || !g.Is("shortening", words[0]) {
		return false
	}
	i := 1
	for i < len(words) && g.Is("determiners", words[i]) {
		i++
	}
	if i == len(words) || Ordinals[words[i].Lower()] != 1 && Ordinals[words[i].Lower()] != -1 {
		return false
	}
	length := func(w retrieve.Word) bool {
		return w.Kind == retrieve.Number || g.Is("time units", w) || g.Is("numerals", w)
	}
	for i++; i < len(words) && length(words[i]); {
		i++
	}
	return !slices.ContainsFunc(words[i:], func(w retrieve.Word) bool {
		return !w.IsFile() && !g.IsMedia(w) && !g.Is("belonging", w) && !g.Is("determiners", w) && !g.Is("pronouns", w)
	})
}

// LearnVerb adds the first word of an example that is an order to the verbs.
func (g *Grammar) LearnVerb(example string) {
	before, _, _ := strings.Cut(example, "{")
	words := g.Lexicon.Core(g.Lexicon.Words(before, nil))
	if len(words) == 0 || words[0].Kind != retrieve.Plain || g.Lexicon.FormOf(words) != retrieve.Order {
		return
	}
	w := words[0].Lower()
	if g.Lexicon.Stop(w) || g.In("not verbs", w) || g.In("prepositions", w) || len(w) < 3 {
		return
	}
	g.verbs[w] = true
}

// TextOf joins words with spaces.
func TextOf(words []retrieve.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// Has reports whether one of the words is a plain word with the text.
func Has(words []retrieve.Word, text string) bool {
	return slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && w.Lower() == text })
}

// WordsOf returns the words of a text, in lower case.
func WordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
