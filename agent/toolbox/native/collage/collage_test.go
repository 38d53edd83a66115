package collage

import (
	"image"
	"image/color"
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
