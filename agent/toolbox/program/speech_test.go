package program

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// TestTextIsSpoken checks that the recognizer, which knows these words, understands the speech.
func TestTextIsSpoken(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	made := done(t, "text_to_speech", args{"text": "This is a new world."})
	a := probe(t, made.Path)
	if a.codecs() != "audio:mp3" {
		t.Errorf("it is %s", a.codecs())
	}
	near(t, "the length in seconds", a.seconds(), 2, 0.8)
	if v := volume(t, made.Path, 0, 3); v < -35 {
		t.Errorf("it cannot be heard: %g dB", v)
	}
	heard := done(t, "speech_to_text", args{"audio": fileOf(plan.Audio, made.Path)})
	holds(t, heard.Value, "new world")
	holds(t, heard.Note.String(), "only English")
}

func TestSpeakingIsRepeatable(t *testing.T) {
	t.Parallel()
	var sounds [2][]byte
	for i := range sounds {
		b, err := os.ReadFile(done(t, "text_to_speech", args{"text": "Twice the same."}).Path)
		if err != nil {
			t.Fatal(err)
		}
		sounds[i] = b
	}
	if !bytes.Equal(sounds[0], sounds[1]) {
		t.Error("the same text gave another sound")
	}
}

func TestVoicesDiffer(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const text = "A slow voice takes longer than a fast one."
	length := func(voice string) float64 {
		return probe(t, done(t, "text_to_speech", args{"text": text, "voice": voice, "language": "English"}).Path).seconds()
	}
	slow, fast := length("slowly, by a deep man's voice"), length("very fast")
	if slow < 1.5*fast {
		t.Errorf("slowly it takes %g s, and fast %g s", slow, fast)
	}
}

// TestGuessesAreReported checks that the answer names the language, if it is not English, and says that a voice is
// unknown.
func TestGuessesAreReported(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, c := range map[string]struct {
		args args
		want string
	}{
		"English":          {args{"text": "Good morning"}, ""},
		"guessed":          {args{"text": "Guten Morgen"}, "I assumed that the text is in German; if it is in another language"},
		"named":            {args{"text": "Guten Morgen", "language": "German", "voice": "a deep man's voice"}, ""},
		"an unknown voice": {args{"text": "Hello", "voice": "in the voice of Morgan Freeman"}, `no voice for "in the voice of Morgan Freeman"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			note := done(t, "text_to_speech", c.args).Note
			if c.want == "" && !note.IsZero() {
				t.Errorf("it says %q", note)
			}
			holds(t, note.String(), c.want)
		})
	}
}

func TestUnpronounceableText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args args
		says string
	}{
		"no letter":           {args{"text": "?! …"}, "no letter"},
		"nothing":             {args{"text": " \x00\x01 "}, "no letter"},
		"too long":            {args{"text": strings.Repeat("word ", 7000)}, "too long"},
		"an unknown language": {args{"text": "hello", "language": "Klingon"}, "Klingon"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds(t, refused(t, "text_to_speech", c.args), c.says)
		})
	}
}
