package adapters

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

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
