package drawing

import (
	"strings"

	"golang.org/x/text/width"

	"atelier/adapters"
	"atelier/adapters/web/markup"
)

func boxSize(s Step) rect {
	text := textWidth(short(s.Text, widestText)) * 9 / 8 // in bold
	more := textWidth(short(s.Model, widestLabel)) + textWidth(adapters.FormatDuration(s.Took))
	return rect{W: max(text+48, more+40, 110), H: boxHeight, Content: boxHeight}
}

// short shortens a text to that many letters, a CJK one counting as two. It cuts the middle, since names often
// differ at their ends.
func short(s string, most int) string {
	letters := []rune(strings.Join(strings.Fields(markup.Name(strings.Join(strings.Fields(s), " "))), " "))
	total := 0
	for _, r := range letters {
		total += wideness(r)
	}
	if total <= most {
		return string(letters)
	}
	head, tail := 0, len(letters)
	for used := wideness(letters[head]); used < (most+1)/2; used += wideness(letters[head]) {
		head++
	}
	for used := wideness(letters[tail-1]); used < most/2; used += wideness(letters[tail-1]) {
		tail--
	}
	return string(letters[:head]) + "…" + string(letters[tail:])
}

// textWidth estimates the width of a text in pixels.
func textWidth(s string) int {
	total := 0.0
	for _, r := range s {
		total += 7.3 * float64(wideness(r))
	}
	return int(total)
}

// wideness returns 2 for full-width letters, and otherwise 1.
func wideness(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
