// Package token estimates the token counts of texts and truncates texts.
//
// It is pure. Texts are never cut within a rune.
package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The weight of a character, in sixteenths of a token. No tokenizer is used, since each family of
// models has its own. The weights were checked against cl100k_base and o200k_base (OpenAI's older and
// newer tokenizers) on the prompts, JSON, file names and a dozen languages. They overestimate by about
// a sixth for English, and by more for languages that o200k_base encodes more compactly. TestCount
// records some of the measurements.
const (
	perToken = 16

	ofLetter      = 5  // a to z: 3.2 per token
	ofDigit       = 13 // a token each in some tokenizers
	ofPunctuation = 9  // quotes and braces are often merged
	ofAccented    = 16 // a Latin letter with a diacritic
	ofAlphabet    = 14 // Greek, Cyrillic, Hebrew, Arabic
	ofScript      = 22 // a character of three bytes: Chinese, Hindi, Thai
	ofSymbol      = 48 // an emoji
)

// Count estimates the number of tokens of a text.
func Count(s string) int {
	n := 0
	for _, r := range s {
		n += weight(r)
	}
	return (n + perToken - 1) / perToken
}

func weight(r rune) int {
	switch {
	case r == ' ': // part of the following word
		return 0
	case r < utf8.RuneSelf && unicode.IsLetter(r):
		return ofLetter
	case r < utf8.RuneSelf && unicode.IsDigit(r):
		return ofDigit
	case r < utf8.RuneSelf:
		return ofPunctuation
	case r <= unicode.MaxLatin1, unicode.Is(unicode.Latin, r):
		return ofAccented
	case utf8.RuneLen(r) == 2:
		return ofAlphabet
	case utf8.RuneLen(r) == utf8.UTFMax:
		return ofSymbol
	}
	return ofScript
}

// PerMessage and PerPicture are the tokens of a message besides its text, and of a picture shown in
// low detail (OpenAI: 85 tokens, others more).
const (
	PerMessage = 4
	PerPicture = 260
)

// Clip truncates a text to a number of bytes, at a rune boundary.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// ClipTo truncates a text to a number of tokens and appends an ellipsis.
func ClipTo(s string, most int) string {
	if Count(s) <= most {
		return s
	}
	left := most*perToken - weight('…')
	for i, r := range s {
		if left -= weight(r); left < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// ClipMiddle removes the middle of a text to fit a number of tokens, since people say what to do
// with a long text before or after it.
func ClipMiddle(s string, budget int) string {
	if Count(s) <= budget {
		return s
	}
	runes := []rune(s)
	keep := max(1, budget*len(runes)/Count(s))
	tail := keep / 3
	return string(runes[:keep-tail]) + " [...] " + string(runes[len(runes)-tail:])
}

// Excerpt shortens a text to about a number of bytes and keeps its beginning and end, since people
// say what they want from a long text before or after it.
func Excerpt(s string, most int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "�")
	if len(s) <= most {
		return s
	}
	tail := most / 4
	from := len(s) - tail
	for from < len(s) && s[from]&0xC0 == 0x80 { // within a rune
		from++
	}
	return Clip(s, most-tail) + " […] " + s[from:]
}
