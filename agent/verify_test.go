package agent_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/verify"
)

// TestOutputsAreHeldAgainstThePromise: a result that is not as the tool declares is rejected, the next backend takes over, and
// the answer says so.
func TestOutputsAreHeldAgainstThePromise(t *testing.T) {
	t.Parallel()
	picture := func(w, h int) func(c toolbox.Call) (toolbox.Output, error) {
		return func(c toolbox.Call) (toolbox.Output, error) {
			path := filepath.Join(c.Dir, "out.png")
			return toolbox.Output{Path: path}, writePNG(path, w, h)
		}
	}
	file := func(name, content string) func(c toolbox.Call) (toolbox.Output, error) {
		return func(c toolbox.Call) (toolbox.Output, error) {
			path := filepath.Join(c.Dir, name)
			return toolbox.Output{Path: path}, os.WriteFile(path, []byte(content), 0o600)
		}
	}
	value := func(v string) func(c toolbox.Call) (toolbox.Output, error) {
		return func(toolbox.Call) (toolbox.Output, error) { return toolbox.Output{Value: v}, nil }
	}
	link := func(c toolbox.Call) (toolbox.Output, error) {
		behind, path := filepath.Join(c.Dir, "behind.png"), filepath.Join(c.Dir, "out.png")
		return toolbox.Output{Path: path}, errors.Join(writePNG(behind, 20, 10), os.Symlink(behind, path))
	}
	const sound = "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"
	wave, good := file("out.wav", sound), file("good.wav", sound)
	for _, c := range []struct {
		name  string
		makes plan.Type
		bad   func(c toolbox.Call) (toolbox.Output, error)
		good  func(c toolbox.Call) (toolbox.Output, error)
		plays time.Duration // negative: it does not play
		says  string
	}{
		{"a box beside the picture", plan.BBox, value(`[{"xmin":5,"ymin":0,"xmax":21,"ymax":5}]`), value(`[{"xmin":0,"ymin":0,"xmax":20,"ymax":10}]`), 0, "a box is outside the picture"},
		{"a box turned over", plan.BBox, value(`[{"xmin":9,"ymin":0,"xmax":2,"ymax":5}]`), value(`[]`), 0, "a box is outside the picture"},
		{"a box that is none", plan.BBox, value(`{"box":1}`), value(`[]`), 0, "it cannot be read"},
		{"a point below the picture", plan.Points, value(`[{"x":1,"y":10}]`), value(`[{"x":19,"y":9}]`), 0, "a point is outside the picture"},
		{"a mask of another size", plan.Mask, picture(10, 20), picture(20, 10), 0, "it does not have the size of the picture"},
		{"a picture in the place of a sound", plan.Audio, picture(4, 4), good, 0, "the file is an image"},
		{"a sound that cannot be played", plan.Audio, wave, good, -1, "it cannot be played"},
		{"a sound without samples", plan.Audio, wave, good, 0, "it has no content"},
		{"a sound without end", plan.Audio, wave, good, 1000 * time.Hour, "it never ends"},
		{"a picture that is cut off", plan.Image, file("out.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), picture(3, 3), 0, "the file is broken"},
		{"an empty file", plan.Image, file("out.png", ""), picture(3, 3), 0, "the file is empty"},
		{"a page in the place of a picture", plan.Image, file("out.html", "<!DOCTYPE html><html><body>503</body></html>"), picture(3, 3), 0, "the file is a"},
		{"a link to a picture", plan.Image, link, picture(3, 3), 0, "it is not a file"},
		{"no words", plan.Text, value(" \n"), value("a dog"), 0, "it is missing"},
		{"a text without end", plan.Text, value(strings.Repeat("word ", 300_000)), value("a dog"), 0, "it is far too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := func(do func(toolbox.Call) (toolbox.Output, error)) func(context.Context, toolbox.Call) (toolbox.Output, error) {
				return func(_ context.Context, call toolbox.Call) (toolbox.Output, error) { return do(call) }
			}
			w := newWorld(t, &fakePlanner{}, maker{"first": in(c.bad), "second": in(c.good)}, agent.Config{Player: player(c.plays)},
				tool("look", c.makes, []plan.Type{plan.Image}, "first", "second"))
			path := filepath.Join(t.TempDir(), "in.png")
			if err := writePNG(path, 20, 10); err != nil {
				t.Fatal(err)
			}
			large, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			w.blobs.data[photo.Blob] = large
			action := plan.Action{Tool: "look", Args: []plan.Binding{{Arg: "a", Type: plan.Image, Source: plan.FromResource(photo.Name)}}, Returns: c.makes}
			r := w.Act(t.Context(), step.Work{
				Request: request(photo), Steps: []plan.Step{{Key: "k", Action: action, Final: true}}, Memory: step.NewMemory([]plan.Resource{photo}),
			})
			if r.Status != plan.Done || r.Candidate != "native:second" || !strings.Contains(r.Note, c.says) || !strings.Contains(r.Note, "A fallback was used instead.") {
				t.Errorf("the result is %+v", r)
			}
		})
	}
}

// player plays good.wav for one second, and other files for a given time; negative means not at all.
type player time.Duration

var _ verify.Player = player(0)

func (player) Probe(context.Context) error { return nil }

func (p player) Plays(_ context.Context, path string) (ffmpeg.Look, error) {
	switch {
	case filepath.Base(path) == "good.wav":
		return ffmpeg.Look{Duration: time.Second}, nil
	case p < 0:
		return ffmpeg.Look{}, errors.New("no decoder")
	}
	return ffmpeg.Look{Duration: time.Duration(p)}, nil
}

func (p player) Look(ctx context.Context, path string) (ffmpeg.Look, error) {
	return p.Plays(ctx, path)
}

func (player) Loudness(context.Context, string, ffmpeg.Look, string, ffmpeg.Peaks, string) (ffmpeg.Loudness, error) {
	return ffmpeg.Loudness{}, ffmpeg.ErrUnmeasured
}

func writePNG(path string, w, h int) error {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	img.Set(0, 0, color.White)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}
