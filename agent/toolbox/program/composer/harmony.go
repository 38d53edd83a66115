package composer

import (
	"regexp"
	"slices"
	"strings"
)

// chord is one of a progression, in semitones above C.
type chord struct {
	root  int   // 0 to 11
	tones []int // above the root, the root's 0 first
}

// has tells whether a pitch belongs to the chord.
func (c chord) has(pitch int) bool {
	return slices.ContainsFunc(c.tones, func(t int) bool { return (pitch-c.root-t)%12 == 0 })
}

// numeral is a chord as a Roman numeral: the degree of the major scale, moved by b or #,
// in lower case if it is minor.
var numeral = regexp.MustCompile(`^([b#]?)(VII|VI|V|IV|III|II|I|vii|vi|v|iv|iii|ii|i)(.*)$`)

var degrees = map[string]int{"I": 0, "II": 2, "III": 4, "IV": 5, "V": 7, "VI": 9, "VII": 11}

// qualities are the tones of chords by what follows the numeral.
var qualities = map[string][2][]int{ // major and minor
	"":     {{0, 4, 7}, {0, 3, 7}},
	"7":    {{0, 4, 7, 10}, {0, 3, 7, 10}},
	"maj7": {{0, 4, 7, 11}, {0, 3, 7, 11}},
	"m7b5": {{0, 3, 6, 10}, {0, 3, 6, 10}},
}

// chordOf reads a numeral in a key. In a minor key VI, III and VII are those of the
// minor scale, as everybody writes them.
func chordOf(text string, key int, minor bool) (chord, bool) {
	m := numeral.FindStringSubmatch(text)
	if m == nil {
		return chord{}, false
	}
	degree := strings.ToUpper(m[2])
	root, ok := degrees[degree]
	quality, known := qualities[m[3]]
	if !ok || !known {
		return chord{}, false
	}
	switch m[1] {
	case "b":
		root--
	case "#":
		root++
	default:
		if minor && (degree == "III" || degree == "VI" || degree == "VII") && m[2] == degree {
			root--
		}
	}
	small := 0
	if m[2] != degree {
		small = 1
	}
	return chord{root: (root + key + 12) % 12, tones: quality[small]}, true
}

// phrase is the chords of one progression.
func phrase(progression string, key int, minor bool) []chord {
	var all []chord
	for text := range strings.FieldsSeq(progression) {
		if c, ok := chordOf(text, key, minor); ok {
			all = append(all, c)
		}
	}
	return all
}

// tonic is the chord on the keynote.
func (b brief) tonic() chord {
	text := "I"
	if b.minor {
		text = "i"
	}
	c, _ := chordOf(text, b.key, b.minor)
	return c
}

// pitches are those of the scale over a chord, from low to high: what would clash with a
// tone of the chord that the scale lacks gives way to it.
func (b brief) pitches(c chord, low, high int) []int {
	in := map[int]bool{}
	for _, s := range b.scale.Steps {
		in[(b.key+s)%12] = true
	}
	var added []int
	for _, t := range c.tones {
		if p := (c.root + t) % 12; !in[p] {
			added = append(added, p)
		}
	}
	for _, p := range added {
		for _, near := range []int{(p + 1) % 12, (p + 11) % 12} {
			if !c.has(near) {
				delete(in, near)
			}
		}
	}
	for _, p := range added {
		in[p] = true
	}
	var all []int
	for p := low; p <= high; p++ {
		if in[p%12] {
			all = append(all, p)
		}
	}
	return all
}

// voicing are the chord's notes from low to high that lie nearest to those before, or
// around the middle.
func (c chord) voicing(before []int, middle int) []int {
	if len(before) == 0 {
		before = []int{middle}
	}
	var best []int
	least := -1
	for turn := range c.tones {
		notes := make([]int, 0, len(c.tones))
		for i := range c.tones {
			t := c.tones[(turn+i)%len(c.tones)]
			if turn+i >= len(c.tones) {
				t += 12
			}
			notes = append(notes, c.root+t)
		}
		for octave := 2; octave <= 6; octave++ {
			moved := make([]int, len(notes))
			for i, n := range notes {
				moved[i] = n + 12*octave
			}
			if d := apart(moved, before) + apart(moved, []int{middle})/2; least < 0 || d < least {
				best, least = moved, d
			}
		}
	}
	return best
}

// apart is how far notes are from others, each from its nearest one.
func apart(notes, others []int) int {
	sum := 0
	for _, n := range notes {
		least := -1
		for _, o := range others {
			if d := max(n-o, o-n); least < 0 || d < least {
				least = d
			}
		}
		sum += least
	}
	return sum
}

// nearest is the pitch of several that is closest to one; of two the higher.
func nearest(pitches []int, to int) int {
	best := to
	least := -1
	for _, p := range pitches {
		if d := max(p-to, to-p); least < 0 || d <= least {
			best, least = p, d
		}
	}
	return best
}
