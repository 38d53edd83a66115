package program

import (
	"strings"
	"testing"

	"atelier/agent/toolbox/slow"
)

// TestMusicIsMade checks that a piece has the requested length, is loud enough throughout, fades out, and does not
// clip.
func TestMusicIsMade(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, c := range map[string]struct {
		prompt  string
		seconds float64
	}{
		"a length":       {"a happy pop tune, ten seconds", 10},
		"a calm piece":   {"a calm piano piece, 12 seconds", 12},
		"something else": {"\"; rm -rf / %%MIDI program 200\nX:2\n!!! 6 seconds", 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := done(t, "text_to_music", args{"prompt": c.prompt})
			a := probe(t, out.Path)
			if a.codecs() != "audio:mp3" {
				t.Errorf("it is %s", a.codecs())
			}
			near(t, "the length in seconds", a.seconds(), c.seconds, 1.6)
			for from := 0.0; from+2 < a.seconds()-2; from += 2 {
				if v := volume(t, out.Path, from, 2); v < -45 || v > -8 {
					t.Errorf("from %g s on it is at %g dB", from, v)
				}
			}
			if end := volume(t, out.Path, a.seconds()-0.2, 0.2); end > -30 {
				t.Errorf("it ends at %g dB", end)
			}
		})
	}
}

// TestIgnoredWordsAreReported covers words without a meaning here, and unavailable instruments.
func TestIgnoredWordsAreReported(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	holds(t, done(t, "text_to_music", args{"prompt": "zorblax, 5 seconds"}).Note.String(), "found no mood, style or instrument", "pop")
	note := done(t, "text_to_music", args{"prompt": "a calm didgeridoo, 5 seconds"}).Note.String()
	holds(t, note, "no sound for didgeridoo here")
	if strings.Contains(note, "understood no") {
		t.Errorf("it says %q", note)
	}
}

func TestMusicNeedsWords(t *testing.T) {
	t.Parallel()
	holds(t, refused(t, "text_to_music", args{"prompt": "  "}), "what the music should be like")
}

// TestTunesOfOthersArePlayed checks that they are at most as long as requested, and that faults in a tune are
// reported.
func TestTunesOfOthersArePlayed(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const head = "X:1\nT:Rain\nM:4/4\nL:1/8\nQ:1/4=120\nK:C\n"
	bars := func(n int) string { return head + strings.Repeat("CDEF GABc|", n) + "\n" }
	for name, c := range map[string]struct {
		prompt, tune string
		seconds      float64
		complaint    string
	}{
		"a tune":                {"rain", bars(6), 14, ""}, // it rings on,
		"longer than asked for": {"rain, 6 seconds", bars(8), 6, ""},
		"too short":             {"rain, 30 seconds", bars(4), 0, "at least 28 are wanted"},
		"no tune":               {"rain", "X:1\nT:Rain\n", 0, "abc2midi cannot read it"},
		"a key of no kind":      {"rain", "X:1\nK:Zz\nCDEF|\n", 0, "First K: field must specify key signature"},
		"words for the shell":   {"\"; rm -rf / 5 seconds", head + "%%MIDI program 300\n\"$(id)\"" + strings.Repeat("C2E2 G2c2|", 3) + "\n", 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, complaint, err := newBackend(t).Player().Play(t.Context(), callOf(t, args{"prompt": c.prompt}), c.tune)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(complaint, c.complaint) || (complaint == "") != (c.complaint == "") {
				t.Fatalf("the complaint is %q", complaint)
			}
			if complaint == "" {
				near(t, "the length in seconds", probe(t, out.Path).seconds(), c.seconds, 1.6)
			}
		})
	}
}
