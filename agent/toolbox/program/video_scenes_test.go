package program

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

func TestScenesAreFound(t *testing.T) {
	t.Parallel()
	cut := clip(t, "cut.mp4", append(lavfi("color=red:size=160x120:rate=10:duration=2", "color=blue:size=160x120:rate=10:duration=1.5"),
		"-filter_complex", "[0][1]concat", "-c:v", "libx264")...)
	plain := clip(t, "plain.mp4", append(lavfi("color=red:size=160x120:rate=10:duration=1"), "-c:v", "libx264")...)
	for path, want := range map[string]string{
		cut: "The scene changes at 0:02 (2 seconds).", plain: "The scene does not change.",
	} {
		b := newBackend(t)
		out, err := b.Run(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Kind: "program", Run: "find_scenes"}}, callOf(t, args{"video": list(fileOf(plan.Video, path))}))
		if err != nil || out.Value != want {
			t.Errorf("%s: got %q and %v, want %q", path, out.Value, err, want)
		}
	}
}
