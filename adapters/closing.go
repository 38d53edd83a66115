package adapters

import "strings"

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
