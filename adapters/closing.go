package adapters

import "strings"

// farthest is how many bytes a mark-up holds at most, so that one without end costs little.
const farthest = 2048

func near(s string) string { return s[:min(len(s), farthest)] }

// closings knows where the mark-ups of a line end. It looks at each place once for each of
// them, whatever begins there and does not end.
type closings struct {
	line  string
	known [marks][]int // by mark and place: 2 more than where the first end is from there on
}

// mark is what may begin and end a mark-up.
type mark int

const (
	bold mark = iota
	italic
	link
)

const marks = 3 // that there are

func (m mark) end() string { return [marks]string{"**", "*", "]("}[m] }

// marked reads a mark-up that begins at a place of the line: what it holds, in which style
// that is, and how many bytes all of it takes, 0 if there is none.
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

// length is how much a mark-up holds that has begun before a place, which is something and
// begins with no space; it is 0 or less if it does not end.
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

// next is the first end at a place or after it, -1 if there is none.
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

// ends tells whether a mark-up can end at a place: not after a space.
func (c *closings) ends(m mark, at int) bool {
	rest := c.line[at:]
	switch {
	case m == italic && strings.HasPrefix(rest, "**"):
		return false
	case m == bold && strings.HasPrefix(rest, "***"): // the first ends what is within
		return false
	}
	return at > 0 && c.line[at-1] != ' ' && strings.HasPrefix(rest, m.end())
}

// after is the next place at which a mark-up may end: not after a backslash or within code.
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
