package composer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// abc writes the score in ABC notation: a voice for each part, a line for each bar. A
// tick is a sixteenth there: abc2midi takes no part of a note but halves, and triplets
// are written out in the longer bars that come of it.
// Every note has its accidental, so that none hangs on a key or on a note before.
func (s *score) abc() string {
	var b strings.Builder
	m := s.brief.meter
	fmt.Fprintf(&b, "X:1\nT:music\nM:%d/16\nL:1/16\nQ:%d/16=%d\nK:C\n", m.ticks, m.beat, s.tempo)
	channel := 0
	for i, p := range s.parts {
		if p.channel == 0 {
			if channel++; channel == 10 {
				channel++ // that of the drums
			}
			p.channel = channel
		}
		fmt.Fprintf(&b, "V:%d\n%%%%MIDI channel %d\n%%%%MIDI beatstring %s\n", i+1, p.channel, m.stress)
		if p.name != "drums" {
			fmt.Fprintf(&b, "%%%%MIDI program %d\n", p.program)
		}
		fmt.Fprintf(&b, "%%%%MIDI control 7 %d\n%%%%MIDI control 10 %d\n%%%%MIDI control 91 %d\n", p.volume, p.pan, p.room)
		for k, notes := range p.bars {
			if p.pedal {
				b.WriteString("%%MIDI control 64 0\n")
				if !s.bars[k].last {
					b.WriteString("%%MIDI control 64 127\n")
				}
			}
			if k == 0 || s.bars[k].phrase != s.bars[k-1].phrase {
				fmt.Fprintf(&b, "!%s!", s.loudness(s.bars[k]))
			}
			writeBar(&b, notes, m.ticks)
			if s.bars[k].last {
				b.WriteString("|]\n")
			} else {
				b.WriteString("|\n")
			}
		}
	}
	return b.String()
}

// loudness is how loud a phrase is, as musicians write it.
func (s *score) loudness(b bar) string {
	steps := []string{"mp", "mf", "f", "ff"}
	level := min(max(s.brief.energy, 0), 2)
	if b.section == 'B' || b.section == 'C' {
		level++
	}
	return steps[level]
}

// writeBar writes a bar's notes, and the silence between them.
func writeBar(b *strings.Builder, notes []note, ticks int) {
	at := 0
	for _, n := range notes {
		if n.at > at {
			writeNote(b, "z", n.at-at)
		}
		pitches := slices.Clone(n.pitches)
		slices.Sort(pitches)
		pitches = slices.Compact(pitches)
		var chord strings.Builder
		for _, p := range pitches {
			chord.WriteString(pitch(p))
		}
		text := chord.String()
		if len(pitches) > 1 {
			text = "[" + text + "]"
		}
		writeNote(b, text, n.length)
		at = n.at + n.length
	}
	if at < ticks {
		writeNote(b, "z", ticks-at)
	}
}

func writeNote(b *strings.Builder, text string, ticks int) {
	b.WriteString(text + strconv.Itoa(ticks) + " ")
}

// pitch is a MIDI pitch in ABC: 60 is =C, 72 is =c.
func pitch(p int) string {
	name := []string{"=C", "^C", "=D", "^D", "=E", "=F", "^F", "=G", "^G", "=A", "^A", "=B"}[p%12]
	switch octave := p/12 - 5; {
	case octave > 0:
		return strings.ToLower(name) + strings.Repeat("'", octave-1)
	default:
		return name + strings.Repeat(",", -octave)
	}
}
