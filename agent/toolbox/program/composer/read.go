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

// cast is who plays what. A part that nobody plays has no name.
type cast struct {
	leads             []instrument // one after the other
	chords, bass, pad instrument
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

// asked are the instruments that the text names, and whether it wants drums, or none. It
// keeps those that are to play alone.
func (t *tables) asked(b *brief, text string) (named []instrument, drums, silent bool) {
	var playing []instrument
	only := false
	for _, f := range find(text, lists(t.instruments, func(i instrument) []string { return i.Words })) {
		i := t.instruments[f.entry]
		if !f.not {
			playing, only = append(playing, i), only || f.alone(text)
		}
		switch {
		case i.plays("drums"):
			drums, silent = drums || !f.not, silent || f.not
		case !f.not && !slices.ContainsFunc(named, func(n instrument) bool { return n.Name == i.Name }):
			named = append(named, i)
		}
	}
	if only {
		b.only = playing
	}
	return named, drums, silent
}

// castOf gives the parts to the instruments that are named, and what is left to those of
// the style. One that is named alone plays by itself what it can.
func (t *tables) castOf(b *brief, text string, styled bool, dice *rand.Rand) {
	named, drums, silent := t.asked(b, text)
	alone := len(named) == 1 && named[0].plays("lead") && named[0].plays("chords") &&
		(len(b.only) > 0 || b.energy < 2 && (!styled || strings.Contains(text, " solo ")))
	c := assign(named)
	style := func(name string) instrument { i, _ := t.instrument(name); return i }
	lead, chords := style(pick(dice, b.style.Lead)), style(pick(dice, b.style.Chords))
	if len(c.leads) == 0 {
		if i := slices.IndexFunc(named, func(i instrument) bool { return i.plays("lead") }); i >= 0 {
			lead = named[i]
		}
		c.leads = []instrument{lead}
	}
	if c.chords.Name == "" {
		if i := slices.IndexFunc(named, func(i instrument) bool { return i.plays("chords") }); i >= 0 && (alone || len(named) > 1) {
			chords = named[i]
		}
		c.chords = chords
	}
	if alone {
		c.chords, c.bass = named[0], named[0]
		c.bass.Low, c.bass.High = min(c.bass.Low, 36), 55
	} else {
		if c.bass.Name == "" && b.style.Bass != "" {
			c.bass = style(b.style.Bass)
		}
		if c.pad.Name == "" && b.style.Pad != "" {
			c.pad = style(b.style.Pad)
		}
	}
	b.cast = c
	b.drums = b.style.Drums
	switch {
	case silent, alone && !drums, b.energy == 0 && !drums:
		b.drums = ""
	case drums && b.drums == "" && b.energy < 2:
		b.drums = "brushes"
	case drums && b.drums == "":
		b.drums = "rock"
	}
}

// assign gives each instrument the first part that suits it and is free; what can play
// one part only goes first. Several may play the melody by turns.
func assign(named []instrument) cast {
	var c cast
	named = slices.Clone(named)
	slices.SortStableFunc(named, func(a, b instrument) int { return len(a.Plays) - len(b.Plays) })
	for _, i := range named {
		for _, role := range i.Plays {
			if c.give(role, i) {
				break
			}
		}
	}
	return c
}

// give gives an instrument a part, if it is free.
func (c *cast) give(role string, i instrument) bool {
	to := map[string]*instrument{"chords": &c.chords, "bass": &c.bass, "pad": &c.pad}[role]
	switch {
	case role == "lead" && len(c.leads) < 2:
		c.leads = append(c.leads, i)
	case to != nil && to.Name == "":
		*to = i
	default:
		return false
	}
	return true
}

// named are the instruments of the melody and the chords, or those that play alone, each
// once.
func (b brief) named() []string {
	all := append(slices.Clone(b.cast.leads), b.cast.chords)
	if len(b.only) > 0 {
		all = b.only
	}
	var names []string
	for _, i := range all {
		if !slices.Contains(names, i.Name) {
			names = append(names, i.Name)
		}
	}
	return names
}

// plays tells whether a part is played, where some play alone.
func (b brief) plays(p part) bool {
	return len(b.only) == 0 || slices.ContainsFunc(b.only, func(i instrument) bool {
		return i.plays("drums") == (p.name == "drums") && (p.name == "drums" || i.Program == p.program)
	})
}

// keyName is the key for people: "E flat major".
func (b brief) keyName() string {
	notes := []string{"C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B"}
	return notes[b.key] + " " + b.scale.Name
}
