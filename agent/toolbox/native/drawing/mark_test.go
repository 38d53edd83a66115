package drawing

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestAnnotateImage(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	ground := color.NRGBA{200, 210, 220, 255}
	v := w.Given("a.png", nativetest.Uniform(400, 300, ground))
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
		given := nativetest.Args{"image": {v}, "shape": {nativetest.Text(c.shape)}, "part": {nativetest.Text(c.part)}, "colour": {nativetest.Text(c.colour)}}
		img := w.Picture("annotate_image", given).Image
		if got := nativetest.Painted(img, ground); !got.In(c.inside) || nativetest.Inked(img, c.ink) < c.least {
			t.Errorf("%s: drawn in %v with %d pixels", name, got, nativetest.Inked(img, c.ink))
		}
	}
	labelled := w.Picture("annotate_image", nativetest.Args{"image": {v}, "part": {nativetest.Text("the right half")}, "label": {nativetest.Text("“Exit”")}}).Image
	if plain := w.Picture("annotate_image", nativetest.Args{"image": {v}, "part": {nativetest.Text("the right half")}}).Image; nativetest.Inked(labelled, color.NRGBA{255, 255, 255, 255}) < 20 ||
		nativetest.Inked(plain, color.NRGBA{255, 255, 255, 255}) != 0 {
		t.Error("there is no label in white letters")
	}
	for part, inside := range map[string]image.Rectangle{
		"the top left": image.Rect(0, 0, 60, 60), "the bottom right corner": image.Rect(340, 240, 400, 300), "the middle": image.Rect(170, 120, 230, 180),
	} {
		numbered := w.Picture("annotate_image", nativetest.Args{"image": {v}, "part": {nativetest.Text(part)}, "number": {nativetest.Text("number 3")}}).Image
		if got := nativetest.Painted(numbered, ground); !got.In(inside) || nativetest.Inked(numbered, color.NRGBA{255, 255, 255, 255}) < 10 {
			t.Errorf("a number at %s is drawn in %v", part, got)
		}
	}
	w.Refused("annotate_image", nativetest.Args{"image": {v}, "part": {nativetest.Text("10x10+900+900")}}, "outside")
	w.Refused("annotate_image", nativetest.Args{"image": {v}, "part": {nativetest.Text("the dog")}}, "the left half")
}

// TestArrowsComeFromASide: the shaft is on the given side of the head, wherever the arrow points.
func TestArrowsComeFromASide(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	ground := color.NRGBA{200, 210, 220, 255}
	v := w.Given("a.png", nativetest.Uniform(400, 300, ground))
	for _, c := range []struct {
		from, part string
		inside     image.Rectangle
	}{
		{"from the left", "the middle", image.Rect(30, 130, 202, 170)},
		{"pointing left", "the middle", image.Rect(198, 130, 370, 170)},
		{"pointing down", "the middle", image.Rect(180, 20, 220, 152)},
		{"from the bottom", "the middle", image.Rect(180, 148, 220, 280)},
		{"from the bottom left", "the middle", image.Rect(70, 140, 210, 280)},
		{"from the left", "the left third", image.Rect(0, 130, 140, 170)},
		{"pointing down", "top right corner", image.Rect(250, 0, 400, 120)},
	} {
		img := w.Picture("annotate_image", nativetest.Args{
			"image": {v}, "shape": {nativetest.Text("arrow")}, "part": {nativetest.Text(c.part)}, "from": {nativetest.Text(c.from)},
		}).Image
		if got := nativetest.Painted(img, ground); !got.In(c.inside) || got.Dx()+got.Dy() < 60 {
			t.Errorf("an arrow %s to %s is drawn in %v", c.from, c.part, got)
		}
	}
}

func TestMemeText(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	ground := color.NRGBA{90, 120, 60, 255}
	v := w.Given("a.jpg.png", nativetest.Uniform(500, 400, ground))
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
	for name, given := range map[string]nativetest.Args{
		"two lines":    {"image": {v}, "top": {nativetest.Text("one does not simply")}, "bottom": {nativetest.Text("walk away")}},
		"with a slash": {"image": {v}, "top": {nativetest.Text("“one does not simply” / “walk away”")}},
	} {
		if top, bottom := halves(w.Picture("meme_text", given).Image); top < 1000 || bottom < 1000 {
			t.Errorf("%s: %d pixels of letters at the top and %d at the bottom", name, top, bottom)
		}
	}
	if top, bottom := halves(w.Picture("meme_text", nativetest.Args{"image": {v}, "top": {nativetest.Text("monday")}}).Image); top < 1000 || bottom != 0 {
		t.Errorf("one line: %d pixels of letters at the top and %d at the bottom", top, bottom)
	}
	w.Refused("meme_text", nativetest.Args{"image": {v}, "top": {nativetest.Text(" ")}}, "which words")
	w.Refused("meme_text", nativetest.Args{"image": {w.Given("tiny.png", nativetest.Uniform(9, 9, color.White))}, "top": {nativetest.Text("hi")}}, "too long")
}
