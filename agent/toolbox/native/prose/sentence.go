package prose

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// abbreviationList is the list of abbreviations.
//
//go:embed words/abbreviations.txt
var abbreviationList string

// longestSentence is the maximum number of words per sentence for text without punctuation, such as a transcript.
const longestSentence = 80

// Sentences splits a text into sentences. A sentence ends at a full stop that is not part of a number,
// an abbreviation or an initial; at an empty line; before a list item; and, in paragraphs without full
// stops, at every line end. All text except white space is in exactly one sentence, in order.
func Sentences(text string) []string {
	var all []string
	for _, paragraph := range paragraphs(Clean(text)) {
		for _, s := range splitSentences(OneLine(paragraph)) {
			all = append(all, splitRunOn(s)...)
		}
	}
	return all
}

// paragraphs splits at empty lines, before list items, and at every line break if no line has a full stop.
func paragraphs(text string) []string {
	var all []string
	for block := range strings.SplitSeq(text, "\n\n") {
		lines := strings.FieldsFunc(block, func(r rune) bool { return r == '\n' })
		stops := false
		for _, l := range lines {
			stops = stops || strings.ContainsAny(l, ".!?。！？｡…")
		}
		var current []string
		flush := func() {
			if s := OneLine(strings.Join(current, " ")); s != "" {
				all = append(all, s)
			}
			current = nil
		}
		for _, l := range lines {
			if !stops || listItem(l) {
				flush()
			}
			current = append(current, l)
		}
		flush()
	}
	return all
}

func listItem(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"- ", "* ", "• ", "– ", "#"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	rest := strings.TrimLeft(line, "0123456789")
	return rest != line && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// splitSentences splits one line of text.
func splitSentences(line string) []string {
	var all []string
	begin := 0
	take := func(end int) {
		if s := strings.TrimSpace(line[begin:end]); s != "" {
			all = append(all, s)
		}
		begin = end
	}
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		after := i + size
		switch {
		case strings.ContainsRune("。！？｡", r):
			take(pastClosers(line, after))
		case strings.ContainsRune(".!?…", r):
			end := pastClosers(line, after)
			next := strings.TrimLeft(line[end:], " ")
			gap := len(next) < len(line)-end
			if gap && !startsLower(next) && (r != '.' || stopEnds(strings.TrimSpace(line[begin:i]), next)) {
				take(end)
			}
		}
		i = max(after, begin)
	}
	take(len(line))
	return all
}

// pastClosers returns the index after the stops, quotes and brackets that start at i.
func pastClosers(line string, i int) int {
	rest := strings.TrimLeft(line[i:], ".!?…。！？｡\"')]}”’»」』）")
	return len(line) - len(rest)
}

// abbreviations maps lower-case abbreviations to what must follow if their full stop also ends the sentence.
var abbreviations = sync.OnceValue(func() map[string]string {
	kinds := map[string]string{}
	for _, line := range Lines(abbreviationList) {
		kind := "never"
		for w := range strings.FieldsSeq(line) {
			if strings.HasPrefix(w, "#") {
				kind = w[1:]
				continue
			}
			kinds[w] = kind
		}
	}
	return kinds
})

// FirstLetter returns the first character after quotes and brackets.
func FirstLetter(text string) rune {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, openers))
	return r
}

const openers = "\"'([{“‘«"

// startsLower reports whether the text continues a sentence, as after the stop in «"Wait!" he said».
func startsLower(text string) bool { return unicode.IsLower(FirstLetter(text)) }

// stopEnds reports whether the full stop between before and next ends a sentence.
func stopEnds(before, next string) bool {
	first := FirstLetter(next)
	word := before[strings.LastIndexAny(before, " (\"“‘[")+1:]
	if word == before && strings.Trim(word, "0123456789") == "" {
		return false // "1. First item"
	}
	switch abbreviations()[strings.ToLower(strings.TrimLeft(word, openers))] {
	case "never":
		return false
	case "number":
		return !unicode.IsDigit(first)
	case "capital":
		return unicode.IsUpper(first)
	case "starter":
		words := Tokens(next)
		return len(words) > 0 && unicode.IsUpper(first) && IsStop(words[0].Lower())
	}
	r, size := utf8.DecodeRuneInString(word)
	initial := size == len(word) && unicode.IsUpper(r) && r != 'I'
	return !initial
}

// splitRunOn cuts an overlong sentence into pieces of equal length.
func splitRunOn(s string) []string {
	words := Tokens(s)
	if len(words) <= longestSentence {
		return []string{s}
	}
	count := (len(words) + longestSentence/2 - 1) / (longestSentence / 2)
	var pieces []string
	begin := 0
	for i := 1; i <= count; i++ {
		end := len(s)
		if i < count {
			end = words[i*len(words)/count].Start
		}
		if piece := strings.TrimSpace(s[begin:end]); piece != "" {
			pieces = append(pieces, piece)
		}
		begin = end
	}
	return pieces
}
