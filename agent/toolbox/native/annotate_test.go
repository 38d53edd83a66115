package native

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/toolbox"
)

// painted returns the smallest rectangle that holds all pixels that differ from the ground.
func painted(img *image.NRGBA, ground color.NRGBA) image.Rectangle {
	var r image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.NRGBAAt(x, y) != ground {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

func TestAnnotateImage(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	ground := color.NRGBA{200, 210, 220, 255}
	v := w.given("a.png", uniform(400, 300, ground))
	for name, c := range map[string]struct {
		shape, part, colour string
		ink                 color.NRGBA
		inside              image.Rectangle
		least               int // pixels
	}{
		"box":    {"a rectangle", "the top left quarter", "blue", color.NRGBA{0, 0, 255, 255}, image.Rect(0, 0, 200, 150), 1800},
		"circle": {"circle", "100x80+250+150", "red", color.NRGBA{255, 0, 0, 255}, image.Rect(250, 150, 350, 230), 500},
		"arrow":  {"an arrow", "bottom right corner", "green", color.NRGBA{0, 128, 0, 255}, image.Rect(200, 150, 400, 300), 200},
		"dot":    {"dot", "centre", "#102030", color.NRGBA{16, 32, 48, 255}, image.Rect(190, 140, 210, 160), 80},
	} {
		given := args{"image": {v}, "shape": {text(c.shape)}, "part": {text(c.part)}, "colour": {text(c.colour)}}
		img := w.picture("annotate_image", given).Image
		if got := painted(img, ground); !got.In(c.inside) || inked(img, c.ink) < c.least {
			t.Errorf("%s: drawn in %v with %d pixels", name, got, inked(img, c.ink))
		}
	}
	labelled := w.picture("annotate_image", args{"image": {v}, "part": {text("the right half")}, "label": {text("“Exit”")}}).Image
	if plain := w.picture("annotate_image", args{"image": {v}, "part": {text("the right half")}}).Image; inked(labelled, color.NRGBA{255, 255, 255, 255}) < 20 ||
		inked(plain, color.NRGBA{255, 255, 255, 255}) != 0 {
		t.Error("there is no label in white letters")
	}
	w.refused("annotate_image", args{"image": {v}, "part": {text("10x10+900+900")}}, "outside")
	w.refused("annotate_image", args{"image": {v}, "part": {text("the dog")}}, "the left half")
}

func TestMemeText(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	ground := color.NRGBA{90, 120, 60, 255}
	v := w.given("a.jpg.png", uniform(500, 400, ground))
	white := color.NRGBA{255, 255, 255, 255}
	halves := func(img *image.NRGBA) (top, bottom int) {
		for y := range 400 {
			for x := range 500 {
				switch {
				case img.NRGBAAt(x, y) != white:
				case y < 140:
					top++
				case y > 260:
					bottom++
				}
			}
		}
		return top, bottom
	}
	for name, given := range map[string]args{
		"two lines":    {"image": {v}, "top": {text("one does not simply")}, "bottom": {text("walk away")}},
		"with a slash": {"image": {v}, "top": {text("“one does not simply” / “walk away”")}},
	} {
		if top, bottom := halves(w.picture("meme_text", given).Image); top < 1000 || bottom < 1000 {
			t.Errorf("%s: %d pixels of letters at the top and %d at the bottom", name, top, bottom)
		}
	}
	if top, bottom := halves(w.picture("meme_text", args{"image": {v}, "top": {text("monday")}}).Image); top < 1000 || bottom != 0 {
		t.Errorf("one line: %d pixels of letters at the top and %d at the bottom", top, bottom)
	}
	w.refused("meme_text", args{"image": {v}, "top": {text(" ")}}, "which words")
	w.refused("meme_text", args{"image": {w.given("tiny.png", uniform(9, 9, color.White))}, "top": {text("hi")}}, "too long")
}

func TestCollagesHaveColumnsAndLabels(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	var vs []toolbox.Value
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		vs = append(vs, w.given(name, uniform(100, 50, color.NRGBA{200, 30, 30, 255})))
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
		given := args{"images": vs}
		for arg, said := range map[string]string{"columns": c.columns, "labels": c.labels, "captions": c.captions} {
			if said != "" {
				given[arg] = []toolbox.Value{text(said)}
			}
		}
		img := w.picture("collage_images", given).Image
		if img.Rect.Size() != c.want {
			t.Errorf("%s: %v, want %v", name, img.Rect.Size(), c.want)
		}
		if written := inked(img, paperInk); (written > 20) != (c.labels+c.captions != "") {
			t.Errorf("%s: %d pixels of letters", name, written)
		}
	}
}
