package collage

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/nativetest"
)

func TestCollagesHaveColumnsAndLabels(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	var vs []toolbox.Value
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		vs = append(vs, w.Given(name, nativetest.Uniform(100, 50, color.NRGBA{200, 30, 30, 255})))
	}
	for name, c := range map[string]struct {
		columns, labels, captions string
		want                      image.Point
	}{
		"a grid":           {"", "", "", image.Pt(2*108+8, 2*58+8)},
		"in a row":         {"side by side", "", "", image.Pt(3*108+8, 58+8)},
		"in a column":      {"one below the other", "", "", image.Pt(108+8, 3*58+8)},
		"with file names":  {"three columns", "file names", "", image.Pt(3*108+8, 58+28+8)},
		"before and after": {"one row", "before and after", "", image.Pt(3*108+8, 58+28+8)},
		"with captions":    {"one row", "", "Spring, Summer, Autumn", image.Pt(3*108+8, 58+28+8)},
	} {
		given := nativetest.Args{"images": vs}
		for arg, said := range map[string]string{"columns": c.columns, "labels": c.labels, "captions": c.captions} {
			if said != "" {
				given[arg] = []toolbox.Value{nativetest.Text(said)}
			}
		}
		img := w.Picture("collage_images", given).Image
		if img.Rect.Size() != c.want {
			t.Errorf("%s: %v, want %v", name, img.Rect.Size(), c.want)
		}
		if written := nativetest.Inked(img, canvas.Ink); (written > 20) != (c.labels+c.captions != "") {
			t.Errorf("%s: %d pixels of letters", name, written)
		}
	}
}

func TestCollageOfManyColumns(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	one := w.Given("a.png", nativetest.Uniform(100, 50, color.NRGBA{200, 30, 30, 255}))
	given := nativetest.Args{"images": slices.Repeat([]toolbox.Value{one}, 10), "columns": {nativetest.Text("8 columns")}}
	if got := w.Picture("collage_images", given).Image.Rect.Size(); got != image.Pt(8*108+8, 2*58+8) {
		t.Errorf("it has %v", got)
	}
}

func TestCollageHasEvenCells(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	colours := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}}
	var vs []toolbox.Value
	for i, c := range colours {
		vs = append(vs, w.Given(string(rune('a'+i))+".png", nativetest.Uniform(60, 40, c)))
	}
	white, black := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}
	for _, c := range []struct {
		gap    int
		ground color.NRGBA
		given  nativetest.Args
	}{
		{usualGap, white, nativetest.Args{"images": vs}},
		{20, black, nativetest.Args{"images": vs, "gap": {nativetest.Text("20 px")}, "colour": {nativetest.Text("black")}}},
		{0, white, nativetest.Args{"images": vs, "gap": {nativetest.Text("0 px")}}},
	} {
		g := c.gap
		w.Same(w.Picture("collage_images", c.given).Image, 2*60+3*g, 2*40+3*g, func(x, y int) color.NRGBA {
			for i, in := range colours {
				at := image.Pt(g+i%2*(60+g), g+i/2*(40+g))
				if image.Pt(x, y).In(image.Rectangle{Min: at, Max: at.Add(image.Pt(60, 40))}) {
					return in
				}
			}
			return c.ground
		})
	}
	w.Refused("collage_images", nativetest.Args{"images": vs[:1]}, "at least two")
}

// TestCollageOfUnequalPictures: columns and rows are no larger than their pictures, so that gaps stay small.
func TestCollageOfUnequalPictures(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	var vs []toolbox.Value
	for i, size := range []image.Point{{100, 50}, {40, 40}, {100, 60}, {60, 60}} {
		vs = append(vs, w.Given(string(rune('a'+i))+".png", nativetest.Uniform(size.X, size.Y, color.NRGBA{200, 30, 30, 255})))
	}
	given := nativetest.Args{"images": vs, "gap": {nativetest.Text("10 px")}}
	if got, want := w.Picture("collage_images", given).Image.Rect.Size(), image.Pt(10+100+10+60+10, 10+50+10+60+10); got != want {
		t.Errorf("it is %v, want %v", got, want)
	}
}

// TestStack puts pictures above each other, with a label on each if wanted.
func TestStack(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	red, blue := color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 200, 255}
	first, second := w.Given("first.png", nativetest.Uniform(480, 240, red)), w.Given("second.png", nativetest.Uniform(240, 120, blue))
	for name, c := range map[string]struct {
		given  map[string]string
		top    color.NRGBA
		labels int
	}{
		"plainly":               {nil, red, 0},
		"below":                 {map[string]string{"way": "below"}, blue, 0},
		"before and after":      {map[string]string{"labels": "before/after labels"}, red, 2},
		"file names":            {map[string]string{"labels": "labelled"}, red, 2},
		"own labels":            {map[string]string{"captions": "Old roof, New roof"}, red, 2},
		"one label":             {map[string]string{"captions": "Old roof"}, red, 1},
		"one label at the foot": {map[string]string{"captions": "Old roof", "way": "below"}, blue, 1},
	} {
		given := nativetest.Args{"first": {first}, "second": {second}}
		for arg, said := range c.given {
			given[arg] = []toolbox.Value{nativetest.Text(said)}
		}
		img := w.Picture("stack_pictures", given).Image
		if img.Rect.Size() != image.Pt(480, 480) || img.NRGBAAt(470, 230) != c.top {
			t.Errorf("%s: %v, and %v above", name, img.Rect, img.NRGBAAt(470, 230))
		}
		labels := 0
		for _, part := range []image.Rectangle{image.Rect(0, 0, 480, 240), image.Rect(0, 240, 480, 480)} {
			if nativetest.Inked(media.ToNRGBA(img.SubImage(part)), color.NRGBA{255, 255, 255, 255}) > 20 {
				labels++
			}
		}
		if labels != c.labels {
			t.Errorf("%s: %d labels, want %d", name, labels, c.labels)
		}
	}
	photo := w.Given("photo.jpg", nativetest.Colourful(60, 40))
	for _, c := range []struct {
		second toolbox.Value
		want   string
	}{{photo, "image/jpeg"}, {second, "image/png"}} {
		if p := w.Picture("stack_pictures", nativetest.Args{"first": {photo}, "second": {c.second}}); p.Info.MIME != c.want {
			t.Errorf("with %s it is %s, not %s", c.second.Name, p.Info.MIME, c.want)
		}
	}
}

func TestPicturesInALineAreLevel(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	picture := func(name string, width, height int) toolbox.Value {
		return w.Given(name, nativetest.Uniform(width, height, color.NRGBA{200, 30, 30, 255}))
	}
	wide, tall, small := picture("wide.png", 200, 100), picture("tall.png", 100, 200), picture("small.png", 40, 40)
	for _, c := range []struct {
		way  string
		of   []toolbox.Value
		want image.Point
	}{
		{"one row", []toolbox.Value{wide, tall}, image.Pt(200+50, 100)},
		{"one column", []toolbox.Value{wide, tall}, image.Pt(100, 50+200)},
		{"one row", []toolbox.Value{wide, small}, image.Pt(200+40, 100)}, // it would be blurred
	} {
		given := nativetest.Args{"images": c.of, "columns": {nativetest.Text(c.way)}, "gap": {nativetest.Text("0 px")}}
		if got := w.Picture("collage_images", given).Image.Rect.Size(); got != c.want {
			t.Errorf("%s of %d: %v, want %v", c.way, len(c.of), got, c.want)
		}
	}
}
