package composer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"

	"slices"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
)

// meter is how a bar is counted. Ticks are the unit of time: a quarter has twelve, so that sixteenths
// and triplets both come out even.
type meter struct {
	name               string
	ticks, steps, beat int // of a bar; signs of a pattern; ticks of a beat
}

var meters = map[string]meter{"": {"4/4", 48, 16, 12}, "3/4": {"3/4", 36, 12, 12}, "6/8": {"6/8", 36, 12, 18}}

// note is one or several pitches that sound together, in ticks from the beginning of the bar.
type note struct {
	at, length int
	pitches    []int
	mark       byte // of the pattern
}

// chord is one of a progression.
type chord struct {
	root  int   // in semitones above C
	tones []int // above the root, with its 0 first
}

func (c chord) has(pitch int) bool {
	return slices.ContainsFunc(c.tones, func(t int) bool { return (pitch-c.root-t)%12 == 0 })
}

// numeral is a chord as a Roman numeral: a degree of the major scale, in lower case for minor.
var numeral = lazyregexp.New(`^([b#]?)([iv]+|[IV]+)(7|maj7|m7b5)?$`)

// phrase is a progression in a key. III, VI and VII are those of the minor scale in a minor key.
func phrase(progression string, key int, minor bool) []chord {
	var all []chord
	for text := range strings.FieldsSeq(progression) {
		m := numeral.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		degree := slices.Index([]string{"I", "II", "III", "IV", "V", "VI", "VII"}, strings.ToUpper(m[2]))
		if degree < 0 {
			continue
		}
		root, third := key+[]int{0, 2, 4, 5, 7, 9, 11}[degree], 4
		switch large := m[2][0] == 'I' || m[2][0] == 'V'; {
		case !large:
			third = 3
		case minor && m[1] == "" && (degree == 2 || degree > 4):
			root--
		}
		tones := map[string][]int{"": {0, third, 7}, "7": {0, third, 7, 10}, "maj7": {0, third, 7, 11}, "m7b5": {0, 3, 6, 10}}[m[3]]
		all = append(all, chord{(root + map[string]int{"b": 11, "#": 1}[m[1]]) % 12, tones})
	}
	return all
}

// bar is one bar of a piece.
type bar struct {
	section, index int // of the form; within the phrase
	chord, next    chord
	last           bool
}

// part is what one voice plays, bar by bar.
type part struct {
	instrument
	volume, pan int
	bars        [][]note
}

// score is a piece.
type score struct {
	brief brief
	bars  []bar
	parts []part
}

// ring is how long the last chord fades after its bar.
const ring = 1200 * time.Millisecond

// length is that of the whole piece: as long as was asked for if it is long enough.
func (s *score) length() time.Duration {
	all := time.Duration(len(s.bars))*s.barTime() + ring
	if s.brief.asked > 0 {
		return min(all, min(max(s.brief.asked, Shortest), Longest))
	}
	return all.Round(100 * time.Millisecond)
}

func (s *score) barTime() time.Duration {
	return time.Minute / time.Duration(s.brief.tempo) * time.Duration(s.brief.meter.ticks) / time.Duration(s.brief.meter.beat)
}

// score writes the piece: phrases of four bars in the form AABA, and a last chord.
func (t *tables) score(b brief, dice *rand.Rand) score {
	s := score{brief: b}
	target := min(max(cmp.Or(b.asked, usual), Shortest), Longest)
	wanted := float64(target-ring/2) / float64(s.barTime())
	bars := max(1, int(math.Round(wanted))-1)
	if bars > 6 {
		bars = (bars + 2) / 4 * 4 // whole phrases
	}
	bend := 1.12
	if b.steady {
		bend = 1
	}
	s.brief.tempo = int(min(max(float64(b.tempo)*min(max(float64(bars+1)/wanted, 1/bend), bend), slowest), fastest))
	written, tonic := b.style.Major, phrase("I", b.key, false)[0]
	if b.minor {
		written, tonic = b.style.Minor, phrase("i", b.key, true)[0]
	}
	sections := [][]chord{phrase(pick(dice, written.A), b.key, b.minor), phrase(pick(dice, written.B), b.key, b.minor)}
	for i := range bars {
		section := []int{0, 0, 1, 0}[i/4%4]
		s.bars = append(s.bars, bar{section: section, index: i % 4, chord: sections[section][i%4]})
	}
	s.bars = append(s.bars, bar{chord: tonic, last: true})
	for i := range s.bars[:bars] {
		s.bars[i].next = s.bars[i+1].chord
	}
	p := t.Patterns
	s.melody(p.Cells[b.meter.name], dice)
	s.voice(b.chords, 76, 46, p.Chords[pick(dice, b.style.Comp)][b.meter.name], dice, s.strike)
	s.voice(b.pad, 58, 82, p.Chords["held"][b.meter.name], dice, s.strike)
	line := "held"
	if len(b.style.Bassline) > 0 {
		line = pick(dice, b.style.Bassline)
	}
	s.voice(b.bass, 98, 64, p.Bass[line][b.meter.name], dice, s.low)
	s.drum(t)
	if len(b.only) > 0 {
		s.parts = slices.DeleteFunc(s.parts, func(p part) bool { return !slices.Contains(b.only, p.Name) })
	}
	return s
}

// voice adds a part that plays a pattern in every bar, another one in each section.
func (s *score) voice(who instrument, volume, pan int, patterns []string, dice *rand.Rand, pitches func(instrument, bar, byte) []int) {
	if who.Name == "" || len(patterns) == 0 {
		return
	}
	p := part{instrument: who, volume: volume, pan: pan}
	drawn := []string{pick(dice, patterns), pick(dice, patterns)}
	for _, now := range s.bars {
		pattern := drawn[now.section]
		if now.last {
			pattern = "1" + strings.Repeat("-", len(pattern)-1)
			if volume != 98 {
				pattern = "x" + pattern[1:]
			}
		}
		notes := s.notes(pattern)
		for i := range notes {
			notes[i].pitches = pitches(who, now, notes[i].mark)
		}
		p.bars = append(p.bars, notes)
	}
	s.parts = append(s.parts, p)
}

// strike is a chord in the octave around the middle of an instrument, or one note of it from below.
func (s *score) strike(who instrument, now bar, mark byte) []int {
	low := min(max(60, who.Low+5), who.High-8) - 6
	var all []int
	for _, t := range now.chord.tones {
		all = append(all, above(low, now.chord.root+t))
	}
	slices.Sort(all)
	if mark == 'x' {
		return all
	}
	k := int(mark - '1')
	return []int{all[k%len(all)] + 12*(k/len(all))}
}

// low is a note of a bass.
func (s *score) low(who instrument, now bar, mark byte) []int {
	const lowest = 28 // of a double bass
	root := above(max(who.Low, lowest), now.chord.root)
	switch mark {
	case '3':
		return []int{root + now.chord.tones[1]}
	case '5':
		return []int{root + now.chord.tones[2]}
	case '8':
		return []int{root + 12}
	case 'w': // leads to the next chord
		return []int{above(max(who.Low, lowest), now.next.root+11)}
	}
	return []int{root}
}

// above is the lowest pitch of that name from a pitch upwards.
func above(low, pitch int) int { return low + ((pitch-low)%12+12)%12 }

// melody adds the tune: motifs that come back over each chord, and the keynote at the end.
func (s *score) melody(cells [][]string, dice *rand.Rand) {
	b := s.brief
	level := min(max(b.mood.Energy+b.style.Lively, 0), len(cells)-1)
	type motif struct {
		cell  string
		steps []int
	}
	var motifs [4]motif // two of each section
	for i := range motifs {
		motifs[i].cell = pick(dice, cells[max(level-i%2, 0)])
		for range len(motifs[i].cell) {
			motifs[i].steps = append(motifs[i].steps, pick(dice, []int{-1, 1, -1, 1, -1, 1, 0, 2, -2, 3, -3}))
		}
	}
	middle := min(max(69+b.mood.Register, b.lead.Low+8), b.lead.High-10)
	low, high := max(b.lead.Low, middle-10), min(b.lead.High, middle+14)
	p := part{instrument: b.lead, volume: 108, pan: 60}
	for _, now := range s.bars {
		tonic := nearest(low, high, middle, func(p int) bool { return (p-b.key)%12 == 0 })
		if now.last {
			p.bars = append(p.bars, []note{{length: b.meter.ticks, pitches: []int{tonic}}})
			continue
		}
		m := motifs[2*now.section+[]int{0, 0, 1, 0}[now.index]]
		notes, pitch := s.notes(m.cell), middle+4*now.section+[]int{0, 3, 5, 0}[now.index]
		for i := range notes {
			fits := now.chord.has // on the beats; the scale is for the notes between them
			if i > 0 && notes[i].at%b.meter.beat != 0 {
				fits = func(p int) bool { return b.fits(p, now.chord) }
			}
			if i > 0 {
				pitch = min(max(pitch+2*m.steps[i], low), high)
			}
			pitch = nearest(low, high, pitch, fits)
			notes[i].pitches = []int{pitch}
		}
		p.bars = append(p.bars, notes)
	}
	s.parts = append(s.parts, p)
}

// fits reports whether a pitch is of the scale or the chord, and clashes with no tone of the chord
// that the scale lacks.
func (b brief) fits(pitch int, c chord) bool {
	scale := func(p int) bool { return slices.Contains(b.scale.Steps, ((p-b.key)%12+12)%12) }
	clash := func(p int) bool { return c.has(p) && !scale(p) }
	return c.has(pitch) || scale(pitch) && !clash(pitch-1) && !clash(pitch+1)
}

// nearest is the pitch closest to one of those that fit.
func nearest(low, high, to int, fits func(int) bool) int {
	for off := range 12 {
		for _, p := range []int{to + off, to - off} {
			if p >= low && p <= high && fits(p) {
				return p
			}
		}
	}
	return to
}

// drum adds the drums: the pattern of the style, a fill before another part, and a last stroke.
func (s *score) drum(t *tables) {
	pattern := t.Patterns.Drums[s.brief.drums][s.brief.meter.name]
	if len(pattern) == 0 {
		return
	}
	p := part{instrument: t.instrument("drums"), volume: 86, pan: 64}
	for i, now := range s.bars {
		played := pattern
		switch {
		case now.last:
			played = map[string]string{"kick": "x", "crash": "x"}
		case now.index == 3 && s.bars[i+1].section != now.section && s.brief.mood.Energy >= 2:
			played = t.Patterns.Fills[s.brief.meter.name]
		}
		strokes := map[int][]int{}
		for _, drum := range slices.Sorted(maps.Keys(played)) {
			for _, n := range s.notes(played[drum]) {
				strokes[n.at] = append(strokes[n.at], t.Patterns.Kit[drum])
			}
		}
		var notes []note
		end := s.brief.meter.ticks
		for _, at := range slices.Backward(slices.Sorted(maps.Keys(strokes))) {
			notes, end = append([]note{{at: at, length: end - at, pitches: strokes[at]}}, notes...), at
		}
		p.bars = append(p.bars, notes)
	}
	s.parts = append(s.parts, p)
}

// notes reads a pattern: "-" holds a note, "." is silence, any other sign is a note.
func (s *score) notes(pattern string) []note {
	tick := func(step int) int {
		if s.brief.style.Swing && s.brief.meter.beat == 12 {
			return step/4*12 + []int{0, 4, 8, 10}[step%4] // the second eighth is late
		}
		return 3 * step
	}
	var all []note
	for i := range len(pattern) {
		switch n := len(all); {
		case pattern[i] == '.':
		case pattern[i] != '-':
			all = append(all, note{at: tick(i), length: tick(i+1) - tick(i), mark: pattern[i]})
		case n > 0:
			all[n-1].length = tick(i+1) - all[n-1].at
		}
	}
	return all
}

// abc writes the score: a voice for each part, a line for each bar. A tick is a sixteenth, since
// abc2midi divides notes by two only. Each note has its accidental.
func (s *score) abc() string {
	var b strings.Builder
	m := s.brief.meter
	fmt.Fprintf(&b, "X:1\nT:music\nM:%d/16\nL:1/16\nQ:%d/16=%d\nK:C\n", m.ticks, m.beat, s.brief.tempo)
	for i, p := range s.parts {
		channel, program := i+1, fmt.Sprintf("%%%%MIDI program %d\n", p.Program)
		if p.plays("drums") {
			channel, program = 10, ""
		}
		fmt.Fprintf(&b, "V:%d\n%%%%MIDI channel %d\n%s", i+1, channel, program)
		fmt.Fprintf(&b, "%%%%MIDI control 7 %d\n%%%%MIDI control 10 %d\n%%%%MIDI control 91 48\n", p.volume, p.pan)
		for k, notes := range p.bars {
			if k%4 == 0 {
				fmt.Fprintf(&b, "!%s!", []string{"mp", "mf", "f", "ff"}[min(max(s.brief.mood.Energy, 0), 2)+s.bars[k].section])
			}
			at := 0
			for _, n := range notes {
				if n.at > at {
					fmt.Fprintf(&b, "z%d ", n.at-at)
				}
				b.WriteString("[")
				for _, p := range slices.Compact(slices.Sorted(slices.Values(n.pitches))) {
					b.WriteString(pitch(p))
				}
				fmt.Fprintf(&b, "]%d ", n.length)
				at = n.at + n.length
			}
			if at < m.ticks {
				fmt.Fprintf(&b, "z%d ", m.ticks-at)
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

// pitch is a MIDI pitch in ABC: 60 is =C, 72 is =c.
func pitch(p int) string {
	name := []string{"=C", "^C", "=D", "^D", "=E", "=F", "^F", "=G", "^G", "=A", "^A", "=B"}[p%12]
	if octave := p/12 - 5; octave > 0 {
		return strings.ToLower(name) + strings.Repeat("'", octave-1)
	}
	return name + strings.Repeat(",", 5-p/12)
}
