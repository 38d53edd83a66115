package composer

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
)

// brief is what the words were understood as: everything that is decided before the
// first note.
type brief struct {
	style  style
	mood   mood
	meter  meter
	tempo  int  // beats a minute
	steady bool // the tempo was said
	key    int  // semitones above C
	scale  mode
	minor  bool // which of the style's progressions
	energy int  // 0 to 3
	drums  string
	comp   string
	line   string // the bass's pattern
	cast   cast
	asked  time.Duration
	target time.Duration
	only   []instrument // those that play and no others; nil for all
	// used and unplayed are those of [Piece].
	used, unplayed []string
}

// The bounds of a tempo, in beats a minute.
const slowest, fastest = 40, 200

var (
	beats       = regexp.MustCompile(` (\d{2,3}) (?:bpm|beats (?:a|per) minute) `)
	beatsJoined = regexp.MustCompile(` (\d{2,3})bpm `)
	keyed       = regexp.MustCompile(` ([a-g]) ?(#|sharp|flat)? (major|minor) `)
)

// read understands the words. What they leave open is drawn.
func (t *tables) read(words string, dice *rand.Rand) brief {
	text := plain(words)
	var b brief
	b.mood = t.moodOf(text)
	styles := positive(find(text, lists(t.styles, func(s style) []string { return s.Words })))
	b.used, b.unplayed = t.known(text)
	switch {
	case len(styles) > 0:
		b.style = t.styles[styles[0].entry]
	default:
		b.style = t.style(b.mood.Style)
	}
	b.meter = meters[b.style.Meter]
	b.energy = b.mood.Energy
	t.scaleOf(&b, text, dice)
	b.tempo, b.steady = t.tempoOf(b, text, dice)
	t.castOf(&b, text, len(styles) > 0, dice)
	b.comp, b.line = pick(dice, b.style.Comp), ""
	if len(b.style.Bassline) > 0 {
		b.line = pick(dice, b.style.Bassline)
	}
	if b.cast.bass.Name != "" && b.line == "" {
		b.line = "held"
	}
	b.asked = t.lengths.read(text)
	b.target = usual
	if b.asked > 0 {
		b.target = min(max(b.asked, Shortest), Longest)
	}
	return b
}

// known are the words that are understood, and the instruments that have no sound.
func (t *tables) known(text string) (used, unplayed []string) {
	for _, table := range [][][]string{
		lists(t.styles, func(s style) []string { return s.Words }), lists(t.moods, func(m mood) []string { return m.Words }),
		lists(t.modes, func(m mode) []string { return m.Words }), lists(t.speeds, func(s speed) []string { return s.Words }),
		lists(t.instruments, func(i instrument) []string { return i.Words }),
	} {
		for _, f := range find(text, table) {
			used = append(used, f.text)
		}
	}
	for _, form := range []*regexp.Regexp{beats, beatsJoined, keyed} {
		if said := form.FindString(text); said != "" {
			used = append(used, strings.TrimSpace(said))
		}
	}
	for _, f := range positive(find(text, [][]string{t.unplayed})) {
		unplayed = append(unplayed, f.text)
	}
	return used, unplayed
}

// positive leaves out what was said not to be wanted.
func positive(all []found) []found {
	return slices.DeleteFunc(all, func(f found) bool { return f.not })
}

// moodOf is the mood of most of the words; of as many, the first one.
func (t *tables) moodOf(text string) mood {
	named := positive(find(text, lists(t.moods, func(m mood) []string { return m.Words })))
	count := map[int]int{}
	best := -1
	for _, f := range named {
		count[f.entry]++
	}
	for _, f := range named {
		if best < 0 || count[f.entry] > count[best] {
			best = f.entry
		}
	}
	if best < 0 {
		return mood{Tempo: 1, Energy: 2}
	}
	return t.moods[best]
}

// scaleOf decides the key and the scale: as it is said, else by the mood, else by the
// style, else mostly major.
func (t *tables) scaleOf(b *brief, text string, dice *rand.Rand) {
	b.key = pick(dice, []int{0, 2, 3, 5, 7, 9, 10})
	name := b.mood.Mode
	if name == "" {
		name = b.style.Mode
	}
	if name == "" {
		name = pick(dice, []string{"major", "major", "minor"})
	}
	if named := positive(find(text, lists(t.modes, func(m mode) []string { return m.Words }))); len(named) > 0 {
		name = t.modes[named[len(named)-1].entry].Name
	}
	b.scale = t.mode(name)
	b.minor = b.scale.Minor
	own := b.style.Scales.Major
	if b.minor {
		own = b.style.Scales.Minor
	}
	if own != "" {
		b.scale = t.mode(own)
	}
	if m := keyed.FindStringSubmatch(text); m != nil {
		b.key = map[string]int{"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}[m[1]]
		switch m[2] {
		case "#", "sharp":
			b.key++
		case "flat":
			b.key += 11
		}
		b.key %= 12
	}
}

// tempoOf is as it is said, or the style's, moved by the mood.
func (t *tables) tempoOf(b brief, text string, dice *rand.Rand) (tempo int, said bool) {
	low, high := b.style.Tempo[0], b.style.Tempo[1]
	beat := float64(low+dice.IntN(high-low+1)) * b.mood.Tempo
	if named := positive(find(text, lists(t.speeds, func(s speed) []string { return s.Words }))); len(named) > 0 {
		beat = float64(t.speeds[named[len(named)-1].entry].Beats)
	}
	for _, form := range []*regexp.Regexp{beats, beatsJoined} {
		if m := form.FindStringSubmatch(text); m != nil {
			beat, said = number(m[1]), true
		}
	}
	return int(min(max(beat, slowest), fastest)), said
}

// keyName is the key for people: "E flat major".
func (b brief) keyName() string {
	notes := []string{"C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B"}
	return notes[b.key] + " " + b.scale.Name
}
