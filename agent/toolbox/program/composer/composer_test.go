package composer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func composed(t *testing.T, words string, seed int64) Piece {
	t.Helper()
	p, err := Compose(words, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCompositionIsDeterministic(t *testing.T) {
	t.Parallel()
	first := composed(t, "a happy tune", 1)
	if again := composed(t, "A happy tune!", 1); first.ABC != again.ABC {
		t.Error("the same words gave another piece")
	}
	if other := composed(t, "a happy tune", 2); first.ABC == other.ABC {
		t.Error("another seed gave the same piece")
	}
	if strings.Contains(first.ABC, "happy") {
		t.Error("the words stand in the piece")
	}
}

// TestWordsAreUnderstood checks that the named instruments and moods are played.
func TestWordsAreUnderstood(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]struct {
		style, mood, key string
		tempo            [2]int
		length           time.Duration
		plays            []string
	}{
		"a calm piano piece":                     {style: "ambient", mood: "calm", key: "major", tempo: [2]int{45, 76}, plays: []string{"piano"}},
		"sad violin music":                       {style: "classical", mood: "sad", key: "minor", tempo: [2]int{52, 95}, plays: []string{"violin"}},
		"fast techno, 140 bpm":                   {style: "electronic", tempo: [2]int{140, 140}},
		"blues in A minor":                       {style: "blues", key: "A blues"},
		"a waltz in F sharp major":               {style: "waltz", key: "F sharp major"},
		"8-bit boss fight theme, ten seconds":    {style: "chiptune", mood: "tense", key: "minor", length: 10 * time.Second},
		"half a minute of jazz with a trumpet":   {style: "jazz", length: 30 * time.Second, plays: []string{"trumpet"}},
		"1:30 of reggae":                         {style: "reggae", length: 90 * time.Second},
		"一段三十秒的古筝音乐":                             {length: 30 * time.Second, plays: []string{"koto"}},
		"horror music without drums":             {style: "horror", mood: "dark"},
		"a two-minute epic film score, no choir": {style: "cinematic", mood: "epic", length: 2 * time.Minute},
		"":                                       {style: "pop"},
	} {
		p := composed(t, words, 7)
		if p.Style != want.style && want.style != "" || want.mood != "" && p.Mood != want.mood {
			t.Errorf("%q is %s, %s", words, p.Style, p.Mood)
		}
		if !strings.HasSuffix(p.Key, want.key) {
			t.Errorf("%q is in %s", words, p.Key)
		}
		if want.tempo[1] > 0 && (p.Tempo < want.tempo[0] || p.Tempo > want.tempo[1]) {
			t.Errorf("%q has %d beats a minute", words, p.Tempo)
		}
		if p.Asked != want.length || want.length > 0 && (p.Length > want.length || p.Length < want.length*8/10) {
			t.Errorf("%q asks for %s and lasts %s, want %s", words, p.Asked, p.Length, want.length)
		}
		for _, name := range want.plays {
			if !slices.Contains(p.Instruments, name) {
				t.Errorf("%q is played by %v", words, p.Instruments)
			}
		}
		if strings.Contains(words, "without drums") && strings.Contains(p.ABC, "channel 10\n") {
			t.Errorf("%q has drums", words)
		}
	}
}

// TestSomePlayAlone checks that instruments named with "only" or "solo" exclude the others.
func TestSomePlayAlone(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]struct {
		plays    []string
		programs []string
		drums    bool
	}{
		"drums only":                         {[]string{"drums"}, nil, true},
		"an upbeat rock track, only a piano": {[]string{"piano"}, []string{"0"}, false},
		"solo violin":                        {[]string{"violin"}, []string{"40"}, false},
		"jazz, piano and drums only":         {[]string{"piano", "drums"}, []string{"0"}, true},
	} {
		p := composed(t, words, 3)
		if !slices.Equal(p.Instruments, want.plays) {
			t.Errorf("%q is played by %v", words, p.Instruments)
		}
		var programs []string
		for line := range strings.Lines(p.ABC) {
			if n, ok := strings.CutPrefix(strings.TrimSpace(line), "%%MIDI program "); ok && !slices.Contains(programs, n) {
				programs = append(programs, n)
			}
		}
		if !slices.Equal(programs, want.programs) || strings.Contains(p.ABC, "channel 10\n") != want.drums {
			t.Errorf("%q has the programs %v:\n%s", words, programs, p.ABC)
		}
	}
	if p := composed(t, "a rock song with a guitar solo", 3); len(p.Instruments) < 2 && !strings.Contains(p.ABC, "channel 10\n") {
		t.Errorf("a solo within a song left the others out: %v", p.Instruments)
	}
	if p := composed(t, "only 10 seconds of piano jazz", 3); !strings.Contains(p.ABC, "channel 10\n") {
		t.Errorf("only so long left the others out: %v", p.Instruments)
	}
}

// TestUnderstoodWordsAreReported checks that both understood and ignored words are reported.
func TestUnderstoodWordsAreReported(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]struct{ used, unplayed []string }{
		"a calm piano piece":                     {[]string{"calm", "piano"}, nil},
		"zorblax quux, 10 seconds":               {nil, nil},
		"a didgeridoo and a theremin in C major": {[]string{"major", "c major"}, []string{"didgeridoo", "theremin"}},
		"no theremin, 140 bpm":                   {[]string{"140 bpm"}, nil},
	} {
		if p := composed(t, words, 1); !slices.Equal(p.Used, want.used) || !slices.Equal(p.Unplayed, want.unplayed) {
			t.Errorf("%q: used %q, unplayed %q", words, p.Used, p.Unplayed)
		}
	}
}

// TestMoodsDiffer checks that a happy piece is faster and has more notes than a sad one.
func TestMoodsDiffer(t *testing.T) {
	t.Parallel()
	mean := func(words string) (tempo, notes float64) {
		const seeds = 10
		for seed := range seeds {
			p := composed(t, words, int64(seed))
			tempo += float64(p.Tempo) / seeds
			_, melody, _ := strings.Cut(p.ABC, "V:1\n")
			melody, _, _ = strings.Cut(melody, "V:2\n")
			notes += float64(strings.Count(melody, "]")) / p.Length.Seconds() / seeds
		}
		return tempo, notes
	}
	happyTempo, happyNotes := mean("a happy tune")
	sadTempo, sadNotes := mean("a sad tune")
	if happyTempo < 1.2*sadTempo || happyNotes < 1.3*sadNotes {
		t.Errorf("happy: %.0f beats and %.1f notes; sad: %.0f and %.1f", happyTempo, happyNotes, sadTempo, sadNotes)
	}
}

// TestEveryPieceIsTaken checks that abc2midi accepts every piece without an error, that the bars are full, and
// that the piece has the length that it claims.
func TestEveryPieceIsTaken(t *testing.T) {
	t.Parallel()
	tables := read(t)
	asked := []string{"", "%%MIDI program 300", "X:1\nK:Z\n|: [[[ !!!", strings.Repeat("drums piano ", 500), "5 seconds", "an hour", "very fast waltz, 5 seconds", "\xff\xfe"}
	for _, s := range tables.Styles {
		asked = append(asked, s.Words[:min(len(s.Words), 1)]...)
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		asked = append(asked, fmt.Sprintf("%s %s with %s, %d seconds",
			pick(dice, tables.Moods).Words[0], pick(dice, tables.Styles).Name, pick(dice, tables.Instruments).Words[0], 5+dice.IntN(40)))
	}
	dir := t.TempDir()
	for i, words := range asked {
		p := composed(t, words, int64(i))
		file := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(file+".abc", []byte(p.ABC), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), "abc2midi", file+".abc", "-o", file+".mid").CombinedOutput() //nolint:gosec // the test's own files
		if err != nil || strings.Contains(string(said), "Error") || strings.Contains(string(said), "Warning") {
			t.Errorf("%q: %v: %.300s\n%.400s", words, err, said, p.ABC)
		}
		if p.Length < Shortest-time.Second/2 || p.Length > Longest {
			t.Errorf("%q lasts %s", words, p.Length)
		}
	}
}
