package rules

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/toolbox/retrieve"
)

// grammar is general English: what words are, whatever the tools.
type grammar struct {
	*english

	lexicon *retrieve.Lexicon
	verbs   set // words that an order may begin with
	// noThing is a request for something to be gone, which most examples word with "without".
	noThing *regexp.Regexp
}

func newGrammar(e *english, l *retrieve.Lexicon) *grammar {
	things := make([]string, len(e.lists["things without"]))
	for i, t := range e.lists["things without"] {
		things[i] = regexp.QuoteMeta(t)
	}
	return &grammar{
		english: e, lexicon: l, verbs: maps.Clone(e.sets["verbs"]),
		noThing: regexp.MustCompile(`(?i)((?:^|[,;.:]|\band|\bwith)\s*)\bno (` + strings.Join(things, "|") + `)\b`),
	}
}

// isVerb reports whether the word can begin an order.
func (g *grammar) isVerb(w retrieve.Word) bool { return w.Kind == retrieve.Plain && g.verbs[lower(w)] }

// isMedia reports whether the word names a kind of media: "picture", "clip".
func (g *grammar) isMedia(w retrieve.Word) bool { return g.lexicon.MediaNoun([]retrieve.Word{w}) != "" }

// onlyMedia reports whether the words do nothing but name files and kinds of media.
func (g *grammar) onlyMedia(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		switch w.Kind {
		case retrieve.Plain:
			return retrieve.IsFormat(lower(w)) || !g.lexicon.Stop(w.Text) && !g.isMedia(w)
		case retrieve.Number, retrieve.Quote:
			return true
		default:
			return false
		}
	})
}

// isContext reports whether the clause only brings a resource in: "I have a photo", "here is a.png".
func (g *grammar) isContext(words []retrieve.Word) bool {
	if len(words) == 0 {
		return true
	}
	if n := g.begins("context", words); n > 0 {
		return !slices.ContainsFunc(words[n:], func(w retrieve.Word) bool { return lower(w) == "to" }) // "I have to …"
	}
	if len(words) > 2 && isFile(words[0]) && g.is("holding", words[1]) {
		return true // "a.png is a sketch of mine"
	}
	return g.onlyMedia(words)
}

// forbids reports whether the clause orders that something be not done.
func (g *grammar) forbids(c clause) bool {
	return g.begins("forbidding", g.lexicon.Core(c.words)) > 0
}

// determined reports whether a noun stands with a word that makes it a given one.
func (g *grammar) determined(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-2); k-- {
		switch {
		case g.in("determiners", lower(words[k])):
			return true
		case g.in("articles", lower(words[k])):
			return false
		}
	}
	return false
}

// saysNothing reports whether no tool needs to know the word.
func (g *grammar) saysNothing(w retrieve.Word) bool {
	text, e := lower(w), g.english
	return g.lexicon.Stop(text) || g.isMedia(w) ||
		slices.ContainsFunc([]string{"fillers", "plurals", "prepositions", "generic", "results"}, func(list string) bool { return e.in(list, text) })
}

// definiteObject reports whether the clause orders something done to a thing that is there:
// its verb is followed by "the" and no kind of media.
func (m *marker) definiteObject(r *reading) bool {
	w := r.words
	return r.form == retrieve.Order && len(w) > 2 && m.is("owners", w[1]) && !m.is("results", w[2]) &&
		!slices.ContainsFunc(w[2:min(4, len(w))], m.isMedia)
}

// generic reports whether the words name no particular thing: "objects", "everything".
func (g *grammar) generic(words []retrieve.Word) bool {
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return !g.is("unspecific", w) && !g.is("generic", w) && !g.lexicon.Stop(lower(w)) && !g.is("prepositions", w)
	})
}

// drops reports whether an order takes a part away: "remove the first 2 seconds", "cut off the
// end", "cut the end off"; not "cut 0:10 to 0:20 out of it", which keeps that part.
func (g *grammar) drops(words []retrieve.Word) bool {
	for i, w := range words {
		piece := i+3 < len(words) && g.is("articles", words[i+2]) && (g.isMedia(words[i+3]) || g.is("pieces", words[i+3])) // "cut out a clip" keeps it
		if g.is("dropping words", w) || g.is("cutting", w) && i+1 < len(words) && g.is("away", words[i+1]) && !piece {
			return true
		}
		for k, o := range words[i+1:] {
			away := lower(o) == "off" || lower(o) == "away" || lower(o) == "out" && i+k+2 == len(words) // and not "out of"
			if g.is("cutting", w) && away {
				return true
			}
		}
	}
	return false
}

// shortens reports whether an order names nothing but a length at an end to be cut: "trim the last 2 seconds". "Cut it to
// the first 5 seconds" keeps that part, and so does "cut the first 5 seconds as a gif".
func (g *grammar) shortens(words []retrieve.Word) bool {
	if len(words) < 3 || !g.is("shortening", words[0]) {
		return false
	}
	i := 1
	for i < len(words) && g.is("determiners", words[i]) {
		i++
	}
	if i == len(words) || ordinals[lower(words[i])] != 1 && ordinals[lower(words[i])] != -1 {
		return false
	}
	length := func(w retrieve.Word) bool {
		return w.Kind == retrieve.Number || g.is("time units", w) || g.is("numerals", w)
	}
	for i++; i < len(words) && length(words[i]); {
		i++
	}
	return !slices.ContainsFunc(words[i:], func(w retrieve.Word) bool {
		return !isFile(w) && !g.isMedia(w) && !g.is("belonging", w) && !g.is("determiners", w) && !g.is("pronouns", w)
	})
}
