package sound

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/toolboxtest"
)

// TestDrawnRate checks that the samples for a drawing fit into memory, however long the sound is, and that their
// rate is no lower than necessary.
func TestDrawnRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		length     time.Duration
		rate, want int
	}{
		{0, 96_000, 44_100}, {time.Minute, 4000, 8000}, {time.Hour, 44_100, 44_100}, {100 * time.Minute, 44_100, 43_844}, {4 * time.Hour, 48_000, 18_268},
	} {
		r := Recording{Look: ffmpeg.Look{Duration: c.length, Streams: []ffmpeg.Stream{{Kind: "audio", Frequency: c.rate}}}}
		got := r.drawnRate()
		if got != c.want || 2*float64(got)*c.length.Seconds() > mostDecoded {
			t.Errorf("%v at %d Hz is drawn at %d Hz, want %d", c.length, c.rate, got, c.want)
		}
	}
}

// TestListen checks that speech has pauses, and music has none.
func TestListen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	speech, chord := filepath.Join(dir, "a.wav"), filepath.Join(dir, "b.wav")
	for _, command := range [][]string{
		{"espeak-ng", "-w", speech, "The house stood on a hill. Nobody had lived there for a long time, and the garden was full of flowers. One day, a letter came."},
		{"ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=0.2*(sin(1646*t)+sin(2073*t)+sin(2463*t)):d=6,tremolo=f=2:d=0.5", chord},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil { //nolint:gosec // the test's own words
			t.Fatalf("%q: %v: %s", command, err, out)
		}
	}
	s := Sounds{machine.Machine{FFmpeg: toolboxtest.Player(t)}}
	for path, voice := range map[string]bool{speech: true, chord: false} {
		look, err := s.FFmpeg.Look(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		value := toolbox.Value{Resource: plan.Resource{Type: plan.Audio}, Path: path}
		heard, err := s.Listen(t.Context(), toolbox.Call{Dir: t.TempDir()}, value, look, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if heard.Length < 5*time.Second || heard.Length > 20*time.Second {
			t.Errorf("%s is %s long", filepath.Base(path), heard.Length)
		}
		if heard.Voice != voice {
			t.Errorf("%s is a voice: %v", filepath.Base(path), heard.Voice)
		}
	}
	for called, voice := range map[string]bool{"song.mp3": false, "tour.text_to_speech-91bc.wav": true, "narration-3f2a.m4a": true, "my_voice_memo.ogg": true, "background-music.wav": false} {
		for _, pauses := range []float64{0, 1} {
			if got := isVoice(toolbox.Value{Resource: plan.Resource{Name: called}}, pauses); got != voice {
				t.Errorf("%s is a voice: %v", called, got)
			}
		}
	}
}

func TestMain(m *testing.M) {
	sandbox.Enter()
	goleak.VerifyTestMain(m)
}
