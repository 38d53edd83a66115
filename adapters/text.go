package adapters

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Phrases translates fixed sentences, as messages.Catalogue does.
type Phrases interface {
	Say(language, format string, args ...any) string
}

// English leaves sentences as they are in the code.
type English struct{}

// Say fills in the arguments.
func (English) Say(_, format string, args ...any) string { return fmt.Sprintf(format, args...) }

// UTF16Len returns the length of a text in UTF-16 code units, as JavaScript counts it.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// Shorten cuts a text to that many UTF-16 code units, and marks the cut.
func Shorten(s string, most int) string {
	if UTF16Len(s) <= most {
		return s
	}
	n := UTF16Len("…")
	for at, r := range s {
		if n += UTF16Len(string(r)); n > most {
			return strings.TrimSpace(s[:at]) + "…"
		}
	}
	return s
}

// Cut returns the beginning of a text, of at most that many bytes, as valid UTF-8.
func Cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// CutName cuts the name of a file to that many bytes. It keeps the extension, unless that is long.
func CutName(name string, most int) string {
	if ext := path.Ext(name); len(name) > most && len(ext) < 20 {
		return Cut(strings.TrimSuffix(name, ext), most-len(ext)) + ext
	}
	return Cut(name, most)
}

// Labelled reports whether buttons with labels of that many UTF-16 code units can show the choices in full. Otherwise
// the text lists the choices and the buttons have their numbers, so that nothing is said twice.
func Labelled(choices []Choice, most int) bool {
	return !slices.ContainsFunc(choices, func(c Choice) bool {
		return UTF16Len(c.Text) > most || !strings.ContainsFunc(c.Text, visible)
	})
}

func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
