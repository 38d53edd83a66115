package naming

import (
	"slices"
	"strings"
)

// led parses "with NAME" and the like.
func (s *scan) led(i int) int {
	first := s.skip(i+1, fillers)
	meanings, end := s.name(first)
	if meanings == nil {
		return i + 1
	}
	p := s.phrase(first, end, meanings)
	named := end
	end = s.skip(end, trailing)
	if !s.free(end) || s.exchanged(i) || done.has(s.at(i-1)) {
		return i + 1
	}
	thing := end == named && s.pointed(i+1, first) // "with the parakeet"
	if !p.distinct && (placing.has(s.at(i)) || thing || s.placed(end) || s.described(end)) {
		return i + 1
	}
	p.start, p.end, p.About = s.words[i].from, s.words[end-1].end, s.about(i, end)
	s.join(&p, i)
	s.phrases = append(s.phrases, p)
	return s.more(p, end)
}

// free reports whether a name may end before the word at end.
func (s *scan) free(end int) bool {
	return end == len(s.words) || s.closes(end-1) || following.has(s.at(end))
}

// exchanged reports whether the word at i introduces a replacement: "replace the car with …".
func (s *scan) exchanged(i int) bool {
	if !replacing.has(s.at(i)) {
		return false
	}
	for k := i - 1; k >= 0 && !s.ends(k) && !replacing.has(s.at(k)); k-- {
		if exchanging.has(s.at(k)) {
			return true
		}
	}
	return false
}

// pointed reports whether the words refer to a thing rather than a model.
func (s *scan) pointed(from, to int) bool {
	return slices.ContainsFunc(s.words[from:to], func(w word) bool { return pointing.has(w.text) }) &&
		!slices.ContainsFunc(s.words[from:to], func(w word) bool { return trailing.has(w.text) })
}

// placed reports whether a place follows at i: "on the beach", but not "in German" or "in the style
// of".
func (s *scan) placed(i int) bool {
	if i > 0 && s.closes(i-1) || !places.has(s.at(i)) {
		return false
	}
	manner := tongues.has(s.at(i+1)) || slices.Contains([]string{s.at(i + 1), s.at(i + 2)}, "style")
	return s.at(i) != "in" || !manner
}

// described reports whether a description continues after a comma: "with wan, pale skin".
func (s *scan) described(i int) bool {
	goesOn := i < len(s.words) && strings.Contains(s.text[s.words[i-1].end:s.words[i-1].to], ",")
	return goesOn && !following.has(s.at(i)) && !before.has(s.at(i)) && !ordering.has(s.at(i)) && !leading.has(s.at(i))
}

// join extends a phrase that begins at word i to the left, over a conjunction that links it to the
// previous phrase ("and one with flux") or a counting word ("once with SDXL"). Linked phrases are
// about the same thing.
func (s *scan) join(p *phrase, i int) {
	for i > 0 && counting.has(s.at(i-1)) && !s.closes(i-1) {
		i--
		p.start = s.words[i].from
	}
	from := i
	for from > 0 && between.has(s.at(from-1)) && !s.ends(from-1) && !s.taken(s.words[from-1].start) {
		from--
	}
	if last := len(s.phrases) - 1; from > 0 && last >= 0 && s.phrases[last].end == s.words[from-1].end && !s.ends(from-1) {
		p.start, p.About = s.words[from-1].end, s.phrases[last].About
	}
}

// more parses further names after the phrase p, "with SDXL and flux", and returns the index of the
// next word.
func (s *scan) more(p phrase, end int) int {
	for {
		first := end
		if !joining.has(s.at(end)) && s.at(end) != "or" || s.closes(end-1) && s.ends(end-1) {
			return end
		}
		meanings, next := s.name(first + 1)
		if meanings == nil || !s.free(s.skip(next, trailing)) {
			return end
		}
		other := s.phrase(first+1, next, meanings)
		end = s.skip(next, trailing)
		other.start, other.end, other.About = p.end, s.words[end-1].end, p.About
		s.phrases = append(s.phrases, other)
		p = other
	}
}
