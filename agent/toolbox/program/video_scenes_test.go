package program

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
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

// TestManyScenes checks that a flickering video gets a short list of changes, and a sentence that says there are more.
func TestManyScenes(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for frames, noted := range map[string]bool{"400": false, "404": true} {
		path := clip(t, "flicker"+frames+".mp4", append(lavfi("color=red:size=64x48:rate=10", "color=blue:size=64x48:rate=10"), "-filter_complex",
			"[0][1]blend=all_expr='if(mod(floor(N/2),2),A,B)'", "-frames:v", frames, "-c:v", "libx264", "-qp", "0")...)
		out, err := perform(t, "find_scenes", videoOf(path))
		if err != nil {
			t.Fatal(err)
		}
		if times := strings.Count(out.Value, "seconds)"); times > 200 || times < 199 || strings.Contains(out.Note.String(), "the first 200 times") != noted {
			t.Errorf("%s frames: %d times, %q", frames, times, out.Note)
		}
	}
}
