package toolboxtest

import (
	"os"
	"sync"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/verify"
)

// embedded caches the catalogue, which every call of a test needs.
var embedded = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })

// player is shared, since it caches inspected files.
var player = sync.OnceValues(func() (*ffmpeg.FFmpeg, error) { return ffmpeg.New(ffmpeg.Config{}) })

// Player returns the player with which [Effects] inspects audio and video. Backends share it with the
// verifier, as in the bot.
func Player(t *testing.T) *ffmpeg.FFmpeg {
	t.Helper()
	f, err := player()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Effects checks a correct output against the effects of the tool that the candidate belongs to:
// correct results must never be rejected. It ignores candidates that are not in the catalogue.
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
