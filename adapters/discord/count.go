package discord

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// length is what Discord counts of a text at most. Its interface counts code points, its
// clients count UTF-16 units, which are never fewer: what fits by these fits by both.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// fitted is the beginning of a text, of at most so many characters as [length] counts them.
func fitted(s string, most int) string {
	s = strings.ToValidUTF8(s, "")
	if length(s) <= most {
		return s
	}
	end, n := 0, length("…")
	for at, r := range s {
		if n += length(string(r)); n > most {
			break
		}
		end = at + utf8.RuneLen(r)
	}
	return strings.TrimSpace(s[:end]) + "…"
}
