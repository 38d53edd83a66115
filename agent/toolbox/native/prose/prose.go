// Package prose splits texts into lines, words and sentences.
//
// Guarantees:
//   - It is pure: the same text gives the same parts.
//   - The running time is linear in the length of the text.
package prose

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// stopList is the list of stop words.
//
//go:embed words/stopwords.txt
var stopList string

// Lines returns the lines of a word list, without empty lines and comments, which start with "# ".
func Lines(list string) []string {
	var lines []string
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, line)
		}
	}
	return lines
}

var stopWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, line := range Lines(stopList) {
		for w := range strings.FieldsSeq(line) {
			set[w] = true
		}
	}
	return set
})

// IsStop reports whether a lower-case word is a stop word.
func IsStop(word string) bool { return stopWords()[word] }

// Token is a word of a text with its byte position.
type Token struct {
	Text       string // as written
	Start, End int
}

// Lower returns the word in lower case with straight apostrophes.
func (t Token) Lower() string {
	return strings.ReplaceAll(strings.ToLower(t.Text), "’", "'")
}

// Tokens returns the words of a text: runs of letters and digits, with inner apostrophes, hyphens and
// dots ("don't", "well-known", "3.5"). In scripts without spaces, each character is a word.
func Tokens(text string) []Token {
	var found []Token
	start := -1
	closeAt := func(end int) {
		if start >= 0 {
			found = append(found, Token{text[start:end], start, end})
			start = -1
		}
	}
	for i, r := range text {
		size := utf8.RuneLen(r)
		switch {
		case Unspaced(r):
			closeAt(i)
			found = append(found, Token{text[i : i+size], i, i + size})
		case wordRune(r):
			if start < 0 {
				start = i
			}
		case start >= 0 && strings.ContainsRune("'’-.", r) && continues(text[i+size:]):
		default:
			closeAt(i)
		}
	}
	closeAt(len(text))
	return found
}

func wordRune(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// continues reports whether rest starts with a word character of a script with spaces.
func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return wordRune(r) && !Unspaced(r)
}

// Unspaced reports whether a character belongs to a script without spaces between words.
func Unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// Stem returns the stem of an English word.
func Stem(word string) string { return english.Stem(word, false) }

// Clean makes a text valid UTF-8, with '\n' for every line break and no control characters.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n", "\t", " ").Replace(text)
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, text)
}

// OneLine replaces every run of white space by a single space.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shorten cuts a text to at most limit characters, between words if possible.
func Shorten(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	cut := string(runes[:limit-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimSpace(cut) + "…"
}

// Join lists items as in a sentence: "a, b and c".
func Join(items []string, last string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	items = slices.Clone(items)
	end := len(items) - 1
	return strings.Join(items[:end], ", ") + " " + last + " " + items[end]
}

// Set returns the words of a list as a set.
func Set(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
