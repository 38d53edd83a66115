// Package composer composes short pieces from a description: mood, style, tempo, key, instruments and
// length become melody, chords, bass and drums in ABC notation.
//
// Guarantees:
//   - The same words and the same seed give the same notes, on every machine.
//   - Every text yields a piece that abc2midi accepts (the ABC music standard 2.1, and its "%%MIDI"
//     commands), even if no word is understood. The piece contains no word of the text.
//   - A piece has a form: the first part returns after a contrasting one, and it ends on the
//     keynote. It has the requested length, within bounds.
//
// Styles, moods, instruments and patterns are in the tables, not in the code.
package composer

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// The shortest and the longest piece.
const (
	Shortest = 5 * time.Second
	Longest  = 3 * time.Minute
)

// Piece is a piece of music.
type Piece struct {
	// ABC is the piece in ABC notation.
	ABC string
	// Length includes the decay of the last chord. Asked is the requested length, or 0.
	Length, Asked time.Duration
	// Key is the keynote with the scale: "D minor".
	Key string
	// Tempo is in beats per minute.
	Tempo int
	// Style and Mood are as understood from the words; Mood may be empty.
	Style, Mood string
	// Instruments play the melody and the chords.
	Instruments []string
	// Used are the words that were understood, except the length. Unplayed are requested
	// instruments for which there is no sound.
	Used, Unplayed []string
}

//go:embed tables.yaml
var file []byte

// tables is the composer's knowledge. The file documents the fields.
type tables struct {
	Styles                  []style
	Moods                   []mood
	Speeds                  []speed
	Modes                   []mode
	Instruments             []instrument
	Unplayed                []entry
	Harmonies               map[string]chord
	Cells                   map[string][][]string // by metre and energy
	Chords, Bass            map[string]map[string][]string
	Drums                   map[string]map[string]map[string]string // by name, metre and drum
	Fills                   map[string]map[string]string
	Kit                     map[string]int
	Numbers, Units, Lengths map[string]float64
}

type (
	entry struct {
		Name  string
		Words []string
	}
	style struct {
		entry `yaml:",inline"`

		Mode, Meter, Bass, Pad, Drums string
		Lead, Chords, Comp, Bassline  []string
		Tempo                         [2]int
		Lively                        int
		Major, Minor                  family
	}
	// family holds a scale that replaces the plain one, and the chord progressions of the first and the contrasting part.
	family struct {
		Scale string
		A, B  []string
	}
	mood struct {
		entry `yaml:",inline"`

		Mode, Style      string
		Tempo            float64
		Energy, Register int
	}
	speed struct {
		entry `yaml:",inline"`

		Beats int
	}
	mode struct {
		entry `yaml:",inline"`

		Steps []int
		Minor bool
	}
	instrument struct {
		entry `yaml:",inline"`

		Plays              []string
		Program, Low, High int
	}
)

// Asked returns the length that the words ask for, or 0. It fails only if the tables are invalid.
func Asked(words string) (time.Duration, error) {
	r := reader{text: plain(words)}
	if err := yaml.Unmarshal(file, &r.tables); err != nil {
		return 0, fmt.Errorf("read the music tables: %w", err)
	}
	return r.length(), nil
}

// Compose composes a piece from a description. It fails only if the tables are invalid.
func Compose(words string, seed int64) (Piece, error) {
	text, hash := plain(words), fnv.New64a()
	_, _ = hash.Write([]byte(text))                           // it never fails
	dice := rand.New(rand.NewPCG(hash.Sum64(), uint64(seed))) //nolint:gosec // music, and the sign does not matter
	r := reader{text: text, dice: dice}
	if err := yaml.Unmarshal(file, &r.tables); err != nil {
		return Piece{}, fmt.Errorf("read the music tables: %w", err)
	}
	b := r.brief()
	s := score{tables: &r.tables, brief: b, dice: dice}
	s.write()
	keys := []string{"C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B"}
	p := Piece{
		ABC: s.abc(), Length: s.length(), Asked: b.asked, Key: keys[b.key] + " " + b.scale.Name, Tempo: s.tempo,
		Style: b.style.Name, Mood: b.mood.Name, Instruments: b.only, Used: r.used,
	}
	if len(p.Instruments) == 0 {
		p.Instruments = slices.Compact([]string{b.lead.Name, b.chords.Name})
	}
	for _, f := range find(text, r.Unplayed) {
		if !f.denied {
			p.Unplayed = append(p.Unplayed, f.words)
		}
	}
	return p, nil
}

// pick draws a random element.
func pick[T any](dice *rand.Rand, of []T) T { return of[dice.IntN(len(of))] }
