package adapters

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
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

// cut returns the best end for the part that begins at s.at: within a line or at the end of one.
func (s *splitter) cut() int {
	reach := s.reach(s.line, s.at)
	if reach == len(s.text) {
		return reach
	}
	over := s.line // the first line that does not fit completely
	for s.lines[over].end <= reach && over+1 < len(s.lines) {
		over++
	}
	if before, ok := s.between(over, reach); ok {
		return s.lines[before-1].end
	}
	from := max(s.at, s.lines[over].start)
	if place := s.within(over, from, reach); place > from {
		return place
	}
	if over > s.line && s.lines[over-1].kind == openLine { // nothing ends after that
		over-- // nothing may end after an opening fence
	}
	if over > s.line {
		return s.lines[over-1].end
	}
	_, size := utf8.DecodeRuneInString(s.text[s.at:])
	return max(reach, s.at+size) // no good place, but progress must be made
}

// between returns the line before which to cut when line over does not fit. It returns false if over itself must
// be cut.
func (s *splitter) between(over, reach int) (int, bool) {
	l := s.lines[over]
	if over == s.line {
		return 0, false
	}
	switch l.kind {
	case closeLine: // the closing fence is written again
		return over, true
	case openLine, codeLine:
		if l.block > s.line && s.reach(l.block, s.lines[l.block].start) >= s.endOf(l.block) {
			return l.block, true
		}
	case proseLine:
		for i := over; i > s.line && s.lines[i].start > s.at+(reach-s.at)/2; i-- {
			before := s.lines[i-1]
			if before.kind == proseLine && strings.TrimSpace(s.text[before.start:before.end]) == "" {
				return i, true
			}
		}
	}
	return over, s.lines[over-1].kind != openLine && s.reach(over, l.start) >= l.end
}

// endOf returns the end of the content of the code block that begins with line block.
func (s *splitter) endOf(block int) int {
	i := block
	for i+1 < len(s.lines) && s.lines[i+1].kind != openLine && s.lines[i+1].kind != proseLine {
		i++
	}
	return s.lines[i].end
}

// within returns the best place to cut line i: after from, and not after reach; from itself if no place fits.
func (s *splitter) within(i, from, reach int) int {
	l := s.lines[i]
	if from >= reach {
		return from
	}
	window := s.text[from:min(l.end, reach+(reach-s.at)+farthest)]
	kept := unbroken(window, l.kind)
	sentence, word, cluster, inside := from, from, from, from
	rests := from // where the next non-blank character begins, at or after place
	place, state := from, -1
	for rest := window; rest != ""; {
		var c string
		var boundaries int
		c, rest, boundaries, state = uniseg.StepString(rest, state)
		if place += len(c); place > reach || rest == "" {
			break
		}
		inside = place
		if rests = max(rests, place); l.kind == proseLine { // the next part does not begin with blanks
			rests = l.end - len(strings.TrimLeft(s.text[rests:l.end], " \t"))
		}
		switch {
		case holds(kept, place-from) || !s.separates(l, i, place, rests) || l.kind == proseLine && emphasizes(window, kept, place-from):
			continue
		case !s.begins(l, rests):
			cluster = place
			continue
		case l.kind == proseLine && boundaries&uniseg.MaskSentence != 0 && place > from+(reach-from)/2:
			sentence = place
		}
		if cluster = place; boundaries&uniseg.MaskLine != uniseg.LineDontBreak {
			word = place
		}
	}
	for _, best := range []int{sentence, word} {
		if best > from {
			return best
		}
	}
	if from > s.at && l.kind == proseLine {
		return from // the unbreakable piece moves to the next part
	}
	if cluster > from+(reach-from)/2 || cluster > from && s.waits(i, kept, from, cluster, reach) {
		return cluster
	}
	if inside > from {
		return inside
	}
	return reach // a single cluster is too long
}

// waits reports whether an unbreakable piece begins at place, goes beyond reach, and will fit in the next part.
func (s *splitter) waits(i int, kept []extent, from, place, reach int) bool {
	for _, e := range kept {
		if from+e.from == place && from+e.to > reach {
			return s.fits(i, place, from+e.to)
		}
	}
	return false
}

// separates reports whether the line can be cut at place without either piece opening or closing a code block. The
// second piece begins at rest.
func (s *splitter) separates(l line, i, place, rest int) bool {
	begin := l.start
	if i == s.line {
		begin = max(begin, s.at)
	}
	return !s.mistakable(l, begin, place) && !s.mistakable(l, rest, l.end)
}

// begins reports whether the rest of a line after place still reads as plain text, not as a list item or a quote.
func (s *splitter) begins(l line, place int) bool {
	rest := near(s.text[place:l.end])
	return l.kind == codeLine || listMarker(rest) == "" && rest != ">" && !strings.HasPrefix(rest, "> ")
}

// emphasizes reports whether an asterisk next to place, literal because of the text on its other side, could
// become emphasis if that text were cut off.
func emphasizes(s string, kept []extent, place int) bool {
	before, after := s[:place], s[place:]
	begins, ends := strings.HasPrefix(after, "*"), strings.HasSuffix(before, "*")
	for _, e := range kept[reaching(kept, place):] { // asterisks that are markup already
		if e.from > place {
			break
		}
		begins, ends = begins && place != e.from, ends && place != e.to
	}
	return begins && ends || begins && endsInWord(before) || ends && beginsWithWord(after)
}

// extent is a byte range of a line.
type extent struct{ from, to int }

// reaching returns the index of the first extent that ends at or after place. The extents are sorted and do not
// overlap.
func reaching(all []extent, place int) int {
	return sort.Search(len(all), func(i int) bool { return all[i].to >= place })
}

// holds reports whether place is inside one of the extents.
func holds(all []extent, place int) bool {
	i := reaching(all, place)
	return i < len(all) && all[i].from < place && place < all[i].to
}

// unbroken returns the extents of a piece of a line that should not be cut: URLs and, outside code, markup.
func unbroken(s string, kind lineKind) []extent {
	var all []extent
	ends := closings{line: s}
	for at := 0; at < len(s); {
		length := 1
		switch rest := s[at:]; {
		case strings.HasPrefix(rest, "https://") || strings.HasPrefix(rest, "http://"):
			if length = strings.IndexAny(rest, " \t<>"); length < 0 {
				length = len(rest)
			}
			all = append(all, extent{at, at + length})
		case kind == codeLine:
		case rest[0] == '\\':
			length = min(2, len(rest))
			all = append(all, extent{at, at + length})
		default:
			if _, _, n := ends.marked(at, Span{}); n > 0 {
				length = n
				all = append(all, extent{at, at + n})
			}
		}
		at += length
	}
	return all
}

// farthest is the maximum length of a markup in bytes, so that one without an end stays cheap.
const farthest = 2048

func near(s string) string { return s[:min(len(s), farthest)] }

// closings finds where the markups of a line end. It scans each place at most once per mark, even if much begins
// there and nothing ends.
type closings struct {
	line  string
	known [marks][]int // by mark and place: the position of the next end plus 2; 0 if not known yet
}

// mark is a kind of markup with an end to search for.
type mark int

const (
	bold mark = iota
	italic
	link
)

const marks = 3 // number of marks

func (m mark) end() string { return [marks]string{"**", "*", "]("}[m] }

// marked parses a markup that begins at a place of the line. It returns its content, its style, and its total
// length in bytes, or 0 if the line has none there.
func (c *closings) marked(at int, style Span) (inner string, within Span, length int) {
	rest := c.line[at:]
	switch {
	case rest[0] == '`':
		if end := strings.IndexByte(near(rest[1:]), '`'); end > 0 {
			style.Code = true
			return rest[1 : 1+end], style, end + 2
		}
	case strings.HasPrefix(rest, "**") && !style.Bold:
		if n := c.length(bold, at+2); n > 0 {
			style.Bold = true
			return rest[2 : 2+n], style, n + 4
		}
	case rest[0] == '*' && !style.Italic && !strings.HasPrefix(rest, "**") && !endsInWord(c.line[:at]):
		if n := c.length(italic, at+1); n > 0 && !beginsWithWord(rest[n+2:]) {
			style.Italic = true
			return rest[1 : 1+n], style, n + 2
		}
	case rest[0] == '[' && style.URL == "":
		n := c.length(link, at+1)
		if n <= 0 {
			break
		}
		address, _, ok := strings.Cut(near(rest[n+3:]), ")")
		if ok && isAddress(address) {
			style.URL = address
			return rest[1 : 1+n], style, n + len(address) + 4
		}
	}
	return "", style, 0
}

// length returns the length of the content of a markup that begins at from. The content must not be empty or begin
// with a space. The result is 0 or less if the markup does not end.
func (c *closings) length(m mark, from int) int {
	if from == len(c.line) || c.line[from] == ' ' {
		return 0
	}
	end := c.next(m, from)
	if end == from {
		end = c.next(m, from+1)
	}
	if end-from+len(m.end()) > farthest {
		return 0
	}
	return end - from
}

// next returns the first end at or after from, or -1.
func (c *closings) next(m mark, from int) int {
	if c.known[m] == nil {
		c.known[m] = make([]int, len(c.line))
	}
	known, end, at := c.known[m], -1, from
	for ; at < len(c.line); at = c.after(m, at) {
		if known[at] != 0 {
			end = known[at] - 2
			break
		}
		if c.ends(m, at) {
			end = at
			known[at] = end + 2
			break
		}
	}
	for back := from; back < at; back = c.after(m, back) {
		known[back] = end + 2
	}
	return end
}

// ends reports whether a markup can end at a place: not after a space.
func (c *closings) ends(m mark, at int) bool {
	rest := c.line[at:]
	switch {
	case m == italic && strings.HasPrefix(rest, "**"):
		return false
	case m == bold && strings.HasPrefix(rest, "***"): // the first asterisk ends the italics inside
		return false
	}
	return at > 0 && c.line[at-1] != ' ' && strings.HasPrefix(rest, m.end())
}

// after returns the next place at which a markup may end, skipping escapes and code.
func (c *closings) after(m mark, at int) int {
	rest := c.line[at:]
	switch {
	case rest[0] == '\\', m == italic && strings.HasPrefix(rest, "**"):
		return at + 2
	case rest[0] == '`':
		if end := strings.IndexByte(near(rest[1:]), '`'); end > 0 {
			return at + end + 2
		}
	}
	return at + 1
}
