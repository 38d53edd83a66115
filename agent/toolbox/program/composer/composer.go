// Package composer writes small pieces of music from words: mood, style, tempo, key,
// instruments and length become a melody, chords, a bass and drums in ABC notation.
//
// Promises:
//   - The same words and the same seed give the same notes, on every machine.
//   - Every text gives a piece, also one of which no word is understood, and every piece
//     is ABC notation that abc2midi takes (the ABC music standard 2.1, and the "%%MIDI"
//     commands of abc2midi). No word of the text stands in it.
//   - A piece has a form: phrases that come back with another ending, a contrasting part
//     and an end on the keynote. Its length is the one that was asked for, within bounds.
//
// What is known of styles, moods, instruments and patterns stands in the tables beside,
// not in the code.
package composer

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// The shortest and the longest piece.
const (
	Shortest = 5 * time.Second
	Longest  = 3 * time.Minute
)

// usual is how long a piece is about which nothing is said.
const usual = 25 * time.Second

// Piece is music that can be played.
type Piece struct {
	// ABC is the piece in ABC notation.
	ABC string
	// Length is how long it sounds, the fading of the last chord included.
	Length time.Duration
	// Asked is the length that the words ask for, 0 if they do not say.
	Asked time.Duration
	// Key is the keynote with the scale: "D minor".
	Key string
	// Tempo is in beats a minute.
	Tempo int
	// Style and Mood are what the words were understood as; Mood may be empty.
	Style, Mood string
	// Instruments are those that play the melody and the chords.
	Instruments []string
	// Used are the words that were understood, beside those of the length; none, if all of
	// it was drawn. Unplayed are instruments that were asked for and have no sound.
	Used, Unplayed []string
}

// Compose writes the piece that the words ask for. The error is one of the tables.
func Compose(words string, seed int64) (Piece, error) {
	t, err := load()
	if err != nil {
		return Piece{}, err
	}
	dice := dice(words, seed)
	b := t.read(words, dice)
	s := t.score(b, dice)
	return Piece{
		ABC: s.abc(), Length: s.length(), Asked: b.asked, Key: b.keyName(), Tempo: s.tempo,
		Style: b.style.Name, Mood: b.mood.Name, Instruments: b.named(), Used: b.used, Unplayed: b.unplayed,
	}, nil
}

// dice are the draws of a piece: the same for the same words and seed.
func dice(words string, seed int64) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(plain(words)))                  // it never fails
	return rand.New(rand.NewPCG(h.Sum64(), uint64(seed))) //nolint:gosec // music, and the sign does not matter
}

// pick draws one of several.
func pick[T any](dice *rand.Rand, of []T) T {
	return of[dice.IntN(len(of))]
}
