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
)

// chord lists semitones above C, the root first.
type chord []int

func (c chord) has(pitch int) bool {
	return slices.ContainsFunc(c, func(tone int) bool { return (pitch-tone)%12 == 0 })
}

// from returns the chord's notes from a pitch upwards for the sign x, or one of them for a digit:
// 1 is the lowest, and higher digits continue into the next octaves.
func (c chord) from(low int, sign byte) []int {
	var all []int
	for _, tone := range c {
		all = append(all, above(low, tone))
	}
	slices.Sort(all)
	if sign == 'x' {
		return all
	}
	k := int(sign - '1')
	return []int{all[k%len(all)] + 12*(k/len(all))}
}

// above returns the lowest pitch of the same name at or above low.
func above(low, pitch int) int { return low + ((pitch-low)%12+12)%12 }

// bar is one bar of a piece.
type bar struct {
	section, index int // the section of the form; the bar's index within its phrase
	chord          chord
	turns, last    bool // whether another section follows; whether it is the last bar
}

// note is one note of a pattern.
type note struct {
	sign   byte
	number int // its index among the notes of the bar
	onBeat bool
}

// score is a piece in the making: its bars, and the voices in ABC notation.
type score struct {
	*tables
	brief

	dice        *rand.Rand
	steps, beat int // sixteenths per bar and per beat
	bars        []bar
	voices      []string
}

// usual is the default length of a piece. ring is the decay of the last chord after its bar.
const usual, ring = 25 * time.Second, 1200 * time.Millisecond

// length returns the length of the piece: the requested one if the bars fill it.
func (s *score) length() time.Duration {
	all := time.Duration(len(s.bars))*s.barTime() + ring
	if s.asked > 0 {
		return min(all, min(max(s.asked, Shortest), Longest))
	}
	return all.Round(100 * time.Millisecond)
}

func (s *score) barTime() time.Duration {
	return time.Minute / time.Duration(s.tempo) * time.Duration(s.steps) / time.Duration(s.beat)
}

// write composes the piece: phrases of four bars in the form AABA, and a last chord. It adjusts the
// tempo so that whole phrases fill the time.
func (s *score) write() {
	metre := s.style.Meter
	if s.steps, s.beat = len(s.Cells[metre][0][0]), 4; strings.HasSuffix(metre, "/8") {
		s.beat = 6
	}
	wanted := float64(min(max(cmp.Or(s.asked, usual), Shortest), Longest)-ring/2) / float64(s.barTime())
	bars := max(1, int(math.Round(wanted))-1)
	if bars > 6 {
		bars = (bars + 2) / 4 * 4
	}
	if bend := 1.12; !s.steady {
		s.tempo = int(min(max(float64(s.tempo)*min(max(float64(bars+1)/wanted, 1/bend), bend), slowest), fastest))
	}
	sections := []string{pick(s.dice, s.family.A), pick(s.dice, s.family.B)}
	for i := range bars {
		section := []int{0, 0, 1, 0}[i/4%4]
		s.bars = append(s.bars, bar{section, i % 4, s.harmony(strings.Fields(sections[section])[i%4]), i%16 == 7 || i%16 == 11, false})
	}
	s.bars = append(s.bars, bar{chord: s.harmony(s.tonic), last: true})
	s.melody(s.Cells[metre])
	of := func(patterns []string) func(bar) string {
		drawn := []string{pick(s.dice, patterns), pick(s.dice, patterns)}
		return func(now bar) string { return drawn[now.section] }
	}
	s.voice(s.chords, 76, 46, of(s.Chords[pick(s.dice, s.style.Comp)][metre]), s.chords.strike)
	s.voice(s.pad, 58, 82, of(s.Chords["held"][metre]), s.pad.strike)
	s.voice(s.bass, 98, 64, of(s.Bass[pick(s.dice, s.style.Bassline)][metre]), s.bass.low)
	s.drum(s.Drums[s.drums][metre], s.Fills[metre])
}

// harmony returns a chord in the key of the piece.
func (s *score) harmony(numeral string) chord {
	c := slices.Clone(s.Harmonies[numeral])
	for i := range c {
		c[i] += s.key
	}
	return c
}

// voice adds a part, unless only other instruments were asked for. pattern gives the rhythm of
// each bar, and pitches the notes. In the last bar the first note is held.
func (s *score) voice(who instrument, volume, pan int, pattern func(bar) string, pitches func(bar, note) []int) {
	if who.Name == "" || len(s.only) > 0 && !slices.Contains(s.only, who.Name) {
		return
	}
	channel := fmt.Sprintf("%d\n%%%%MIDI program %d", len(s.voices)+1, who.Program)
	if who.Name == "drums" {
		channel = "10"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "V:%d\n%%%%MIDI channel %s\n%%%%MIDI control 7 %d\n%%%%MIDI control 10 %d\n%%%%MIDI control 91 48\n",
		len(s.voices)+1, channel, volume, pan)
	for i, now := range s.bars {
		if i%4 == 0 {
			text.WriteString("!" + []string{"mp", "mf", "f", "ff"}[min(s.mood.Energy, 2)+now.section] + "!")
		}
		signs := pattern(now)
		if now.last {
			signs = cmp.Or(strings.TrimLeft(signs, "."), ".")[:1] + strings.Repeat("-", s.steps-1)
		}
		number := 0
		for at := 0; at < len(signs); { // "-" holds a note, "." is silence
			end, sound := len(signs)-len(strings.TrimLeft(signs[at+1:], "-")), "z"
			if signs[at] != '.' {
				sound = struck(pitches(now, note{signs[at], number, at%s.beat == 0}))
				number++
			}
			fmt.Fprintf(&text, "%s%d ", sound, end-at)
			at = end
		}
		text.WriteString("|\n")
	}
	s.voices = append(s.voices, text.String())
}

// strike returns a chord's pitches in the octave around the middle of the instrument's range.
func (i instrument) strike(now bar, n note) []int {
	return now.chord.from(min(max(60, i.Low+5), i.High-8)-6, n.sign)
}

// low returns a bass note, counted from the root.
func (i instrument) low(now bar, n note) []int {
	return now.chord.from(above(max(i.Low, 28), now.chord[0]), n.sign)
}

// melody adds the tune: motifs that recur over each chord, and the keynote at the end.
func (s *score) melody(cells [][]string) {
	level := min(max(s.mood.Energy+s.style.Lively, 0), len(cells)-1)
	var motifs [4]string // two of each section
	var steps [4][]int
	for i := range motifs {
		motifs[i] = pick(s.dice, cells[max(level-i%2, 0)])
		for range s.steps {
			steps[i] = append(steps[i], 2*pick(s.dice, []int{-1, 1, -1, 1, -1, 1, 0, 2, -2, 3, -3}))
		}
	}
	motif := func(now bar) int { return 2*now.section + now.index%3/2 } // the third bar of a phrase has the other motif
	middle := min(max(69+s.mood.Register, s.lead.Low+8), s.lead.High-10)
	low, high, pitch := max(s.lead.Low, middle-10), min(s.lead.High, middle+14), middle
	s.voice(s.lead, 108, 60, func(now bar) string { return motifs[motif(now)] }, func(now bar, n note) []int {
		fits := now.chord.has // on the beats; the scale is for the notes between them
		switch {
		case now.last:
			pitch, fits = middle, chord{s.key}.has
		case n.number == 0:
			pitch = middle + 4*now.section + []int{0, 3, 5, 0}[now.index]
		default:
			if pitch = min(max(pitch+steps[motif(now)][n.number], low), high); !n.onBeat {
				fits = func(p int) bool { return s.fits(p, now.chord) }
			}
		}
		for off := range 24 { // nearest first
			if p := pitch + (off+1)/2*(1-off%2*2); p >= low && p <= high && fits(p) {
				pitch = p
				break
			}
		}
		return []int{pitch}
	})
}

// fits reports whether a pitch is in the scale or the chord, and does not clash with a chord tone
// outside the scale.
func (s *score) fits(pitch int, c chord) bool {
	scale := func(p int) bool { return slices.Contains(s.scale.Steps, above(0, p-s.key)) }
	clash := func(p int) bool { return c.has(p) && !scale(p) }
	return c.has(pitch) || scale(pitch) && !clash(pitch-1) && !clash(pitch+1)
}

// drum adds a voice for each drum: its pattern, a fill before a new section, and a final stroke.
func (s *score) drum(pattern, fill map[string]string) {
	for _, drum := range slices.Sorted(maps.Keys(s.Kit)) {
		last := map[string]string{"kick": "x", "crash": "x"}[drum]
		if len(pattern) == 0 || pattern[drum]+fill[drum]+last == "" {
			continue
		}
		s.voice(byName(s.Instruments, "drums"), 86, 64, func(now bar) string {
			played := pattern[drum]
			switch {
			case now.last:
				played = last
			case now.turns && s.mood.Energy >= 2:
				played = fill[drum]
			}
			return cmp.Or(played, strings.Repeat(".", s.steps))
		}, func(bar, note) []int { return []int{s.Kit[drum]} })
	}
}

// abc returns the piece in ABC notation. Its unit is a sixteenth, since abc2midi divides notes by
// two only.
func (s *score) abc() string {
	return fmt.Sprintf("X:1\nT:music\nM:%d/16\nL:1/16\nQ:%d/16=%d\nK:C\n", s.steps, s.beat, s.tempo) + strings.Join(s.voices, "")
}

// struck writes simultaneous MIDI pitches as an ABC chord, each with its accidental: 60 is =C, 72
// is =c.
func struck(pitches []int) string {
	var text strings.Builder
	for _, p := range slices.Compact(pitches) {
		name := []string{"=C", "^C", "=D", "^D", "=E", "=F", "^F", "=G", "^G", "=A", "^A", "=B"}[p%12]
		if p >= 72 {
			name = strings.ToLower(name)
		}
		text.WriteString(name + strings.Repeat(",", max(5-p/12, 0)) + strings.Repeat("'", max(p/12-6, 0)))
	}
	return "[" + text.String() + "]"
}
