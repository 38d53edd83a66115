package toolboxtest

import (
	"os"
	"sync"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/verify"
)

// embedded is read once: it is asked for after each call of a test.
var embedded = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })

// player is made once, since it remembers which files it has looked at.
var player = sync.OnceValues(func() (*ffmpeg.FFmpeg, error) { return ffmpeg.New(ffmpeg.Config{}) })

// Player is what [Effects] looks into sound and video with. Backends share it with the verifier in the
// bot, and do so in tests.
func Player(t *testing.T) *ffmpeg.FFmpeg {
	t.Helper()
	f, err := player()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Effects holds a correct output of a candidate to what the tool declares whose backing it is: a
// correct result must never be rejected. What does not run a tool of the catalogue is left alone.
func Effects(t *testing.T, c toolbox.Candidate, call toolbox.Call, out toolbox.Output) {
	t.Helper()
	catalogue, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range catalogue.Tools() {
		for _, b := range tool.Backends {
			if b.Kind != c.Kind || b.Run != c.Run {
				continue
			}
			of := call
			of.Tool, of.Returns = tool.Name, tool.Returns
			of.Dir = t.TempDir()
			if err := verify.New(verify.Config{Call: of, Effects: tool.Effects, Player: Player(t)}).Verify(t.Context(), out); err != nil {
				t.Errorf("a correct result of %s is rejected: %v", tool.Name, err)
			}
			if left, err := os.ReadDir(of.Dir); err != nil || len(left) > 0 {
				t.Errorf("to verify %s left %v behind: %v", tool.Name, left, err)
			}
		}
	}
}
