package program

import (
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// TestAnimationsAsStills checks that the answer says so where only the first frame of an animation is used.
func TestAnimationsAsStills(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	gif := fileOf(plan.Image, clip(t, "moving.gif", lavfi("testsrc=size=64x48:rate=10:duration=1")...))
	still := fileOf(plan.Image, clip(t, "still.png", append(lavfi("testsrc=size=160x120"), "-frames:v", "1")...))
	film := fileOf(plan.Video, redBlue(t, "clip.mp4", "-pix_fmt", "yuv420p"))
	for name, c := range map[string]struct {
		tool  string
		given args
		told  bool
	}{
		"on a video":          {"overlay_video_picture", args{"video": film, "image": gif}, true},
		"on a picture":        {"overlay_picture", args{"image": still, "top": gif}, true},
		"in a slideshow":      {"make_slideshow", args{"images": list(gif, still), "each": "1 s"}, true},
		"a still on a video":  {"overlay_video_picture", args{"video": film, "image": still}, false},
		"a frame with border": {"add_border", args{"image": gif}, false},
	} {
		out, err := runCommand(t, toolOf(t, c.tool), c.given)
		if err != nil {
			t.Fatal(name, err)
		}
		if told := out.Note.String() == "Only the first frame of the animation was used."; told != c.told {
			t.Errorf("%s says %q", name, out.Note)
		}
	}
}

// TestTilesOfAnAnimation checks that they are those of its first frame.
func TestTilesOfAnAnimation(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	gif := fileOf(plan.Image, clip(t, "moving.gif", lavfi("testsrc=size=64x48:rate=10:duration=1")...))
	out, err := runCommand(t, toolOf(t, "split_picture"), args{"image": gif, "grid": "2x2"})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.More) != 3 || filepath.Ext(out.Path) != ".png" {
		t.Errorf("it makes %d files, first %s", 1+len(out.More), out.Path)
	}
	holds(t, out.Note.String(), "Only the first frame of the animation was used.")
}

// TestAnimations checks that commands work on every frame of a GIF, and return one of the same duration.
func TestAnimations(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	gif := filepath.Join(t.TempDir(), "moving.gif")
	tool(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", gif)
	for name, c := range map[string]struct {
		tool     string
		settings map[string]string
		want     string // frames and seconds
	}{
		"a border":     {"add_border", map[string]string{"width": "4 px"}, "10 1.000000"},
		"a PNG's tool": {"round_corners", nil, "10 1.000000"},
		"a shadow":     {"drop_shadow", nil, "10 1.000000"},
		"backwards":    {"reverse_animation", nil, "10 1.000000"},
		"faster":       {"change_animation_speed", map[string]string{"factor": "2x"}, "10 0.500000"},
		"5 fps":        {"change_animation_rate", map[string]string{"rate": "5 fps"}, "5 1.000000"},
		"cropped":      {"change_canvas", map[string]string{"size": "30x30", "fill": "cropped"}, "10 1.000000"},
		"blurred bars": {"pad_image", map[string]string{"shape": "1:1", "fill": "blurred"}, "10 1.000000"},
		"a video":      {"animation_to_video", nil, "30 1.000000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := args{"image": fileOf(plan.Image, gif)}
			for name, value := range c.settings {
				given[name] = value
			}
			out, err := runCommand(t, toolOf(t, c.tool), given)
			if err != nil {
				t.Fatal(err)
			}
			said := tool(t, "ffprobe", "-v", "error", "-count_frames",
				"-show_entries", "stream=nb_read_frames:format=duration", "-of", "default=nw=1:nk=1", out.Path)
			if got := strings.Join(strings.Fields(said), " "); got != c.want {
				t.Errorf("frames and seconds are %s, want %s", got, c.want)
			}
		})
	}
}
