package native

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// A GIF output stays animated; for other formats a note says that one frame was used.
func TestAnimations(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	made := w.Do("images_to_gif", nativetest.Args{"images": {
		w.Given("a.png", nativetest.Uniform(30, 20, color.White)), w.Given("b.png", nativetest.Uniform(30, 20, color.Black)),
	}})
	animation := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}
	for _, c := range []struct {
		op            string
		a             nativetest.Args
		width, height int
		frames        int
	}{
		{"resize_image", nativetest.Args{"size": {nativetest.Text("twice as big")}}, 60, 40, 2},
		{"make_thumbnail", nativetest.Args{"size": {nativetest.Text("15 px")}}, 15, 10, 2},
		{"rotate_image", nativetest.Args{"angle": {nativetest.Text("90 degrees")}}, 20, 30, 2},
		{"greyscale_image", nativetest.Args{}, 30, 20, 2},
		{"fit_image_size", nativetest.Args{"limit": {nativetest.Text("1 MB")}}, 30, 20, 2},
		{"convert_image", nativetest.Args{"format": {nativetest.Text("gif")}}, 30, 20, 2},
		{"convert_image", nativetest.Args{"format": {nativetest.Text("png")}}, 30, 20, 1},
		{"image_to_edge", nativetest.Args{}, 30, 20, 1},
	} {
		c.a["image"] = []toolbox.Value{animation}
		out := w.Do(c.op, c.a)
		info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if info.Width != c.width || info.Height != c.height || info.Frames != c.frames {
			t.Errorf("%s gives %d frames of %d × %d, want %d of %d × %d", c.op, info.Frames, info.Width, info.Height, c.frames, c.width, c.height)
		}
		if first := out.Note.String() != ""; first != (c.frames == 1) {
			t.Errorf("%s with %d frames says %q", c.op, info.Frames, out.Note)
		}
		if c.op == "image_to_edge" {
			continue
		}
		w.Same(w.Read(out).Image, c.width, c.height, func(int, int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} })
	}
}

// An animation is scaled down until it fits, and keeps its frames.
func TestAnimationsFit(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	noise := func(seed uint64) *image.NRGBA {
		img, r := image.NewNRGBA(image.Rect(0, 0, 120, 80)), rand.New(rand.NewPCG(seed, 1))
		for i := range img.Pix {
			img.Pix[i] = uint8(r.Uint32()) | 0xf*uint8(i%4/3)
		}
		return img
	}
	made := w.Do("images_to_gif", nativetest.Args{"images": {w.Given("a.png", noise(1)), w.Given("b.png", noise(2))}})
	animation := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}
	out := w.Do("fit_image_size", nativetest.Args{"image": {animation}, "limit": {nativetest.Text("8 kB")}})
	info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Stat(out.Path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Frames != 2 || file.Size() > 8000 || info.Width >= 120 || out.Note.String() == "" {
		t.Errorf("%d frames of %d × %d in %d bytes, saying %q", info.Frames, info.Width, info.Height, file.Size(), out.Note)
	}
	w.Refused("fit_image_size", nativetest.Args{"image": {animation}, "limit": {nativetest.Text("20 bytes")}}, "larger limit")
}

// TestFlatAnimationGetsSmaller: scaling blends the colours of a drawing, which must not make its file larger than it was.
func TestFlatAnimationGetsSmaller(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, built(t).table)
	var frames []toolbox.Value
	for n := range 24 {
		img := image.NewNRGBA(image.Rect(0, 0, 96, 64))
		for y := range 64 {
			for x := range 96 {
				block := uint8((x+2*n)/12*7 + y/12*3)
				img.SetNRGBA(x, y, color.NRGBA{block * 29, block * 53, block * 97, 255})
			}
		}
		frames = append(frames, w.Given(fmt.Sprintf("%d.png", n), img))
	}
	made := w.Do("images_to_gif", nativetest.Args{"images": frames})
	was, err := os.Stat(made.Path)
	if err != nil {
		t.Fatal(err)
	}
	limit := was.Size() * 2 / 5
	out := w.Do("fit_image_size", nativetest.Args{
		"image": {{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}}, "limit": {nativetest.Text(fmt.Sprintf("%d bytes", limit))},
	})
	info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
	file, failed := os.Stat(out.Path)
	if err != nil || failed != nil || info.Frames != 24 || file.Size() > limit || !strings.Contains(out.Note.String(), "fewer colours") {
		t.Errorf("%d frames of %d × %d, at most %d bytes, saying %q, %v, %v", info.Frames, info.Width, info.Height, limit, out.Note, err, failed)
	}
}

// TestQuickAnimationGetsFewerFrames: frames are left out before the picture is scaled down, and the rest are shown for
// longer.
func TestQuickAnimationGetsFewerFrames(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, built(t).table)
	var frames []toolbox.Value
	for n := range 30 {
		img := image.NewNRGBA(image.Rect(0, 0, 96, 64))
		for i := range img.Pix { // each frame has other noise
			img.Pix[i] = uint8((i*i + n*n*7919 + i*n*31) >> 3)
			if i%4 == 3 {
				img.Pix[i] = 255
			}
		}
		frames = append(frames, w.Given(fmt.Sprintf("%d.png", n), img))
	}
	made := w.Do("images_to_gif", nativetest.Args{"images": frames, "each": {nativetest.Text("0.04 s")}})
	was, err := os.Stat(made.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"gif", "webp"} {
		given := made.Path
		if format == "webp" {
			given = w.Do("convert_image", nativetest.Args{"image": {{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}}, "format": {nativetest.Text("webp")}}).Path
			if was, err = os.Stat(given); err != nil {
				t.Fatal(err)
			}
		}
		out := w.Do("fit_image_size", nativetest.Args{
			"image": {{Resource: plan.Resource{Type: plan.Image}, Path: given}}, // without a limit it gets half as large
		})
		if is, err := os.Stat(out.Path); err != nil || is.Size() > was.Size()/2 {
			t.Errorf("the %s has %v of %v, %v", format, is, was, err)
		}
		info, err := media.Inspect(t.Context(), out.Path, media.Limits{})
		if err != nil || info.Frames != 12 || info.Width != 96 || info.Length.Seconds() != 1.2 {
			t.Errorf("the %s is %+v, %v", format, info, err)
		}
		if said := out.Note.String(); !strings.HasSuffix(said, "It has 10 frames per second instead of 25.") || strings.Contains(said, "scaled") {
			t.Errorf("of the %s it says %q", format, said)
		}
	}
}

// TestFewerColoursShowTheSame: an animation of dark colours that hardly differ keeps them, and its size, if fewer
// colours are enough.
func TestFewerColoursShowTheSame(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, built(t).table)
	var frames []toolbox.Value
	for n := range 12 {
		img := image.NewNRGBA(image.Rect(0, 0, 160, 120))
		for y := range 120 {
			for x := range 160 {
				c := color.NRGBA{24, 30, 58, 255}
				if dx, dy := x-20-10*n, y-60; dx*dx+dy*dy < 900 {
					c = color.NRGBA{uint8(150 + dx), uint8(60 + dy), 30, 255}
				}
				img.SetNRGBA(x, y, c)
			}
		}
		frames = append(frames, w.Given(fmt.Sprintf("%d.png", n), img))
	}
	made := w.Do("images_to_gif", nativetest.Args{"images": frames})
	was, err := os.Stat(made.Path)
	if err != nil {
		t.Fatal(err)
	}
	out := w.Do("fit_image_size", nativetest.Args{
		"image": {{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}}, "limit": {nativetest.Text(fmt.Sprintf("%d bytes", was.Size()*3/4))},
	})
	if said := out.Note.String(); said != "It has fewer colours." {
		t.Errorf("it says %q", said)
	}
	is, shown := w.Read(out).Image, w.Read(toolbox.Output{Path: made.Path}).Image
	if is.Rect != shown.Rect {
		t.Fatalf("it is %v, not %v", is.Rect, shown.Rect)
	}
	const near = 16
	for i, v := range is.Pix {
		if d := int(v) - int(shown.Pix[i]); d > near || d < -near {
			t.Fatalf("a value of %d became %d", shown.Pix[i], v)
		}
	}
}
