package program

import (
	"math"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

func TestSplitAudio(t *testing.T) {
	t.Parallel()
	song := clip(t, "song.wav", lavfi("sine=frequency=300:duration=3")...)
	for said, want := range map[string]int{"": 2, "3 parts": 3, "four": 4} {
		a := args{"audio": fileOf(plan.Audio, song)}
		if said != "" {
			a["parts"] = said
		}
		out := done(t, "split_audio", a)
		all := append([]toolbox.Output{out}, out.More...)
		if len(all) != want {
			t.Fatalf("%q: %d files", said, len(all))
		}
		for _, o := range all {
			look, err := newBackend(t).config.FFmpeg.Look(t.Context(), o.Path)
			if got := look.Duration.Seconds(); err != nil || math.Abs(got-3/float64(want)) > 0.05 {
				t.Errorf("%q: a part is %.2f s long, %v", said, got, err)
			}
		}
	}
	click := clip(t, "click.wav", lavfi("sine=duration=0.3")...)
	holds(t, refused(t, "split_audio", args{"audio": fileOf(plan.Audio, click), "parts": "20"}), "too short for 20 parts")
}
