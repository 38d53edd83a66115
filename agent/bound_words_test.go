package agent

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// unhandled returns the search for unhandled words with the built-in catalogue.
func unhandled(t *testing.T) leftovers {
	t.Helper()
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return leftovers{catalogue: catalogue, lexicon: lexicon}
}

func TestQuantityThatIdentifiesFile(t *testing.T) {
	t.Parallel()
	o := unhandled(t)
	for rest, want := range map[string]bool{
		" clip, please": true, "-film": true, " track": true, " song": true, " photo.": true, " pictures": true,
		"": false, " ": false, " of the clip": false, " long": false, ", clip.mp4": false, " from clip.mp4": false,
	} {
		if got := o.describes(rest); got != want {
			t.Errorf("%q: %t", rest, got)
		}
	}
}

// TestUnusedColours: a colour that describes the given picture is not a wish, and "gray" asks for what greyscale_image
// does.
func TestUnusedColours(t *testing.T) {
	t.Parallel()
	o := unhandled(t)
	for tool, wishes := range map[string]map[string]int{
		"auto_enhance": {
			"everything looks yellow, can you fix it?": 0, "it is a bit yellow, correct that": 0, "the light is too blue": 0,
			"fix the light, blue instead of the red": 1, "fix it, not in yellow": 0, "fix it without blue": 0, "fix the light on the man (yellow top)": 0,
			"fix the light and make the sky blue": 1, "it should be yellow": 1, "brighten it, in red": 1,
			"brighten everything except the snow": 0, "fix the light on the salmon": 0, "make the frame dark salmon": 1, "colour it salmon": 1,
		},
		"greyscale_image": {"make it gray": 0, "make it grey": 0, "make it green": 1},
	} {
		p := &plan.Plan{Tasks: []plan.Task{{
			Subtask:   plan.Subtask{Returns: plan.Image},
			Solutions: []plan.Solution{{Actions: []plan.Action{{Tool: tool}}}},
		}}}
		for wish, want := range wishes {
			if left := o.find(wish, p); len(left) != want {
				t.Errorf("%s, %q leaves %v", tool, wish, left)
			}
		}
	}
}

// TestCorrectedValues: a value that the request takes back is not missing, and the one that replaces it is.
func TestCorrectedValues(t *testing.T) {
	t.Parallel()
	o := unhandled(t)
	p := &plan.Plan{Tasks: []plan.Task{{
		Subtask:   plan.Subtask{Returns: plan.Video},
		Solutions: []plan.Solution{{Actions: []plan.Action{{Tool: "mute_video"}}}},
	}}}
	for wish, want := range map[string]string{
		"mute it for 5 secs.. no wait, mute all of it":           "",
		"mute it, 2 seconds ... no, sorry, from 3 s":             "3 s",
		"mute it, with a red frame - scratch that, a blue frame": "blue",
		"mute it for 5 s, no music please":                       "5 s",
		"mute it for 5 s. Oh wait for me":                        "5 s",
		"mute the first 5 s. Sorry for the rush":                 "5 s",
	} {
		var parts []string
		for _, l := range o.find(wish, p) {
			parts = append(parts, l.Part)
		}
		if got := strings.Join(parts, ", "); got != want {
			t.Errorf("%q leaves %q, want %q", wish, got, want)
		}
	}
}

// TestSizesThatFilesHaveAlready: a size that the given video has needs no tool, another one does.
func TestSizesThatFilesHaveAlready(t *testing.T) {
	t.Parallel()
	o := unhandled(t)
	p := &plan.Plan{
		Resources: []plan.Resource{{Name: "clip.mp4", Type: plan.Video, Facts: "8.00 seconds, h264 video of 1280 × 720 pixels, 25 frames a second"}},
		Tasks: []plan.Task{{
			Subtask:   plan.Subtask{Returns: plan.Video},
			Solutions: []plan.Solution{{Actions: []plan.Action{{Tool: "mute_video"}}}},
		}},
	}
	for wish, want := range map[string]int{
		"mute it, 720p is fine": 0, "mute it, 25 fps is ok": 0, "mute it, 1280x720": 0,
		"mute it, in 1080p": 1, "mute it at 30 fps": 1, "mute it for 25 seconds": 1, "mute it, not at 30 fps": 0,
	} {
		if left := o.find(wish, p); len(left) != want {
			t.Errorf("%q leaves %v", wish, left)
		}
	}
	p.Tasks[0].Subtask.Returns = plan.Image // the size of a picture made from a video is another one
	if left := o.find("a frame in 720p", p); len(left) != 1 {
		t.Errorf("a frame leaves %v", left)
	}
}
