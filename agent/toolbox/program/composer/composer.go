// Package composer writes small pieces of music from words: mood, style, tempo, key, instruments and
// length become a melody, chords, a bass and drums in ABC notation.
//
// Guarantees:
//   - The same words and the same seed give the same notes, on every machine.
//   - Every text gives a piece that abc2midi accepts (the ABC music standard 2.1, and its "%%MIDI"
//     commands), even if no word is understood. No word of the text is part of it.
//   - A piece has a form: the first part comes back after a contrasting one, and it ends on the
//     keynote. Its length is the one that was asked for, within bounds.
//
// Styles, moods, instruments and patterns are in the tables, not in the code.
package composer

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"atelier/agent/lazyregexp"
)

// The shortest and the longest piece.
const (
	Shortest = 5 * time.Second
	Longest  = 3 * time.Minute
)

// usual is the length of a piece if none is asked for.
const usual = 25 * time.Second

// Piece is music that can be played.
type Piece struct {
	// ABC is the piece in ABC notation.
	ABC string
	// Length includes the fading of the last chord.
	Length time.Duration
	// Asked is the length that the words ask for, or 0.
	Asked time.Duration
	// Key is the keynote with the scale: "D minor".
	Key string
	// Tempo is in beats a minute.
	Tempo int
	// Style and Mood are what the words were understood as; Mood may be empty.
	Style, Mood string
	// Instruments play the melody and the chords.
	Instruments []string
	// Used are the words that were understood, except the length. Unplayed are instruments that
	// were asked for and have no sound.
	Used, Unplayed []string
}

//go:embed tables/*.yaml
var files embed.FS

// tables are what the composer knows. Each file explains its fields.
type tables struct {
	Instruments []instrument
	Modes       []mode
	Moods       []mood
	Speeds      []speed
	Styles      []style
	Lengths     struct{ Numbers, Units, Words map[string]float64 }
	Patterns    struct {
		Cells        map[string][][]string // by metre and energy
		Chords, Bass map[string]map[string][]string
		Drums        map[string]map[string]map[string]string // by name, metre and drum
		Fills        map[string]map[string]string
		Kit          map[string]int
	}
	Unplayed []string
}

type (
	instrument struct {
		Name               string
		Words, Plays       []string
		Program, Low, High int
	}
	mode struct {
		Name  string
		Words []string
		Steps []int
		Minor bool
	}
	mood struct {
		Name, Mode, Style string
		Words             []string
		Tempo             float64
		Energy, Register  int
	}
	speed struct {
		Words []string
		Beats int
	}
	style struct {
		Name, Mode, Meter, Bass, Pad, Drums string // Meter "" is 4/4
		Words, Lead, Chords, Comp, Bassline []string
		Tempo                               [2]int
		Swing                               bool
		Scales                              struct{ Major, Minor string } // in place of the plain ones
		Lively                              int
		Major, Minor                        progressions
	}
	// progressions are those of the first and of the contrasting part, as Roman numerals.
	progressions struct{ A, B []string }
)

func (i instrument) plays(role string) bool { return slices.Contains(i.Plays, role) }

// load reads the tables.
func load() (*tables, error) {
	var t tables
	for name, to := range map[string]any{
		"instruments": &t.Instruments, "modes": &t.Modes, "moods": &t.Moods, "speeds": &t.Speeds,
		"styles": &t.Styles, "lengths": &t.Lengths, "patterns": &t.Patterns, "unplayed": &t.Unplayed,
	} {
		b, err := files.ReadFile("tables/" + name + ".yaml")
		if err = errors.Join(err, yaml.Unmarshal(b, to)); err != nil {
			return nil, fmt.Errorf("the table of %s: %w", name, err)
		}
	}
	return &t, nil
}

// named is the entry with that name, or the first one.
func named[T any](all []T, name string, of func(T) string) T {
	return all[max(0, slices.IndexFunc(all, func(e T) bool { return of(e) == name }))]
}

func (t *tables) mode(name string) mode {
	return named(t.Modes, name, func(m mode) string { return m.Name })
}

func (t *tables) style(name string) style {
	return named(t.Styles, name, func(s style) string { return s.Name })
}

func (t *tables) instrument(name string) instrument {
	return named(t.Instruments, name, func(i instrument) string { return i.Name })
}

// brief is what the words were understood as.
type brief struct {
	style                   style
	mood                    mood
	meter                   meter
	tempo                   int
	steady                  bool // the tempo was given
	key                     int  // semitones above C
	scale                   mode
	minor                   bool // which of the style's progressions
	lead, chords, bass, pad instrument
	drums                   string
	asked                   time.Duration
	only                    []string // the instruments that play alone, or none
}

// Compose writes the piece that the words ask for. The error is one of the tables.
func Compose(words string, seed int64) (Piece, error) {
	t, err := load()
	if err != nil {
		return Piece{}, err
	}
	text := plain(words)
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))                           // it never fails
	dice := rand.New(rand.NewPCG(h.Sum64(), uint64(seed))) //nolint:gosec // music, and the sign does not matter
	p := Piece{}
	b := t.read(text, dice, &p)
	s := t.score(b, dice)
	p.ABC, p.Length, p.Tempo = s.abc(), s.length(), s.brief.tempo
	p.Key = []string{"C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B"}[b.key] + " " + b.scale.Name
	p.Style, p.Mood, p.Asked, p.Instruments = b.style.Name, b.mood.Name, b.asked, b.only
	if len(b.only) == 0 {
		p.Instruments = slices.Compact([]string{b.lead.Name, b.chords.Name})
	}
	return p, nil
}

// pick draws one of several.
func pick[T any](dice *rand.Rand, of []T) T { return of[dice.IntN(len(of))] }

// The bounds of a tempo, in beats a minute.
const slowest, fastest = 40, 200

var (
	beats = lazyregexp.New(` (\d{2,3}) ?(?:bpm|beats (?:a|per) minute) `)
	keyed = lazyregexp.New(` ([a-g]) ?(#|sharp|flat)? (major|minor) `)
	clock = lazyregexp.New(` (\d{1,2}):([0-5]\d) `)
)

// read understands a plain text. What it leaves open is drawn.
func (t *tables) read(text string, dice *rand.Rand, p *Piece) brief {
	b := brief{mood: mood{Tempo: 1, Energy: 2}, asked: t.asked(text)}
	styles := known(p, text, t.Styles, func(s style) []string { return s.Words })
	if moods := known(p, text, t.Moods, func(m mood) []string { return m.Words }); len(moods) > 0 {
		count := func(m mood) int {
			return len(slices.DeleteFunc(slices.Clone(moods), func(o mood) bool { return o.Name != m.Name }))
		}
		b.mood = slices.MaxFunc(moods, func(a, b mood) int { return cmp.Compare(count(a), count(b)) })
	}
	b.style = t.style(b.mood.Style)
	if len(styles) > 0 {
		b.style = styles[0]
	}
	b.meter = meters[b.style.Meter]
	b.key = pick(dice, []int{0, 2, 3, 5, 7, 9, 10})
	b.scale = t.mode(cmp.Or(b.mood.Mode, b.style.Mode, pick(dice, []string{"major", "major", "minor"})))
	if modes := known(p, text, t.Modes, func(m mode) []string { return m.Words }); len(modes) > 0 {
		b.scale = modes[len(modes)-1]
	}
	b.minor = b.scale.Minor
	if own := map[bool]string{false: b.style.Scales.Major, true: b.style.Scales.Minor}[b.minor]; own != "" {
		b.scale = t.mode(own)
	}
	low, high := b.style.Tempo[0], b.style.Tempo[1]
	b.tempo = int(float64(low+dice.IntN(high-low+1)) * b.mood.Tempo)
	if speeds := known(p, text, t.Speeds, func(s speed) []string { return s.Words }); len(speeds) > 0 {
		b.tempo = speeds[len(speeds)-1].Beats
	}
	t.cast(&b, text, len(styles) > 0, dice, p)
	if m := beats.FindStringSubmatch(text); m != nil {
		b.tempo, b.steady, p.Used = int(number(m[1])), true, append(p.Used, strings.TrimSpace(m[0]))
	}
	b.tempo = min(max(b.tempo, slowest), fastest)
	if m := keyed.FindStringSubmatch(text); m != nil {
		b.key = (map[string]int{"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}[m[1]] + map[string]int{"#": 1, "sharp": 1, "flat": 11}[m[2]]) % 12
		p.Used = append(p.Used, strings.TrimSpace(m[0]))
	}
	for _, f := range find(text, t.Unplayed, func(s string) []string { return []string{s} }) {
		if !f.denied {
			p.Unplayed = append(p.Unplayed, f.text)
		}
	}
	return b
}

// cast gives the parts to the instruments that are named, and the rest to those of the style.
func (t *tables) cast(b *brief, text string, styled bool, dice *rand.Rand, p *Piece) {
	var playing []instrument
	wanted, unwanted, solo := false, false, false
	for _, f := range find(text, t.Instruments, func(i instrument) []string { return i.Words }) {
		i := f.entry
		p.Used, solo = append(p.Used, f.text), solo || !f.denied && f.alone
		if f.denied {
			unwanted = unwanted || i.plays("drums")
			continue
		}
		wanted = wanted || i.plays("drums")
		if !slices.ContainsFunc(playing, func(o instrument) bool { return o.Name == i.Name }) {
			playing = append(playing, i)
		}
	}
	free := slices.DeleteFunc(slices.Clone(playing), func(i instrument) bool { return i.plays("drums") })
	alone := len(free) == 1 && free[0].plays("lead") && free[0].plays("chords") &&
		(solo || b.mood.Energy < 2 && (!styled || strings.Contains(text, " solo ")))
	take := func(role string, names ...string) instrument {
		best := slices.IndexFunc(free, func(i instrument) bool { return i.Plays[0] == role })
		if best < 0 {
			best = slices.IndexFunc(free, func(i instrument) bool { return i.plays(role) })
		}
		switch name := pick(dice, names); {
		case best >= 0:
			taken := free[best]
			free = slices.Delete(free, best, best+1)
			return taken
		case name != "":
			return t.instrument(name)
		}
		return instrument{}
	}
	b.lead = take("lead", b.style.Lead...)
	if alone {
		b.chords, b.bass = b.lead, b.lead
		b.bass.Low = 36
	} else {
		b.chords, b.bass, b.pad = take("chords", b.style.Chords...), take("bass", b.style.Bass), take("pad", b.style.Pad)
	}
	if solo {
		for _, i := range playing {
			b.only = append(b.only, i.Name)
		}
	}
	switch b.drums = b.style.Drums; {
	case unwanted, !wanted && (alone || b.mood.Energy == 0):
		b.drums = ""
	case wanted && b.mood.Energy < 2:
		b.drums = cmp.Or(b.drums, "brushes")
	case wanted:
		b.drums = cmp.Or(b.drums, "rock")
	}
}

// asked is the length that a plain text asks for, or 0: "half a minute", "30 s", "1:30", "三十秒".
func (t *tables) asked(text string) time.Duration {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	if m := clock.FindStringSubmatch(text); m != nil {
		return seconds(60*number(m[1]) + number(m[2]))
	}
	oneOf := func(words map[string]float64) string {
		var all []string
		for w := range words {
			all = append(all, strings.TrimSpace(plain(w)))
		}
		slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		return strings.Join(all, "|")
	}
	numbers := oneOf(t.Lengths.Numbers)
	amount := regexp.MustCompile(`(?:\s|\p{Han})(\d{1,4}(?:\.\d{1,3})?|` + numbers + `)(?: (half|an?))? ?` +
		`个?(` + oneOf(t.Lengths.Units) + `)(?:\s|\p{Han})`) //nolint:gosmopolitan // as Chinese says it
	if m := amount.FindStringSubmatch(text); m != nil {
		n, named := t.Lengths.Numbers[strings.ReplaceAll(m[1], " ", "-")]
		if !named {
			n = number(m[1])
		}
		if m[2] == "half" {
			n /= 2
		}
		return seconds(n * t.Lengths.Units[m[3]])
	}
	for w := range strings.FieldsSeq(text) {
		if s := t.Lengths.Words[w]; s > 0 {
			return seconds(s)
		}
	}
	return 0
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}

// plain is a text in lower case, with one space around each word and nothing else between them.
func plain(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(strings.ToValidUTF8(text, " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '#' && r != ':' && r != '.'
	})
	for i, f := range fields {
		fields[i] = strings.Trim(f, ".:")
	}
	return " " + strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), " ") + " "
}

// found is an entry of a table that a text names.
type found[T any] struct {
	entry  T
	at     int
	text   string
	denied bool // "no drums"
	alone  bool // "drums only"
}

var (
	takenBack = lazyregexp.New(`(?: (?:no|not|without)(?: [^ ]+)?|没有|不要) ?$`) //nolint:gosmopolitan // as Chinese says it
	before    = lazyregexp.New(`(?: (?:only|just|solo)(?: [^ ]+)?|只有) ?$`)    //nolint:gosmopolitan // as Chinese says it
	after     = lazyregexp.New(`^ ?(?:only |alone |独奏)`)                      //nolint:gosmopolitan // as Chinese says it
	withSolo  = lazyregexp.New(` with an? ?$`)
)

// find lists the entries that a plain text names, in the order of the text. Of words that overlap the
// longest counts.
func find[T any](text string, table []T, words func(T) []string) []found[T] {
	type term struct {
		entry T
		text  string
	}
	var terms []term
	for _, entry := range table {
		for _, w := range words(entry) {
			t := plain(w)
			if strings.ContainsFunc(w, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
				t = strings.TrimSpace(t) // words have no spaces between them
			}
			terms = append(terms, term{entry, t})
		}
	}
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(len(b.text), len(a.text)) })
	var all []found[T]
	rest := text // with a _ in place of each letter that was found
	for _, t := range terms {
		for at := strings.Index(rest, t.text); at >= 0; at = strings.Index(rest, t.text) {
			end := at + len(t.text)
			head, tail := text[:at], strings.TrimLeft(text[end:], " ")
			all = append(all, found[T]{
				entry: t.entry, at: at, text: strings.TrimSpace(t.text), denied: takenBack.MatchString(head),
				alone: before.MatchString(head) || after.MatchString(tail) || strings.HasPrefix(tail, "solo ") && !withSolo.MatchString(head),
			})
			gone := []byte(t.text)
			for i := range gone {
				if gone[i] != ' ' {
					gone[i] = '_'
				}
			}
			rest = rest[:at] + string(gone) + rest[end:]
		}
	}
	slices.SortStableFunc(all, func(a, b found[T]) int { return cmp.Compare(a.at, b.at) })
	return all
}

// known are the entries that a text names and does not deny. The words are added to those of the piece.
func known[T any](p *Piece, text string, table []T, words func(T) []string) []T {
	var all []T
	for _, f := range find(text, table, words) {
		p.Used = append(p.Used, f.text)
		if !f.denied {
			all = append(all, f.entry)
		}
	}
	return all
}
