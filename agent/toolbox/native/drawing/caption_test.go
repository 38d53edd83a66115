package drawing

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestHighlightDrawsTheFrameAndLeavesTheRest(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(200, 150, color.NRGBA{250, 250, 250, 255})
	r := image.Rect(40, 60, 120, 130)
	p := w.Picture("highlight_object_on_image", nativetest.Args{
		"image": {w.Given("a.png", src)},
		"bbox":  {w.Boxes(plan.Box{Label: "dog", Score: 0.9, XMin: 40, YMin: 60, XMax: 120, YMax: 130})},
	})
	for y := range 150 {
		for x := range 200 {
			pt := image.Pt(x, y)
			got := p.Image.NRGBAAt(x, y)
			plate := y >= 40 && y < 60 // the label's
			switch {
			case pt.In(r) && !pt.In(r.Inset(2)):
				if got != frameColours[0] {
					t.Fatalf("(%d, %d) of the frame is %v", x, y, got)
				}
			case !plate && got != src.NRGBAAt(x, y):
				t.Fatalf("(%d, %d) was changed to %v", x, y, got)
			}
		}
	}
	if p.Image.NRGBAAt(42, 58) != frameColours[0] {
		t.Error("there is no label above the box")
	}
}

func TestHighlightDrawsACircle(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(200, 150, color.NRGBA{250, 250, 250, 255})
	red := color.NRGBA{255, 0, 0, 255}
	p := w.Picture("highlight_object_on_image", nativetest.Args{
		"image": {w.Given("a.png", src)}, "shape": {nativetest.Text("a circle")}, "colour": {nativetest.Text("red")},
		"bbox": {w.Boxes(plan.Box{XMin: 60, YMin: 45, XMax: 140, YMax: 105})},
	})
	for pt, want := range map[image.Point]color.NRGBA{
		{42, 75}: red, {157, 75}: red, {100, 31}: red, {100, 118}: red, // beyond the sides of the box
		{100, 75}: src.NRGBAAt(0, 0), {60, 75}: src.NRGBAAt(0, 0), {45, 35}: src.NRGBAAt(0, 0),
	} {
		if got := p.Image.NRGBAAt(pt.X, pt.Y); got != want {
			t.Errorf("%v is %v, want %v", pt, got, want)
		}
	}
}

func TestTextStandsWhereItIsWanted(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(400, 300, color.NRGBA{120, 130, 140, 255})
	v := w.Given("a.png", src)
	for said, want := range map[string]image.Rectangle{
		"":             image.Rect(0, 200, 400, 300),
		"top":          image.Rect(0, 0, 400, 100),
		"bottom right": image.Rect(200, 200, 400, 300),
		"centre":       image.Rect(0, 100, 400, 200),
	} {
		a := nativetest.Args{"image": {v}, "caption": {nativetest.Text("Happy day")}}
		if said != "" {
			a["place"] = []toolbox.Value{nativetest.Text(said)}
		}
		white, black := 0, 0
		img := w.Picture("add_text_to_image", a).Image
		for y := range 300 {
			for x := range 400 {
				switch got := img.NRGBAAt(x, y); {
				case got == src.NRGBAAt(x, y):
				case !image.Pt(x, y).In(want):
					t.Fatalf("place %q: (%d, %d) was changed", said, x, y)
				case got == color.NRGBA{255, 255, 255, 255}:
					white++
				case got == color.NRGBA{0, 0, 0, 255}:
					black++
				}
			}
		}
		if white < 200 || black < 200 {
			t.Errorf("place %q: %d white and %d black pixels, want letters with an outline", said, white, black)
		}
	}
	long := "a rather long caption that has to be broken into several lines because it would never fit into one of them"
	w.Do("add_text_to_image", nativetest.Args{"image": {v}, "caption": {nativetest.Text(long)}})
	if out := w.Do("add_text_to_image", nativetest.Args{"image": {v}, "caption": {nativetest.Text("日本")}}); out.Note.String() == "" {
		t.Error("it does not say that letters are missing in the font")
	}
	w.Refused("add_text_to_image", nativetest.Args{"image": {v}, "caption": {nativetest.Text(" ")}}, "which words")
	w.Refused("add_text_to_image", nativetest.Args{"image": {v}, "caption": {nativetest.Text("hi")}, "place": {nativetest.Text("nicely")}}, "top left")
	w.Refused("add_text_to_image", nativetest.Args{"image": {w.Given("tiny.png", nativetest.Uniform(9, 9, color.White))}, "caption": {nativetest.Text("hi")}}, "too small")
}

// TestLooksOfText: an outline and a box have their colours, and words may stand across the picture or all over it.
func TestLooksOfText(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	ground := color.NRGBA{120, 130, 140, 255}
	v := w.Given("a.png", nativetest.Uniform(400, 300, ground))
	draws := func(name, value string) *image.NRGBA {
		return w.Picture("add_text_to_image", nativetest.Args{"image": {v}, "caption": {nativetest.Text("PROOF")}, name: {nativetest.Text(value)}}).Image
	}
	count := func(img *image.NRGBA, area image.Rectangle, is func(color.NRGBA) bool) (n int) {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			for x := area.Min.X; x < area.Max.X; x++ {
				if is(img.NRGBAAt(x, y)) {
					n++
				}
			}
		}
		return n
	}
	all := image.Rect(0, 0, 400, 300)
	red := func(c color.NRGBA) bool { return c == color.NRGBA{255, 0, 0, 255} }
	if n := count(draws("outline", "red outline"), all, red); n < 100 {
		t.Errorf("%d pixels are red, want an outline", n)
	}
	if n := count(draws("box", "red box"), all, red); n < 2000 {
		t.Errorf("%d pixels are red, want a box", n)
	}
	changed := func(c color.NRGBA) bool { return c != ground }
	for name, want := range map[string]map[image.Rectangle]bool{ // whether words are there
		"level":    {image.Rect(150, 220, 250, 300): true, image.Rect(0, 0, 400, 150): false},
		"diagonal": {image.Rect(60, 160, 180, 260): true, image.Rect(220, 40, 340, 140): true, image.Rect(0, 0, 120, 80): false, image.Rect(280, 220, 400, 300): false},
		"repeated": {image.Rect(0, 0, 200, 150): true, image.Rect(200, 0, 400, 150): true, image.Rect(0, 150, 200, 300): true, image.Rect(200, 150, 400, 300): true},
	} {
		img := draws("layout", name)
		for area, there := range want {
			if n := count(img, area, changed); (n > 100) != there || !there && n > 0 {
				t.Errorf("%s: %d pixels of %v are changed", name, n, area)
			}
		}
	}
}
