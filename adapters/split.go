package adapters

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MinLimit is the lowest limit for [Split]: it leaves room for some code between the two fences of a code block.
const MinLimit = 64

// Split cuts a reply's text into parts for messages of at most limit, as measured by measure: nil counts
// characters (runes); others may count bytes, or what a platform makes of a part. A longer text must not measure
// less than its beginning.
//
// A part is a text of its own ([Parse]): a code block that is cut is continued, with its language, in the next
// part, and one without an end gets one. Cuts are made between paragraphs if possible, else between lines,
// sentences or words, in this order. List items, code blocks, links, URLs, inline code, and bold or italic text
// are only cut if they do not fit into one part. Grapheme clusters, such as an emoji of several runes, and places
// where a cut would change the meaning of the text are only cut as a last resort; runes are never cut.
//
// The parts together hold the whole text, except blanks between two parts and fences of code blocks. A blank text
// has no parts. Invalid UTF-8 is replaced. If a piece of a line would open or close a code block by itself, its
// backquotes are escaped with a backslash, or, in code, indented.
//
// It panics if limit is less than [MinLimit].
func Split(text string, limit int, measure func(string) int) []string {
	if limit < MinLimit {
		panic("adapters: the limit of Split is too small")
	}
	if measure == nil {
		measure = utf8.RuneCountInString
	}
	text = plainFences(tidy(text))
	s := splitter{text: text, lines: lines(text), limit: limit, measure: measure}
	var parts []string
	for s.skipBlank(); s.at < len(text); s.skipBlank() {
		to := s.cut()
		if part := s.part(s.line, s.at, to); strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
		if to < len(text) && text[to] == '\n' { // drop the line feed at the cut
			to++
		}
		s.moveTo(to)
	}
	return parts
}

// UTF16Len returns the length of a text in UTF-16 code units, as JavaScript counts it.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// splitter walks through a text part by part.
type splitter struct {
	text    string
	lines   []line
	limit   int
	measure func(string) int

	at   int // where the next part begins
	line int // the line in which it begins
}

// lineAt returns the line that holds the byte before place, searching forward from line from.
func (s *splitter) lineAt(from, place int) int {
	for from+1 < len(s.lines) && s.lines[from+1].start < place {
		from++
	}
	return from
}

// part returns the text between two places as a text of its own. It begins in the line first.
func (s *splitter) part(first, from, to int) string {
	begin, last := s.lines[first], s.lines[s.lineAt(first, to)]
	closed := last.kind == closeLine && to >= last.end
	if last.kind == closeLine && !closed { // a closing fence that is cut is written anew
		to = last.start - 1
	}
	to = max(from, to)
	body := s.text[from:to]
	if at := max(from, last.start); at <= to && s.mistakable(last, at, min(to, last.end)) {
		body = s.text[from:at] + last.unmistakable(s.text[at:to])
	}
	if begin != last && s.mistakable(begin, from, begin.end) {
		body = begin.unmistakable(body)
	}
	if last.kind == proseLine || closed {
		body = withoutBlankEnd(body)
	} else {
		body += "\n" + last.fence.marks
	}
	if begin.kind == codeLine {
		body = begin.fence.opening() + body
	}
	return body
}

// withoutBlankEnd trims blanks from a text's end, but keeps the space that makes a lone marker a list item.
func withoutBlankEnd(text string) string {
	short := strings.TrimRight(text, " \t\n")
	marker := strings.TrimLeft(short[strings.LastIndexByte(short, '\n')+1:], " ")
	if blank := text[len(short):]; strings.HasPrefix(blank, " ") && marker != "" && listMarker(marker+" ") == marker {
		return short + " "
	}
	return short
}

// unmistakable changes a text so that its first line does not open or close a code block.
func (l line) unmistakable(text string) string {
	if l.kind == codeLine {
		return notLast + text
	}
	at := strings.IndexByte(text, '`')
	return text[:at] + "\\" + text[at:]
}

// mistakable reports whether a piece of a line would open or close a code block although the whole line does not.
func (s *splitter) mistakable(l line, from, to int) bool {
	piece := s.text[from:to]
	if from == l.start && to == l.end {
		return false
	}
	if l.kind == proseLine {
		_, opens := openingFence(piece)
		return opens
	}
	return l.kind == codeLine && l.fence.closes(piece)
}

// fits reports whether the text between two places fits into one part. It begins in the line first.
func (s *splitter) fits(first, from, to int) bool {
	return s.measure(s.part(first, from, to)) <= s.limit
}

// reach returns the farthest end of a part that begins at from, in the line first. It does not scan far beyond
// that.
func (s *splitter) reach(first, from int) int {
	low := from
	var high int
	for step := s.limit; ; step *= 2 {
		high = s.runeStart(min(from+step, len(s.text)))
		if !s.fits(first, from, high) {
			break
		}
		if low = high; high == len(s.text) {
			return high
		}
	}
	more := sort.Search(high-low, func(i int) bool { return !s.fits(first, from, s.runeStart(low+i+1)) })
	return s.runeStart(low + more)
}

// runeStart returns the start of the rune that holds place.
func (s *splitter) runeStart(place int) int {
	for place < len(s.text) && place > 0 && !utf8.RuneStart(s.text[place]) {
		place--
	}
	return place
}

// skipBlank skips blanks before a part that begins outside of code, but keeps the indent of a list item.
func (s *splitter) skipBlank() {
	for s.at < len(s.text) {
		l := s.lines[s.line]
		switch rest := s.text[s.at:l.end]; {
		case l.kind == closeLine: // written at the end of the part before
		case l.kind != proseLine:
			return
		case strings.TrimSpace(rest) != "":
			if s.at > l.start {
				s.at = l.end - len(strings.TrimLeft(rest, " \t"))
			}
			return
		}
		s.moveTo(min(l.end+1, len(s.text)))
	}
}

// moveTo makes the next part begin at place, which must not be before the current one.
func (s *splitter) moveTo(place int) {
	s.at = place
	for s.line+1 < len(s.lines) && s.lines[s.line+1].start <= place {
		s.line++
	}
}
