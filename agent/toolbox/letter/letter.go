// Package letter measures and wraps people's words for programs that draw them, and says which font has their letters.
package letter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Width estimates the width of a line, in small letters.
func Width(line string) float64 {
	width := 0.0
	for _, r := range line {
		width += widthOf(r)
	}
	return width
}

func widthOf(r rune) float64 {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case strings.ContainsRune("MWmw@%—…", r):
		return 1.65
	case Wide(r):
		return 1.75
	case unicode.IsUpper(r):
		return 1.25
	}
	return 1
}

// Wide reports whether a character is as wide as it is high, and lines may be broken beside it: those of Chinese,
// Japanese and Korean, and emoji.
func Wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0x3000 && r < 0x3040 || r >= 0xff01 && r <= 0xff60 || r >= 0x1f300
}

// Wrap breaks the lines of a text that are wider than a number of small letters: at spaces, beside wide characters, and
// within words that are wider themselves.
func Wrap(text string, most float64) string {
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, wrapped(strings.TrimRight(line, "\r\n"), most)...)
	}
	return strings.Join(all, "\n")
}

func wrapped(line string, most float64) []string {
	var all []string
	runes := []rune(line)
	for {
		end, width := 0, 0.0
		for end < len(runes) && (end == 0 || width+widthOf(runes[end]) <= most) {
			width += widthOf(runes[end])
			end++
		}
		if end == len(runes) {
			return append(all, string(runes))
		}
		at := end
		for at > 0 && runes[at] != ' ' && !Wide(runes[at]) && !Wide(runes[at-1]) {
			at--
		}
		if at == 0 || len(strings.TrimSpace(string(runes[:at]))) == 0 {
			at = end
		}
		all = append(all, strings.TrimRight(string(runes[:at]), " "))
		runes = runes[at:]
		for len(runes) > 0 && runes[0] == ' ' {
			runes = runes[1:]
		}
	}
}

// Charset returns the letters of a text that not every font has, in the syntax of fontconfig: "4f60 597d". Latin, Greek
// and Cyrillic letters are in all fonts that we need.
func Charset(text string) string {
	var all []string
	for _, r := range text {
		code := fmt.Sprintf("%x", r)
		if r < 0x500 || unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector) || slices.Contains(all, code) {
			continue
		}
		all = append(all, code)
	}
	return strings.Join(all, " ")
}
