// Package token estimates how many tokens texts take, and cuts texts to size.
//
// It is pure. No cut leaves half a rune.
package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a sign takes, in sixteenths of a token. No tokenizer is asked, since each family of
// models has its own: these are weights that were held against cl100k_base and o200k_base
// (OpenAI's, the older and the newer) over the prompts, JSON, names of files and a dozen
// languages. They err on the side of too many, by a sixth for English and by more for
// what the newer one packs better; TestCount keeps some of the measurements.
const (
	perToken = 16

	ofLetter      = 5  // a to z: 3.2 a token
	ofDigit       = 13 // some tokenizers take each alone
	ofPunctuation = 9  // quotes and braces often stand together
	ofAccented    = 16 // a letter of Latin with a mark
	ofAlphabet    = 14 // Greek, Cyrillic, Hebrew, Arabic
	ofScript      = 22 // a sign of what is written with three bytes: Chinese, Hindi, Thai
	ofSymbol      = 48 // an emoji
)

// Count estimates how many tokens a text has.
func Count(s string) int {
	n := 0
	for _, r := range s {
		n += weight(r)
	}
	return (n + perToken - 1) / perToken
}

func weight(r rune) int {
	switch {
	case r == ' ': // belongs to the word behind it
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

// PerMessage and PerPicture are what a message costs beside its text, and a picture
// that is shown in low detail (OpenAI: 85 tokens, others more).
const (
	PerMessage = 4
	PerPicture = 260
)

// Clip cuts a text to so many bytes at the border of a rune.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// ClipTo cuts a text to so many tokens, and says so.
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

// ClipMiddle cuts a text to some tokens and leaves its beginning and its end, since a
// person says what to do with a long text before it or behind it.
func ClipMiddle(s string, budget int) string {
	if Count(s) <= budget {
		return s
	}
	runes := []rune(s)
	keep := max(1, budget*len(runes)/Count(s))
	tail := keep / 3
	return string(runes[:keep-tail]) + " [...] " + string(runes[len(runes)-tail:])
}

// Excerpt is the beginning of a text, and its end where that is cut off: what is wanted
// of a long text is said before or behind it.
func Excerpt(s string, most int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "�")
	if len(s) <= most {
		return s
	}
	tail := most / 4
	from := len(s) - tail
	for from < len(s) && s[from]&0xC0 == 0x80 { // amid a rune
		from++
	}
	return Clip(s, most-tail) + " […] " + s[from:]
}
