package composer

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Times within a bar are in ticks, of which a quarter has twelve, so that sixteenths and
// triplets both come out even.
const (
	ticksOfQuarter = 12
	ticksOfStep    = 3 // a sign of a pattern
)

// meter is how a bar is counted.
type meter struct {
	name  string
	ticks int // of a bar
	steps int // signs of a pattern
	beat  int // ticks of a beat
	// stress is how loud the parts of a bar are: f, m or p.
	stress string
}

var meters = map[string]meter{
	"":    {"4/4", 48, 16, 12, "fpmpmpmp"},
	"3/4": {"3/4", 36, 12, 12, "fpmpmp"},
	"6/8": {"6/8", 36, 12, 18, "fppmpp"},
}

// note is one or several pitches that sound together, in ticks from the bar's beginning.
type note struct {
	at, length int
	pitches    []int
}

// bar is one bar of the piece.
type bar struct {
	section rune // A, B or C; a is A with the other ending
	phrase  int
	index   int // within the phrase
	size    int // bars of the phrase
	chords  []chord
	last    bool // the piece ends here
	turn    bool // another part begins behind it
	full    bool // everybody plays
}

// part is what one voice plays, bar by bar.
type part struct {
	name              string
	program, channel  int
	volume, pan, room int
	pedal             bool
	bars              [][]note
}

// score is a piece.
type score struct {
	brief brief
	tempo int
	bars  []bar
	parts []part
}

// ring is how long the last chord may fade after its bar.
const ring = 1200 * time.Millisecond

// length is how long the piece sounds: as long as was asked for where it is long enough.
func (s *score) length() time.Duration {
	all := time.Duration(len(s.bars))*s.barTime() + ring
	if s.brief.asked > 0 {
		return min(all, s.brief.target)
	}
	return all.Round(100 * time.Millisecond)
}

func (s *score) barTime() time.Duration {
	return time.Duration(float64(time.Minute) / float64(s.tempo) * float64(s.brief.meter.ticks) / float64(s.brief.meter.beat))
}

// score writes the piece.
func (t *tables) score(b brief, dice *rand.Rand) score {
	s := score{brief: b, tempo: b.tempo}
	phrases, size := s.shape()
	s.lay(phrases, size, dice)
	s.melody(t, dice)
	s.accompany(t, dice)
	s.drum(t)
	if played := slices.DeleteFunc(slices.Clone(s.parts), func(p part) bool { return !b.plays(p) }); len(played) > 0 {
		s.parts = played
	}
	return s
}

// shape decides how many phrases there are of how many bars, and moves the tempo a
// little so that they take the time that is asked for.
func (s *score) shape() (phrases, size int) {
	bars := float64(s.brief.target-ring/2) / float64(s.barTime())
	best := math.Inf(1)
	for _, z := range []int{4, 2} {
		for n := 1; n <= 64; n++ {
			off := math.Abs(math.Log(float64(n*z+1) / bars))
			if z == 2 {
				off += 0.06 // four bars are the better phrase
			}
			if n == 1 {
				off += 0.1 // and nothing comes back in a piece of one
			}
			if off < best {
				best, phrases, size = off, n, z
			}
		}
	}
	bend := 1.12
	if s.brief.steady {
		bend = 1 // it was said how fast
	}
	factor := min(max(float64(phrases*size+1)/bars, 1/bend), bend)
	s.tempo = int(min(max(math.Round(float64(s.brief.tempo)*factor), slowest), fastest))
	return phrases, size
}

// form is the order of the parts: a is A with the ending that closes.
func form(phrases int) string {
	const course = "AaBaAaCa"
	switch phrases {
	case 1:
		return "a"
	case 3:
		return "ABa"
	}
	return strings.Repeat(course, phrases/len(course)+1)[:phrases-1] + "a"
}

// lay lays out the bars with their chords.
func (s *score) lay(phrases, size int, dice *rand.Rand) {
	b := s.brief
	written := b.style.Major
	if b.minor {
		written = b.style.Minor
	}
	first, other := phrase(pick(dice, written.A), b.key, b.minor), phrase(pick(dice, written.B), b.key, b.minor)
	third := phrase(pick(dice, written.B), b.key, b.minor)
	order := form(phrases)
	for i, section := range order {
		chords := map[rune][]chord{'A': first, 'a': first, 'B': other, 'C': third}[section]
		for k := range size {
			now := bar{
				section: section, phrase: i, index: k, size: size,
				turn: k == size-1 && i+1 < len(order) && rune(order[i+1]) != section && order[i+1] != 'A',
				full: i > 0 || phrases < 4 || b.energy >= 3,
			}
			switch {
			case size == len(chords):
				now.chords = chords[k : k+1]
			case b.meter.ticks < 4*ticksOfQuarter: // a short bar has one
				now.chords = []chord{chords[k*(len(chords)-1)/max(size-1, 1)]}
			default:
				now.chords = chords[2*k : 2*k+2]
			}
			s.bars = append(s.bars, now)
		}
	}
	s.bars = append(s.bars, bar{section: 'a', phrase: phrases, size: 1, chords: []chord{b.tonic()}, last: true, full: true})
}

// chordAt is the chord that sounds at a tick.
func (b bar) chordAt(tick int, m meter) chord {
	return b.chords[min(tick*len(b.chords)/m.ticks, len(b.chords)-1)]
}

// sign is a sign of a pattern with the ticks that it takes.
type sign struct {
	at, length int
	mark       byte
}

// signs reads a pattern: where each note begins and how long it is held.
func (s *score) signs(pattern string) []sign {
	var all []sign
	for i := range len(pattern) {
		switch pattern[i] {
		case '.':
		case '-':
			if len(all) > 0 {
				all[len(all)-1].length = s.tick(i+1) - all[len(all)-1].at
			}
		default:
			all = append(all, sign{at: s.tick(i), length: s.tick(i+1) - s.tick(i), mark: pattern[i]})
		}
	}
	return all
}

// tick is where a step begins; where the style swings, the second eighth of a beat is
// late.
func (s *score) tick(step int) int {
	if !s.brief.style.Swing || s.brief.meter.beat != ticksOfQuarter {
		return step * ticksOfStep
	}
	return step/4*ticksOfQuarter + []int{0, 4, 8, 10}[step%4]
}
