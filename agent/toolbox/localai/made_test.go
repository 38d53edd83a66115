package localai

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

// wideScene returns the scene several times as wide, so that it must be sent smaller.
func wideScene(t *testing.T, times int) []toolbox.Value {
	t.Helper()
	from := scene()
	img := image.NewNRGBA(image.Rect(0, 0, 200*times, 120))
	for i := 0; i < len(img.Pix); i += 4 {
		x, y := i/4%img.Rect.Dx(), i/4/img.Rect.Dx()
		copy(img.Pix[i:i+4], from.Pix[from.PixOffset(x/times, y):])
	}
	return file(t, plan.Image, "wide.png", mediatest.PNG(img))
}

func wide(r image.Rectangle, times int) image.Rectangle {
	return image.Rect(r.Min.X*times, r.Min.Y, r.Max.X*times, r.Max.Y)
}

// near reports whether the sides of two rectangles differ by a few pixels at most.
func near(a, b image.Rectangle, off int) bool {
	return a.Inset(-off).Intersect(b) == b && b.Inset(-off).Intersect(a) == a
}

func boxesOf(t *testing.T, out toolbox.Output) []plan.Box {
	t.Helper()
	boxes, err := plan.DecodeValue[plan.Box](plan.Resource{Value: out.Value})
	if err != nil {
		t.Fatal(err)
	}
	return boxes
}

func at(b plan.Box) image.Rectangle { return image.Rect(b.XMin, b.YMin, b.XMax, b.YMax) }

func maskOf(t *testing.T, out toolbox.Output) *media.Mask {
	t.Helper()
	m, err := media.ReadMask(t.Context(), out.Path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBoxesAreScaled checks that boxes are in the original picture's pixels, although a smaller one was sent.
func TestBoxesAreScaled(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{})
	for _, n := range []int{1, 9} {
		picture := sceneFile(t)
		if n > 1 {
			picture = wideScene(t, n)
		}
		all := boxesOf(t, must(t, b, candidate("detection", ""), call(t, plan.BBox, args{"image": picture})))
		if len(all) != 2 || !near(at(all[0]), wide(big, n), 2*n) || !near(at(all[1]), wide(small, n), 2*n) || all[0].Label != "red" || all[0].Score < all[1].Score {
			t.Errorf("%d times as wide: %+v", n, all)
		}
		found := boxesOf(t, must(t, b, candidate("grounding", ""), call(t, plan.BBox, args{"image": picture, "object": text("the blue box")})))
		if len(found) != 1 || !near(at(found[0]), wide(small, n), 2*n) || found[0].Label != "the blue box" {
			t.Errorf("%d times as wide, the blue one: %+v", n, found)
		}
	}
}

// TestGroundingWithoutWords checks that objects that the description does not name are omitted if the model takes no
// words.
func TestGroundingWithoutWords(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{Models: []localaitest.Model{{ID: "rfdetr-base", Capabilities: []string{"detection"}}}})
	found := boxesOf(t, must(t, b, candidate("grounding", ""), call(t, plan.BBox, args{"image": sceneFile(t), "object": text("Blues!")})))
	if len(found) != 1 || found[0].Label != "blue" {
		t.Errorf("found %+v", found)
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{})
	for _, n := range []int{1, 9} {
		picture := sceneFile(t)
		if n > 1 {
			picture = wideScene(t, n)
		}
		out := must(t, b, candidate("segmentation", ""), call(t, plan.Mask, args{"image": picture}))
		parts, err := plan.DecodeValue[plan.Part](plan.Resource{Value: out.Value})
		m := maskOf(t, out)
		if err != nil || len(parts) != 2 || parts[0].Label != "red" || m.Parts != 2 || !near(coveredBy(m.Only(0)), wide(big, n), 2*n) || !near(coveredBy(m.Only(1)), wide(small, n), 2*n) {
			t.Errorf("%d times as wide: %+v, %v", n, parts, err)
		}
		for name, c := range map[string]struct {
			points []plan.Point
			want   image.Rectangle
		}{
			"blue":              {[]plan.Point{{X: 130 * n, Y: 60}}, small},
			"red, and not blue": {[]plan.Point{{X: 130 * n, Y: 60, Exclude: true}, {X: 50 * n, Y: 60}}, big},
		} {
			m := maskOf(t, must(t, b, candidate("segmentation-by-points", ""), call(t, plan.Mask, args{"image": picture, "points": points(t, c.points...)})))
			if m.Parts != 1 || !near(coveredBy(m), wide(c.want, n), 2*n) {
				t.Errorf("%s is at %v", name, coveredBy(m))
			}
		}
		rough := file(t, plan.Mask, "rough.png", mediatest.PNG(covering(image.Pt(100, 60), image.Rect(58, 24, 76, 44)))) // half the size, over the blue one
		m = maskOf(t, must(t, b, candidate("segmentation-by-mask", ""), call(t, plan.Mask, args{"image": picture, "mask": rough})))
		if !near(coveredBy(m), wide(small, n), 2*n) {
			t.Errorf("the mask covers %v", coveredBy(m))
		}
	}
}

// TestDepth checks that near areas are bright; for the fake server, low areas are near.
func TestDepth(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{})
	img, err := media.DecodeImage(t.Context(), must(t, b, candidate("depth", ""), call(t, plan.Depth, args{"image": sceneFile(t)})).Path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if far, near := img.NRGBAAt(100, 3).R, img.NRGBAAt(100, 116).R; far > 20 || near < 190 || img.Rect.Dx() != 200 || img.Rect.Dy() != 120 {
		t.Errorf("far is %d, near is %d", far, near)
	}
}

// TestInpainting checks that only the masked area changes.
func TestInpainting(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, localaitest.Config{})
	for name, hole := range map[string]image.Rectangle{
		"a part": image.Rect(130, 60, 140, 70), "the edge": image.Rect(0, 0, 4, 120), "all": image.Rect(0, 0, 200, 120), "a pixel": image.Rect(199, 119, 200, 120),
	} {
		mask := file(t, plan.Mask, "mask.png", mediatest.PNG(covering(image.Pt(200, 120), hole)))
		out := must(t, b, candidate("images-inpainting", "a {prompt}"), call(t, plan.Image, args{"image": sceneFile(t), "mask": mask, "prompt": text("green door")}))
		img, err := media.DecodeImage(t.Context(), out.Path, media.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		before, ink := scene(), mediatest.Tint("a green door")
		for y := range 120 {
			for x := range 200 {
				is, was := img.NRGBAAt(x, y), before.NRGBAAt(x, y)
				if in := image.Pt(x, y).In(hole); !in && is != was || image.Pt(x, y).In(hole.Inset(2)) && !like(is, ink) {
					t.Fatalf("%s: at (%d, %d) it was %v and is %v", name, x, y, was, is)
				}
			}
		}
		if out.About.String() != "“green door”" && out.About.String() != "green door" {
			t.Errorf("about is %q", out.About)
		}
	}
	for _, r := range server.Requests() {
		if r.Text("prompt") != "a green door" {
			t.Errorf("prompt %q", r.Text("prompt"))
		}
	}
}

func like(a, b color.NRGBA) bool {
	off := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	return max(off(a.R, b.R), off(a.G, b.G), off(a.B, b.B)) < 12
}

// TestUpscaling checks that the result has the requested size.
func TestUpscaling(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, localaitest.Config{})
	for factor, want := range map[string]image.Point{"": {400, 240}, "3x": {600, 360}, "four times": {800, 480}} {
		a := args{"image": sceneFile(t)}
		if factor != "" {
			a["factor"] = text(factor)
		}
		img, err := media.DecodeImage(t.Context(), must(t, b, candidate("images-upscale", ""), call(t, plan.Image, a)).Path, media.Limits{})
		if err != nil || img.Rect.Size() != want || !like(img.NRGBAAt(want.X/4, want.Y/2), red) {
			t.Errorf("%q is %v, %v", factor, img.Rect, err)
		}
	}
	how := candidate("images-upscale", "")
	much, err := toolboxtest.Typed(t, how.Backing, call(t, plan.Image, args{"image": wideScene(t, 170)}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Run(t.Context(), how, much); said(err) != "The picture is too large to be enlarged by a model." {
		t.Errorf("much too large: %v", err)
	}
}

// TestVideoShape checks that a video has the shape of its first frame.
func TestVideoShape(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, localaitest.Config{})
	film := must(t, b, candidate("video-from-image", "it moves"), call(t, plan.Video, args{"image": sceneFile(t)}))
	r := server.Requests()[0]
	if w, h := r.Number("width"), r.Number("height"); w/h < 1.55 || w/h > 1.8 || int(w)%16 != 0 || int(h)%16 != 0 || r.Number("seed") != 7 || film.Seed != 7 || r.Text("prompt") != "it moves" {
		t.Errorf("requested %v × %v, %v, reported seed %d", w, h, r.Values["seed"], film.Seed)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		covered image.Rectangle
		picture image.Point
		part    image.Rectangle
		inside  image.Point
	}{
		{image.Rect(10, 10, 20, 20), image.Pt(1000, 1000), image.Rect(0, 0, 64, 64), image.Pt(512, 512)},
		{image.Rect(400, 400, 600, 500), image.Pt(1000, 1000), image.Rect(300, 250, 700, 650), image.Pt(512, 512)},
		{image.Rect(0, 0, 1000, 500), image.Pt(1000, 500), image.Rect(0, 0, 1000, 500), image.Pt(512, 256)},
		{image.Rect(999, 0, 1000, 1), image.Pt(1000, 10), image.Rect(936, 0, 1000, 10), image.Pt(512, 80)},
		{image.Rect(0, 0, 1, 1), image.Pt(1, 1), image.Rect(0, 0, 1, 1), image.Pt(512, 512)},
	} {
		if w := windowFor(c.covered, c.picture); w.part != c.part || w.inside.Size() != c.inside || !w.inside.In(image.Rect(0, 0, square, square)) {
			t.Errorf("around %v of %v: %+v", c.covered, c.picture, w)
		}
	}
}
