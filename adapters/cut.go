package adapters

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// cut is where the part that begins here best ends: within a line, or at its end.
func (s *splitter) cut() int {
	reach := s.reach(s.line, s.at)
	if reach == len(s.text) {
		return reach
	}
	over := s.line // the line that is the first not to fit whole
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
		over--
	}
	if over > s.line {
		return s.lines[over-1].end
	}
	_, size := utf8.DecodeRuneInString(s.text[s.at:])
	return max(reach, s.at+size) // nothing is good, but it must go on
}

// between is the line before which to cut, where one does not fit whole any more. It is not
// ok where that line itself must be cut.
func (s *splitter) between(over, reach int) (int, bool) {
	l := s.lines[over]
	if over == s.line {
		return 0, false
	}
	switch l.kind {
	case closeLine: // it is made anew
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

// endOf is where the content of a code block ends that begins with this line.
func (s *splitter) endOf(block int) int {
	i := block
	for i+1 < len(s.lines) && s.lines[i+1].kind != openLine && s.lines[i+1].kind != proseLine {
		i++
	}
	return s.lines[i].end
}

// within is the best place to cut a line at, after from and not after reach; from if there
// is none.
func (s *splitter) within(i, from, reach int) int {
	l := s.lines[i]
	if from >= reach {
		return from
	}
	window := s.text[from:min(l.end, reach+(reach-s.at)+farthest)]
	kept := unbroken(window, l.kind)
	sentence, word, cluster, inside := from, from, from, from
	rests := from // where what is not blank begins, after the place
	place, state := from, -1
	for rest := window; rest != ""; {
		var c string
		var boundaries int
		c, rest, boundaries, state = uniseg.StepString(rest, state)
		if place += len(c); place > reach || rest == "" {
			break
		}
		inside = place
		if rests = max(rests, place); l.kind == proseLine { // the next part does not begin with what is blank
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
		return from // what is to be kept whole goes into the next part
	}
	if cluster > from+(reach-from)/2 || cluster > from && s.waits(i, kept, from, cluster, reach) {
		return cluster
	}
	if inside > from {
		return inside
	}
	return reach // one cluster is too long
}

// waits tells whether what is to be kept whole begins at a place, goes beyond the reach, and
// will fit in the next part.
func (s *splitter) waits(i int, kept []extent, from, place, reach int) bool {
	for _, e := range kept {
		if from+e.from == place && from+e.to > reach {
			return s.fits(i, place, from+e.to)
		}
	}
	return false
}

// separates tells whether neither piece of a line that is cut there would begin or end a
// block of code. The second one begins with the rest.
func (s *splitter) separates(l line, i, place, rest int) bool {
	begin := l.start
	if i == s.line {
		begin = max(begin, s.at)
	}
	return !s.mistakable(l, begin, place) && !s.mistakable(l, rest, l.end)
}

// begins tells whether what follows a place of a line reads on as it did: not as a list's
// line or a quoted one.
func (s *splitter) begins(l line, place int) bool {
	rest := near(s.text[place:l.end])
	return l.kind == codeLine || listMarker(rest) == "" && rest != ">" && !strings.HasPrefix(rest, "> ")
}

// emphasizes tells whether an asterisk beside a place means nothing for what stands on the
// other side, and might mean something without.
func emphasizes(s string, kept []extent, place int) bool {
	before, after := s[:place], s[place:]
	begins, ends := strings.HasPrefix(after, "*"), strings.HasSuffix(before, "*")
	for _, e := range kept[reaching(kept, place):] { // what has its meaning already
		if e.from > place {
			break
		}
		begins, ends = begins && place != e.from, ends && place != e.to
	}
	return begins && ends || begins && endsInWord(before) || ends && beginsWithWord(after)
}

// extent is a piece of a line, by places in it.
type extent struct{ from, to int }

// reaching is the first of them that reaches to a place, or over it. They stand in their
// order, and none holds another.
func reaching(all []extent, place int) int {
	return sort.Search(len(all), func(i int) bool { return all[i].to >= place })
}

// holds tells whether a place is inside of one of them.
func holds(all []extent, place int) bool {
	i := reaching(all, place)
	return i < len(all) && all[i].from < place && place < all[i].to
}

// unbroken finds what is best not cut in a piece of a line: addresses, and outside of code
// what is marked up.
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
