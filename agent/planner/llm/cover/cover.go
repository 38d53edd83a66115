// Package cover finds the words of a request that no subtask covers. A model quotes the passages
// that its subtasks do; the rest counts as not done.
//
// It is pure. No input makes it panic.
package cover

import (
	_ "embed"

	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
)

//go:embed courtesies.txt
var courtesiesText string

// Cover marks the words of a request that are accounted for.
type Cover struct {
	text  string
	words []word
}

// word is a run of letters and digits, or a single letter of a script without spaces between words.
type word struct {
	folded     string
	start, end int // in the text
	done       bool
	courtesy   bool // asks for nothing
}

// Of returns the cover of a request. At first only courtesies are accounted for: greetings, thanks,
// a name below them, and conjunctions such as "and".
func Of(text string) *Cover {
	c := &Cover{text, split(text)}
	defer c.sign()
	for line := range strings.Lines(courtesiesText) {
		_, phrases, _ := strings.Cut(line, ":")
		for phrase := range strings.SplitSeq(phrases, ",") {
			for at, n := range c.all(split(phrase)) {
				for i := range n {
					c.words[at+i].courtesy = true
				}
			}
		}
	}
	return c
}

// gap replaces the middle of a long passage.
var gap = lazyregexp.New(`\s*(?:\[\.\.\.\]|\[…\]|…)\s*`)

// Holds reports whether the request contains the passage, word for word.
func (c *Cover) Holds(passage string) bool {
	from, to := c.find(passage)
	return from < to
}

// Account accounts for the words of a passage. If the request does not contain it word for word,
// each word counts by itself.
func (c *Cover) Account(passage string) {
	if from, to := c.find(passage); from < to {
		for i := from; i < to; i++ {
			c.words[i].done = true
		}
		return
	}
	quoted := split(passage)
	for i, w := range c.words {
		if slices.ContainsFunc(quoted, func(q word) bool { return q.folded == w.folded }) {
			c.words[i].done = true
		}
	}
}

// Left returns the passages that are not accounted for, as written.
func (c *Cover) Left() []string {
	var left []string
	for i := 0; i < len(c.words); i++ {
		if !c.words[i].open() {
			continue
		}
		end, letters := i, 0
		for j := i; j < len(c.words) && !c.words[j].done; j++ {
			if j > i && strings.ContainsAny(c.text[c.words[j-1].end:c.words[j].start], ".!?;\n。！？；") {
				break
			}
			if c.words[j].open() {
				end = j
				letters += utf8.RuneCountInString(c.words[j].folded)
			}
		}
		if letters > 1 || unspaced(firstRune(c.words[i].folded)) {
			left = append(left, c.text[c.words[i].start:c.words[end].end])
		}
		i = end
	}
	return left
}

// longestName is the maximum number of words in the name of a person.
const longestName = 3

// sign accounts for the name below a request: "Thanks, Miriam".
func (c *Cover) sign() {
	first := len(c.words)
	for first > 0 && len(c.words)-first < longestName && !c.words[first-1].courtesy && unicode.IsUpper(firstRune(c.text[c.words[first-1].start:])) {
		first--
	}
	if first == 0 || !c.words[first-1].courtesy || !closing.MatchString(c.text[:c.words[first-1].end]) {
		return
	}
	for i := first; i < len(c.words); i++ {
		c.words[i].courtesy = true
	}
}

// closing matches the courtesy before a name at its end.
var closing = lazyregexp.New(`(?i)\b(?:thanks|thank you|thx|cheers|regards|best|yours|danke(?: dir)?|merci(?: d'avance)?|` +
	`gracias|grazie|obrigad[oa]|bedankt|grüße|gruß|lg|vg|mfg)$`)

// find returns the first range of words that a passage quotes, including its gap if it has one.
func (c *Cover) find(passage string) (from, to int) {
	ends := gap.Split(passage, 2)
	first := split(ends[0])
	from, n := c.first(first, 0)
	if n == 0 || len(ends) == 1 {
		return from, from + n
	}
	last, m := c.first(split(ends[1]), from+n)
	if m == 0 {
		return 0, 0
	}
	return from, last + m
}

// first returns the first position of the words, starting at from; n is 0 if there is none.
func (c *Cover) first(words []word, from int) (at, n int) {
	if len(words) == 0 {
		return 0, 0
	}
	for at := from; at+len(words) <= len(c.words); at++ {
		if c.stands(words, at) {
			return at, len(words)
		}
	}
	return 0, 0
}

// all returns every position of the words, with their number.
func (c *Cover) all(words []word) map[int]int {
	places := map[int]int{}
	for at := range c.words {
		if len(words) > 0 && at+len(words) <= len(c.words) && c.stands(words, at) {
			places[at] = len(words)
		}
	}
	return places
}

func (c *Cover) stands(words []word, at int) bool {
	for i, w := range words {
		if c.words[at+i].folded != w.folded {
			return false
		}
	}
	return true
}

func (w word) open() bool { return !w.done && !w.courtesy }

// split splits a text into words.
func split(text string) []word {
	var words []word
	start := -1
	end := func(at int) {
		if start >= 0 {
			words = append(words, word{folded: strings.ToLower(text[start:at]), start: start, end: at})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unspaced(r):
			end(i)
			words = append(words, word{folded: string(r), start: i, end: i + utf8.RuneLen(r)})
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(text))
	return words
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// unspaced reports whether r belongs to a script without spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
