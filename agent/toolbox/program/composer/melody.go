package composer

import (
	"math/rand/v2"
	"slices"
)

// motif is what makes a tune known again: a rhythm with the steps from note to note.
type motif struct {
	cell  string
	steps []int // in notes of the scale
}

// tune is what a section sings.
type tune struct {
	motifs []motif
	lift   int // semitones above the middle of the range
}

// draw draws a motif: mostly steps, now and then a leap that is taken back.
func draw(dice *rand.Rand, cells []string) motif {
	m := motif{cell: pick(dice, cells)}
	leaps := []int{-1, 1, -1, 1, -1, 1, 0, 2, -2, 2, -2, 3, -3}
	before := 0
	for i := range len(m.cell) {
		if m.cell[i] != 'x' {
			continue
		}
		step := pick(dice, leaps)
		if before > 1 || before < -1 {
			step = 1
			if before > 1 {
				step = -1
			}
		}
		m.steps = append(m.steps, step)
		before = step
	}
	return m
}

// melody gives the leading instruments their notes, a phrase each in turn.
func (s *score) melody(t *tables, dice *rand.Rand) {
	b := s.brief
	cells := t.patterns.Cells[b.meter.name]
	level := min(max(b.energy+b.style.Lively, 0), len(cells)-1)
	tunes := map[rune]tune{}
	for _, section := range "ABC" {
		lift := map[rune]int{'A': 0, 'B': 4, 'C': 2}[section]
		tunes[section] = tune{lift: lift, motifs: []motif{draw(dice, cells[level]), draw(dice, cells[max(level-1, 0)])}}
	}
	tunes['a'] = tunes['A']
	leads := make([]part, len(b.cast.leads))
	for i, lead := range b.cast.leads {
		leads[i] = part{name: "lead", program: lead.Program, volume: 108, pan: 60 + 12*i, room: 52, bars: make([][]note, len(s.bars))}
	}
	for i, now := range s.bars {
		who := now.phrase % len(leads)
		lead := b.cast.leads[who]
		middle := min(max(69+b.mood.Register, lead.Low+8), lead.High-10)
		v := singer{score: s, low: max(lead.Low, middle-10), high: min(lead.High, middle+14), bar: now}
		leads[who].bars[i] = v.sing(tunes[now.section], middle)
	}
	for _, p := range leads {
		if slices.ContainsFunc(p.bars, func(n []note) bool { return len(n) > 0 }) {
			s.parts = append(s.parts, p)
		}
	}
}

// singer makes one bar of a melody.
type singer struct {
	score     *score
	low, high int
	bar       bar
}

// sing is the bar's melody: the tune's motif over the bar's chord, or the end of a
// phrase.
func (v singer) sing(t tune, middle int) []note {
	arch := []int{0, 3, 5, 0}[min(v.bar.index*4/v.bar.size, 3)]
	target := middle + t.lift + arch
	switch {
	case v.bar.last:
		return []note{{0, v.score.brief.meter.ticks, []int{v.close(middle)}}}
	case v.bar.index == v.bar.size-1:
		return v.ending(t.motifs[1], middle+t.lift)
	}
	return v.along(t.motifs[[]int{0, 0, 1, 0}[min(v.bar.index, 3)]], target)
}

// ending begins as the motif does and comes to rest in the middle of the bar: on the
// keynote where the part closes, else on another note of the chord.
func (v singer) ending(m motif, target int) []note {
	half := len(m.cell) / 2
	m.cell = m.cell[:half] + "x" + rest(len(m.cell)-half-1)
	m.steps = slices.Clone(m.steps)
	m.steps = append(m.steps, 0)
	notes := v.along(m, target)
	last := &notes[len(notes)-1]
	chord := v.bar.chordAt(last.at, v.score.brief.meter)
	if v.bar.section == 'a' && chord.has(v.score.brief.key) {
		last.pitches = []int{v.close(last.pitches[0])}
		return notes
	}
	open := v.tones(chord, func(tone int) bool { return tone != 0 })
	last.pitches = []int{nearest(open, last.pitches[0])}
	return notes
}

// along sings a motif: chord tones on the beats, the scale between them.
func (v singer) along(m motif, target int) []note {
	var notes []note
	meter := v.score.brief.meter
	pitch := target
	for i, sign := range v.score.signs(m.cell) {
		chord := v.bar.chordAt(sign.at, meter)
		scale := v.score.brief.pitches(chord, v.low, v.high)
		if i == 0 {
			pitch = nearest(v.tones(chord, nil), target)
		} else {
			pitch = move(scale, pitch, m.steps[i])
			if sign.at%meter.beat == 0 {
				pitch = nearest(v.tones(chord, nil), pitch)
			}
		}
		if n := len(notes); n > 1 && notes[n-1].pitches[0] == pitch && notes[n-2].pitches[0] == pitch {
			pitch = move(scale, pitch, 1) // the same note thrice says nothing
		}
		notes = append(notes, note{sign.at, sign.length, []int{pitch}})
	}
	return notes
}

// close is the keynote that is nearest to a pitch.
func (v singer) close(to int) int {
	return nearest(v.tones(chord{root: v.score.brief.key, tones: []int{0}}, nil), to)
}

// tones are the pitches of a chord within reach, or those that are wanted of it.
func (v singer) tones(c chord, want func(tone int) bool) []int {
	var all []int
	for p := v.low; p <= v.high; p++ {
		for _, t := range c.tones {
			if (p-c.root-t)%12 == 0 && (want == nil || want(t)) {
				all = append(all, p)
			}
		}
	}
	return all
}

// move goes that many notes of a scale from a pitch, and turns back at its ends.
func move(scale []int, from, steps int) int {
	if len(scale) == 0 {
		return from
	}
	at := slices.Index(scale, nearest(scale, from))
	to := at + steps
	if to < 0 || to >= len(scale) {
		to = at - steps
	}
	return scale[min(max(to, 0), len(scale)-1)]
}
