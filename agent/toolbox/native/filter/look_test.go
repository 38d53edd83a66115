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
	if a, b := mean(adjusted("20% brighter"), 1), mean(src, 1); a < b+30 {
		t.Errorf("brighter: %.0f, before %.0f", a, b)
	}
	if a, b := mean(adjusted("darker"), 1), mean(src, 1); a > b-30 {
		t.Errorf("darker: %.0f, before %.0f", a, b)
	}
	if warm := adjusted("warmer"); mean(warm, 0) <= mean(src, 0) || mean(warm, 2) >= mean(src, 2) {
		t.Error("warmer: there is not more red and less blue")
	}
	if sepia := adjusted("sepia"); mean(sepia, 0) <= mean(sepia, 1) || mean(sepia, 1) <= mean(sepia, 2) {
		t.Error("sepia is not brown")
	}
	w.Refused("adjust_image", nativetest.Args{"image": {v}, "adjustment": {nativetest.Text("nicer")}}, "brighter", "sepia")
}
