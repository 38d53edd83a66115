package composer

import (
	"cmp"
	"maps"
	"slices"
)

// drum writes the drums: the pattern of the style, a fill before another part begins,
// and a stroke on the last chord.
func (s *score) drum(t *tables) {
	pattern := t.patterns.Drums[s.brief.drums][s.brief.meter.name]
	if len(pattern) == 0 {
		return
	}
	p := part{name: "drums", channel: 10, volume: 86, pan: 64, room: 30, bars: make([][]note, len(s.bars))}
	for i, now := range s.bars {
		switch {
		case now.last:
			p.bars[i] = []note{{0, s.brief.meter.ticks, []int{t.patterns.Kit["kick"], t.patterns.Kit["crash"]}}}
		case now.turn && s.brief.energy >= 2:
			p.bars[i] = s.strokes(t.patterns.Fills[s.brief.meter.name], t.patterns.Kit)
		case now.full, len(s.brief.only) > 0:
			p.bars[i] = s.strokes(pattern, t.patterns.Kit)
		}
	}
	s.parts = append(s.parts, p)
}

// strokes are the strokes of a bar, those at the same time together.
func (s *score) strokes(pattern map[string]string, kit map[string]int) []note {
	at := map[int][]int{}
	for _, drum := range slices.Sorted(maps.Keys(pattern)) {
		for _, sign := range s.signs(pattern[drum]) {
			at[sign.at] = append(at[sign.at], kit[drum])
		}
	}
	var notes []note
	for tick, keys := range at {
		notes = append(notes, note{at: tick, pitches: keys})
	}
	slices.SortFunc(notes, func(a, b note) int { return cmp.Compare(a.at, b.at) })
	for i := range notes {
		end := s.brief.meter.ticks
		if i+1 < len(notes) {
			end = notes[i+1].at
		}
		notes[i].length = end - notes[i].at
	}
	return notes
}
