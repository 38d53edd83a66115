package subtitle

import (
	"html"

	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/agent/lazyregexp"
)

const clock = `((?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?)`

var (
	timing = lazyregexp.New(`^\s*` + clock + `\s*-->\s*` + clock + `(?:\s.*)?$`)
	index  = lazyregexp.New(`^\s*\d{1,6}\s*$`)
	// tags are the markup of SRT and WebVTT: <i>, </font>, <v Ann>, <00:01.000>, {\an8}.
	tags   = lazyregexp.New(`</?[a-zA-Z][^<>\n]{0,200}>|<\d[\d:.]{1,20}>|\{\\[^{}\n]{0,200}\}`)
	stamp  = lazyregexp.New(`^\s*[\[(]?` + clock + `(?:\s*(?:-|–|—|to|-->)\s*` + clock + `)?[\])]?\s*[:\-–—]?\s*(.*)$`)
	blanks = lazyregexp.New(`[ \t]+`)
)

// plain normalizes line breaks and removes control characters.
func plain(text string) string {
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\uFEFF"), "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n", "\u00a0", " ").Replace(text)
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// parsed parses SRT (https://www.matroska.org/technical/subtitles.html) or WebVTT
// (https://www.w3.org/TR/webvtt1/) leniently: numbers, hours and the blank lines between cues may be
// missing.
func parsed(text string) []Cue {
	var cues []Cue
	var lines []string
	open := false
	finish := func() {
		if open {
			cues[len(cues)-1].Text = unmarked(lines)
		}
		open, lines = false, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		m := timing.FindStringSubmatch(line)
		switch {
		case m != nil:
			if n := len(lines); open && n > 0 && index.MatchString(lines[n-1]) {
				lines = lines[:n-1] // the number of this cue
			}
			finish()
			if len(cues) == Most {
				return cues
			}
			cues, open = append(cues, Cue{From: at(m[1]), To: at(m[2])}), true
		case strings.TrimSpace(line) == "":
			finish()
		case open:
			lines = append(lines, line)
		}
	}
	finish()
	return cues
}

// timed parses a text in which every line begins with a time, as in lyrics and lists of chapters:
// "0:05 Hello", "[00:12.50] la la", "0:10-0:15: Bye". A cue without an end time lasts until the next.
func timed(text string, length time.Duration) []Cue {
	var cues []Cue
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := stamp.FindStringSubmatch(line)
		if m == nil || len(cues) == Most {
			return nil
		}
		c := Cue{From: at(m[1]), To: -1, Text: unmarked([]string{m[3]})}
		if m[2] != "" {
			c.To = at(m[2])
		}
		if n := len(cues); n > 0 && cues[n-1].To < 0 {
			cues[n-1].To = c.From
		}
		cues = append(cues, c)
	}
	if n := len(cues); n > 0 && cues[n-1].To < 0 {
		cues[n-1].To = length
	}
	return cues
}

// unmarked joins the lines of a cue without markup.
func unmarked(lines []string) string {
	var kept []string
	for _, l := range lines {
		l = html.UnescapeString(tags.ReplaceAllString(l, ""))
		if l = strings.TrimSpace(blanks.ReplaceAllString(plain(l), " ")); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// at parses a time that matches clock.
func at(s string) time.Duration {
	var whole time.Duration
	s, fraction, _ := strings.Cut(strings.ReplaceAll(s, ",", "."), ".")
	for part := range strings.SplitSeq(s, ":") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return 0 // excluded by the pattern
		}
		whole = whole*60 + time.Duration(n)*time.Second
	}
	ms, err := strconv.Atoi((fraction + "000")[:3])
	if err != nil {
		return whole
	}
	return whole + time.Duration(ms)*time.Millisecond
}
