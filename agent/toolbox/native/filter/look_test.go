package filter

import (
	"image"
	"image/color"
	"testing"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestLooks(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Colourful(40, 30)
	v := w.Given("a.png", src)
	grey := w.Picture("greyscale_image", nativetest.Args{"image": {v}}).Image
	w.Same(grey, 40, 30, func(x, y int) color.NRGBA {
		c := src.NRGBAAt(x, y)
		l := uint8(0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B) + 0.5)
		return color.NRGBA{l, l, l, 255}
	})
	inverted := w.Picture("adjust_image", nativetest.Args{"image": {v}, "adjustment": {nativetest.Text("invert")}}).Image
	w.Same(inverted, 40, 30, func(x, y int) color.NRGBA {
		c := src.NRGBAAt(x, y)
		return color.NRGBA{255 - c.R, 255 - c.G, 255 - c.B, 255}
	})
	mean := func(img *image.NRGBA, c int) (sum float64) {
		for i := c; i < len(img.Pix); i += 4 {
			sum += float64(img.Pix[i])
		}
		return sum * 4 / float64(len(img.Pix))
	}
	adjusted := func(said string) *image.NRGBA {
		return w.Picture("adjust_image", nativetest.Args{"image": {v}, "adjustment": {nativetest.Text(said)}}).Image
	}
	if a, b := mean(adjusted("20% brighter"), 1), mean(src, 1); a < 1.2*b || a > 1.5*b {
		t.Errorf("brighter: %.0f, before %.0f", a, b)
	}
	if a, b := mean(adjusted("darker"), 1), mean(src, 1); a < 0.75*b || a > 0.85*b {
		t.Errorf("darker: %.0f, before %.0f", a, b)
	}
	night := w.Given("black.png", nativetest.Uniform(8, 8, color.Black))
	for _, said := range []string{"much brighter", "much darker"} {
		if got := w.Picture("adjust_image", nativetest.Args{"image": {night}, "adjustment": {nativetest.Text(said)}}).Image; mean(got, 0) != 0 {
			t.Errorf("%s: black becomes %.0f", said, mean(got, 0))
		}
	}
	if warm := adjusted("warmer"); mean(warm, 0) <= mean(src, 0) || mean(warm, 2) >= mean(src, 2) {
		t.Error("warmer: there is not more red and less blue")
	}
	if sepia := adjusted("sepia"); mean(sepia, 0) <= mean(sepia, 1) || mean(sepia, 1) <= mean(sepia, 2) {
		t.Error("sepia is not brown")
	}
	w.Refused("adjust_image", nativetest.Args{"image": {v}, "adjustment": {nativetest.Text("nicer")}}, "brighter", "sepia")
}

// TestAmountsOfAdjustments: values change by the requested amount.
func TestAmountsOfAdjustments(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	was := color.NRGBA{R: 160, G: 100, B: 120, A: 255}
	v := w.Given("a.png", nativetest.Uniform(8, 8, was))
	for said, want := range map[string]color.NRGBA{
		"contrast +20 %":          {166, 95, 119, 255}, // a fifth further from the middle
		"contrast -20%":           {154, 106, 122, 255},
		"contrast to 150%":        {176, 86, 116, 255},
		"brightness +10%":         {173, 117, 136, 255}, // the middle tones most
		"30% darker":              {112, 70, 84, 255},
		"20% less saturated":      {154, 106, 122, 255}, // a fifth closer to grey
		"20% more saturation":     {166, 94, 118, 255},
		"desaturate by 30 %":      {151, 109, 123, 255},
		"warmth +10":              {168, 100, 114, 255},
		"warmth -10":              {152, 100, 126, 255},
		"one stop brighter":       {218, 138, 165, 255}, // twice the light
		"-1 EV":                   {116, 71, 86, 255},
		"contrast+20% warmth +10": {175, 95, 113, 255},
	} {
		got := w.Picture("adjust_image", nativetest.Args{"image": {v}, "adjustment": {nativetest.Text(said)}}).Image.NRGBAAt(4, 4)
		for c, g := range []uint8{got.R, got.G, got.B} {
			if wanted := []uint8{want.R, want.G, want.B}[c]; int(g)-int(wanted) > 1 || int(wanted)-int(g) > 1 {
				t.Errorf("%s: %v, want %v", said, got, want)
				break
			}
		}
	}
}

// TestOilPainting: fine grain becomes strokes of one colour, and an edge stays an edge.
func TestOilPainting(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := image.NewNRGBA(image.Rect(0, 0, 80, 60))
	for i := range src.Pix {
		src.Pix[i] = 255
		if i%4 < 3 {
			src.Pix[i] = uint8(60 + 120*(i/4%80/40) + i/4*7919%13)
		}
	}
	got := w.Picture("oil_painting", nativetest.Args{"image": {w.Given("a.png", src)}}).Image
	step := func(img *image.NRGBA) (sum int) { // between pixels beside each other, away from the edge
		for y := range 60 {
			for x := range 30 {
				sum += int(max(img.NRGBAAt(x, y).R, img.NRGBAAt(x+1, y).R) - min(img.NRGBAAt(x, y).R, img.NRGBAAt(x+1, y).R))
			}
		}
		return sum
	}
	if step(got)*2 > step(src) {
		t.Errorf("the grain is %d, and was %d", step(got), step(src))
	}
	if left, right := got.NRGBAAt(37, 30), got.NRGBAAt(42, 30); int(right.R)-int(left.R) < 90 {
		t.Errorf("the edge goes from %v to %v", left, right)
	}
}
