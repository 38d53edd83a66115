package adapters

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MinLimit is the least limit for [Split]: the two lines that hold a block of code
// together leave room for some of it.
const MinLimit = 64

// Split cuts a reply's text into parts for messages of at most limit, as measured: nil
// counts characters (runes), others may measure bytes or what a platform makes of a part. A
// longer text must not measure less than its beginning.
//
// A part is a text of its own ([Parse]): a block of code that is cut goes on, with its
// language, in the next part, and one that had no end gets one. Cuts are made between
// paragraphs where that is near, else between lines, else sentences, else where a line of
// a page would be broken. A list's line, a block of code, a link, an address, and what is
// code, bold or italic within a line, are cut only where they do not fit in one part by
// themselves; a grapheme cluster, such as an emoji of several runes, and what would have
// another meaning by itself, only then too; a rune never is. All parts together hold all
// of the text but the blank between two of them and what begins a block of code; a text of
// blank only has none. What was not UTF-8 is replaced, and a piece of a line that would
// begin or end a block of code, as the line did not, gets a backslash before its backquotes,
// or spaces where it is code.
//
// It panics if limit is less than [MinLimit].
func Split(text string, limit int, measure func(string) int) []string {
	if limit < MinLimit {
		panic("adapters: a limit too small to split by")
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
		if to < len(text) && text[to] == '\n' { // a cut between lines takes what parts them
			to++
		}
		s.moveTo(to)
	}
	return parts
}

// UTF16Len is the length of a text in UTF-16 units, as clients written in JavaScript count it.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// splitter goes through a text part by part.
type splitter struct {
	text    string
	lines   []line
	limit   int
	measure func(string) int

	at   int // where the next part begins
	line int // the line that it begins in
}

// lineAt is the line that holds what is before a place, from the line that the part
// begins in.
func (s *splitter) lineAt(from, place int) int {
	for from+1 < len(s.lines) && s.lines[from+1].start < place {
		from++
	}
	return from
}

// part is the text between two places, as a text of its own. It begins in the line first.
func (s *splitter) part(first, from, to int) string {
	begin, last := s.lines[first], s.lines[s.lineAt(first, to)]
	closed := last.kind == closeLine && to >= last.end
	if last.kind == closeLine && !closed { // what of it is not there is made anew
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

// withoutBlankEnd cuts off what is blank at a text's end, but for the space that makes a
// list's line of a marker alone.
func withoutBlankEnd(text string) string {
	short := strings.TrimRight(text, " \t\n")
	marker := strings.TrimLeft(short[strings.LastIndexByte(short, '\n')+1:], " ")
	if blank := text[len(short):]; strings.HasPrefix(blank, " ") && marker != "" && listMarker(marker+" ") == marker {
		return short + " "
	}
	return short
}

// unmistakable gives a text whose first line would begin or end a block of code so that it
// does not.
func (l line) unmistakable(text string) string {
	if l.kind == codeLine {
		return notLast + text
	}
	at := strings.IndexByte(text, '`')
	return text[:at] + "\\" + text[at:]
}

// mistakable tells whether a piece of a line would begin or end a block of code, as the
// whole line does not.
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

// fits tells whether the text between two places can be a part, the first being in the
// line first.
func (s *splitter) fits(first, from, to int) bool {
	return s.measure(s.part(first, from, to)) <= s.limit
}

// reach is the farthest place to which a part can go that begins at a place in the line
// first. It looks only little farther than that.
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

// runeStart is where the rune begins that holds a place.
func (s *splitter) runeStart(place int) int {
	for place < len(s.text) && place > 0 && !utf8.RuneStart(s.text[place]) {
		place--
	}
	return place
}

// skipBlank passes over what is blank before a part that begins outside of code, but for
// the spaces that put a list's line deeper.
func (s *splitter) skipBlank() {
	for s.at < len(s.text) {
		l := s.lines[s.line]
		switch rest := s.text[s.at:l.end]; {
		case l.kind == closeLine: // the part before has it
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

// moveTo lets the next part begin at a place, which is not before this one.
func (s *splitter) moveTo(place int) {
	s.at = place
	for s.line+1 < len(s.lines) && s.lines[s.line+1].start <= place {
		s.line++
	}
}
