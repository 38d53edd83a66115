package agent_test

import (
	"context"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/param"
)

// unchanged returns its input picture.
func unchanged(_ context.Context, c toolbox.Call) (_ toolbox.Output, err error) {
	from, err := os.Open(c.Args["a"][0].Path)
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(c.Dir, "out.png")
	to, err := os.Create(path)
	if err != nil {
		return toolbox.Output{}, err
	}
	_, err = io.Copy(to, from)
	if err := to.Close(); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path}, err
}

// halved makes the picture half as large.
func halved(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := os.Open(c.Args["a"][0].Path)
	if err != nil {
		return toolbox.Output{}, err
	}
	img, err := png.DecodeConfig(f)
	if err := f.Close(); err != nil {
		return toolbox.Output{}, err
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(c.Dir, "out.png")
	return toolbox.Output{Path: path}, writePNG(path, img.Width/2, img.Height/2)
}

// resizes is a tool that declares the size of its result.
func resizes(name string, runs ...string) toolbox.Tool {
	t := setting(tool(name, plan.Image, []plan.Type{plan.Image}, runs...), param.Param{Name: "b", Type: param.Size, About: "the size"})
	t.Effects = effect.Effects{{Name: "size", Rule: map[string]string{"of": "a", "scaled_by": "b"}}}
	return t
}

// TestMissingEffectIsFailure: the next backend takes over, then the next solution. If none has the effect, the
// answer says what is wrong.
func TestMissingEffectIsFailure(t *testing.T) {
	t.Parallel()
	const says = "The picture should have 10 × 5 pixels, but it has 20 × 10."
	half := takes(plan.Text, plan.FromValue("50%"))
	for _, c := range []struct {
		name, want, note, fallback, problem string
		first, second, other                func(context.Context, toolbox.Call) (toolbox.Output, error)
	}{
		{name: "the first backend does it", first: halved, second: unchanged, other: unchanged, want: "resize done"},
		{name: "the next backend does it", first: unchanged, second: halved, other: unchanged, want: "resize done", note: says + " A fallback was used instead."},
		{name: "the next solution does it", first: unchanged, second: unchanged, other: halved, want: "shrink done", fallback: says + " So I did it another way."},
		{name: "none does it", first: unchanged, second: unchanged, other: unchanged, want: "shrink failed", fallback: says + " So I did it another way.", problem: says},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &fakePlanner{}, maker{"first": c.first, "second": c.second, "shrink": c.other}, agent.Config{},
				resizes("resize", "first", "second"), resizes("shrink"))
			path := filepath.Join(t.TempDir(), "in.png")
			if err := writePNG(path, 20, 10); err != nil {
				t.Fatal(err)
			}
			large, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			w.blobs.data[photo.Blob] = large
			p := planOf(either(way(5, act("resize", plan.Image, onPhoto, half)), way(4, act("shrink", plan.Image, onPhoto, half))))
			o, err := run(t.Context(), w.Agent, request(photo), p, plan.Choice{0})
			if err != nil {
				t.Fatal(err)
			}
			r := o.account.Results[0]
			if got := statuses(o); got != c.want || r.Note != c.note || strings.Join(o.account.Fallbacks, " ") != c.fallback || r.Problem != c.problem {
				t.Errorf("%s; note %q, fallbacks %q, problem %q", got, r.Note, o.account.Fallbacks, r.Problem)
			}
			if r.Status == plan.Done {
				img, err := png.DecodeConfig(strings.NewReader(string(w.blobs.data[r.Output.Blob])))
				if err != nil || image.Pt(img.Width, img.Height) != image.Pt(10, 5) {
					t.Errorf("the picture is %+v, %v", img, err)
				}
			}
		})
	}
}
