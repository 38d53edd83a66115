package subtitle

import (
	"strings"
	"time"
	"unicode"

	"atelier/agent/toolbox/letter"
)

const (
	// lineWidth is the broadcasters' maximum length of a line, in Latin letters. A cue has up to
	// two lines.
	lineWidth = 42
	cueLines  = 2
	// leastWeight is the minimum weight of a cue: even a short one must be visible for a moment.
	leastWeight = 12
)

// spread divides a plain text into cues that fill the video, each with a share of the time
// proportional to its length.
func spread(text string, length time.Duration) []Cue {
	var cues []Cue
	var weights []int
	sum := 0
	for _, part := range parts(text) {
		if len(cues) == Most {
			break
		}
		w := max(width(part), leastWeight)
		cues, weights, sum = append(cues, Cue{Text: part}), append(weights, w), sum+w
	}
	seen := 0
	for i := range cues {
		cues[i].From = share(length, seen, sum)
		seen += weights[i]
		cues[i].To = share(length, seen, sum)
	}
	return cues
}

func share(length time.Duration, part, sum int) time.Duration {
	return time.Duration(float64(length) * float64(part) / float64(sum)).Round(time.Millisecond)
}

// parts splits a text into sentences, and long ones into pieces of two lines. A line break always
// begins a new part.
func parts(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		var lines []string
		row := ""
		flush := func() {
			if len(lines) > 0 || row != "" {
				all = append(all, strings.Join(append(lines, row), "\n"))
			}
			lines, row = nil, ""
		}
		for _, w := range tokens(line) {
			if row != "" && width(row+w) > lineWidth {
				if len(lines) == cueLines-1 {
					flush()
				} else {
					lines = append(lines, strings.TrimSpace(row))
					row = ""
				}
			}
			if row == "" {
				w = strings.TrimLeft(w, " ")
			}
			if row += w; ends(w) {
				flush()
			}
		}
		flush()
	}
	return all
}

// tokens splits a line into words, each with the space before it. Words in scripts without
// spaces, and words longer than a line, can break at each character.
func tokens(line string) []string {
	var all []string
	for word := range strings.FieldsSeq(line) {
		begin, wide := " ", 0
		token := begin
		for _, r := range word {
			if wide += runeWidth(r); runeWidth(r) == 2 && token != begin && !unicode.IsPunct(r) || wide > lineWidth {
				all, token, wide = append(all, token), "", runeWidth(r)
				begin = ""
			}
			token += string(r)
		}
		all = append(all, token)
	}
	return all
}

// ends reports whether a word ends a sentence.
func ends(word string) bool {
	return strings.ContainsAny(strings.TrimRight(word, `"'”’)»`), ".!?…。！？") &&
		strings.ContainsRune(".!?…。！？", lastRune(strings.TrimRight(word, `"'”’)»`)))
}

func lastRune(s string) rune {
	last := ' '
	for _, r := range s {
		last = r
	}
	return last
}

func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is 2 for full-width East Asian characters, else 1.
func runeWidth(r rune) int {
	if letter.Wide(r) {
		return 2
	}
	return 1
}
