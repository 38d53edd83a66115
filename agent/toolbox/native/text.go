package native

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// wordFiles are the word lists: one list a file, '#' at the start of a line for a comment.
//
//go:embed words/*.txt
var wordFiles embed.FS

// wordLines are the lines of an embedded list, without comments and empty ones.
func wordLines(name string) []string {
	b, err := wordFiles.ReadFile("words/" + name)
	if err != nil { // the files are part of the program
		panic(fmt.Errorf("read the embedded word list: %w", err))
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, line)
		}
	}
	return lines
}

var stopWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, line := range wordLines("stopwords.txt") {
		for w := range strings.FieldsSeq(line) {
			set[w] = true
		}
	}
	return set
})

// isStop tells whether a word in lower case carries no subject of its own.
func isStop(word string) bool { return stopWords()[word] }

// token is a word of a text with its place in it, in bytes.
type token struct {
	text       string // as written
	start, end int
}

// lower is the word in lower case with plain apostrophes.
func (t token) lower() string {
	return strings.ReplaceAll(strings.ToLower(t.text), "’", "'")
}

// tokens are the words of a text: runs of letters and digits, with apostrophes,
// hyphens and points between two of them ("don't", "well-known", "3.5"). Where words
// are written without spaces, each character is one.
func tokens(text string) []token {
	var found []token
	start := -1
	closeAt := func(end int) {
		if start >= 0 {
			found = append(found, token{text[start:end], start, end})
			start = -1
		}
	}
	for i, r := range text {
		size := utf8.RuneLen(r)
		switch {
		case unspaced(r):
			closeAt(i)
			found = append(found, token{text[i : i+size], i, i + size})
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

// continues tells whether a text goes on with a word of a script with spaces.
func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return wordRune(r) && !unspaced(r)
}

// unspaced tells whether a character belongs to a script that writes no spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// stem brings the forms of an English word together.
func stem(word string) string { return english.Stem(word, false) }

// clean makes a text valid UTF-8 with '\n' for every line break and no control
// characters.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n", "\t", " ").Replace(text)
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, text)
}

// oneLine brings all white space down to single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// shorten cuts a text to at most limit characters, at a word's end if there is one.
func shorten(text string, limit int) string {
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

// list joins items as in a sentence: "a, b and c".
func list(items []string, last string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	items = slices.Clone(items)
	end := len(items) - 1
	return strings.Join(items[:end], ", ") + " " + last + " " + items[end]
}
