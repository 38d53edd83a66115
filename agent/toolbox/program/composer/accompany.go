package composer

import (
	"math/rand/v2"
	"strings"
)

// accompany writes the chords, the pad and the bass.
func (s *score) accompany(t *tables, dice *rand.Rand) {
	b := s.brief
	comps := t.patterns.Chords[b.comp][b.meter.name]
	chords := part{
		name: "chords", program: b.cast.chords.Program, volume: 76, pan: 46, room: 48,
		pedal: b.comp == "broken" || b.comp == "rolling", bars: make([][]note, len(s.bars)),
	}
	pad := part{name: "pad", program: b.cast.pad.Program, volume: 58, pan: 82, room: 64, bars: make([][]note, len(s.bars))}
	bass := part{name: "bass", program: b.cast.bass.Program, volume: 98, pan: 64, room: 24, bars: make([][]note, len(s.bars))}
	lines := t.patterns.Bass[b.line][b.meter.name]
	comp, line := pick(dice, comps), ""
	other := pick(dice, comps)
	if len(lines) > 0 {
		line = pick(dice, lines)
	}
	var before []int
	for i, now := range s.bars {
		pattern := comp
		if now.section == 'B' || now.section == 'C' {
			pattern = other
		}
		if now.last {
			pattern = "x" + rest(len(pattern)-1)
		}
		chords.bars[i], before = s.comp(now, pattern, before, middle(b.cast.chords))
		if b.cast.pad.Name != "" && now.full {
			pad.bars[i], _ = s.comp(now, held(len(pattern), len(now.chords)), before, middle(b.cast.pad))
		}
		if line != "" {
			bass.bars[i] = s.low(now, i, line)
		}
	}
	s.parts = append(s.parts, chords)
	if b.cast.pad.Name != "" {
		s.parts = append(s.parts, pad)
	}
	if line != "" {
		s.parts = append(s.parts, bass)
	}
}

// middle is around which pitch an instrument plays chords: below the melody.
func middle(i instrument) int { return min(max(60, i.Low+5), i.High-8) }

// rest is a pattern in which the note before sounds on.
func rest(n int) string {
	return strings.Repeat("-", n)
}

// held is a pattern in which each chord of a bar is held.
func held(steps, chords int) string {
	return strings.Repeat("x"+rest(steps/chords-1), chords)
}

// comp plays a bar's chords by a pattern, near to what was played before.
func (s *score) comp(now bar, pattern string, before []int, middle int) ([]note, []int) {
	var notes []note
	meter := s.brief.meter
	for _, sign := range s.signs(pattern) {
		chord := now.chordAt(sign.at, meter)
		voicing := chord.voicing(before, middle)
		before = voicing
		pitches := voicing
		if sign.mark >= '1' && sign.mark <= '9' {
			k := int(sign.mark - '1')
			pitches = []int{voicing[k%len(voicing)] + 12*(k/len(voicing))}
		}
		notes = append(notes, note{sign.at, s.within(now, sign), pitches})
	}
	return notes, before
}

// within is how long a note may sound before the next chord comes.
func (s *score) within(now bar, sign sign) int {
	each := s.brief.meter.ticks / len(now.chords)
	return min(sign.length, (sign.at/each+1)*each-sign.at)
}

// The lowest note of a bass is an E.
const lowestBass = 28

// low is the bass of a bar.
func (s *score) low(now bar, index int, line string) []note {
	if now.last {
		line = "1" + rest(len(line)-1)
	}
	next := s.brief.tonic()
	if index+1 < len(s.bars) {
		next = s.bars[index+1].chords[0]
	}
	var notes []note
	for _, sign := range s.signs(line) {
		chord := now.chordAt(sign.at, s.brief.meter)
		root := s.deep(chord.root)
		pitch := root
		switch sign.mark {
		case '3':
			pitch = root + chord.tones[1]
		case '5':
			pitch = root + chord.tones[2]
		case '8':
			pitch = root + 12
		case 'w':
			to := s.deep(next.root)
			pitch = nearest(s.brief.pitches(chord, to-3, to-1), to-2)
		}
		notes = append(notes, note{sign.at, s.within(now, sign), []int{pitch}})
	}
	return notes
}

// deep is a note of the bass's lowest octave.
func (s *score) deep(root int) int {
	low := max(s.brief.cast.bass.Low, lowestBass)
	return low + ((root-low)%12+12)%12
}
