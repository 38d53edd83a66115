package filter

import (
	"image"
	"image/color"
	"math"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// TestHideMasked: the masked area is hidden and the rest is unchanged, or vice versa.
func TestHideMasked(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := image.NewNRGBA(image.Rect(0, 0, 160, 120))
	for i := range src.Pix {
		src.Pix[i] = 255
		if i%8 < 3 { // stripes of one pixel
			src.Pix[i] = 0
		}
	}
	distance := func(x, y int) float64 { return math.Hypot(float64(x-80), float64(y-60)) }
	disc := image.NewNRGBA(src.Rect)
	for y := range 120 {
		for x := range 160 {
			disc.Set(x, y, color.Gray{Y: map[bool]uint8{true: 255}[distance(x, y) < 40]})
		}
	}
	mask := []toolbox.Value{w.Given("mask.png", disc)}
	for _, how := range []string{"blur", "pixelate", "black"} {
		for _, where := range []string{"inside", "outside"} {
			p := w.Picture("hide_masked", nativetest.Args{
				"image": {w.Given(how+where+".png", src)}, "mask": mask,
				"how": {nativetest.Text(how)}, "where": {nativetest.Text(where)},
			})
			for y := range 120 {
				for x := range 159 {
					at, next := p.Image.NRGBAAt(x, y), p.Image.NRGBAAt(x+1, y)
					inside := distance(x, y) < 38
					if !inside && distance(x, y) < 42 {
						continue // the edge of the mask
					}
					contrast := math.Abs(float64(at.R) - float64(next.R))
					if hidden := inside == (where == "inside"); hidden && contrast > 100 || !hidden && at != src.NRGBAAt(x, y) {
						t.Fatalf("%s %s: (%d, %d) is %v", how, where, x, y, at)
					}
				}
			}
		}
	}
	v := []toolbox.Value{w.Given("a.png", src)}
	other := []toolbox.Value{w.Given("other.png", nativetest.Uniform(30, 40, color.White))}
	nothing := []toolbox.Value{w.Given("nothing.png", nativetest.Uniform(160, 120, color.Black))}
	w.Refused("hide_masked", nativetest.Args{"image": v, "mask": other, "how": {nativetest.Text("blur")}}, "does not fit", "30 × 40")
	w.Refused("hide_masked", nativetest.Args{"image": v, "mask": nothing, "how": {nativetest.Text("blur")}}, "covers no part")
}
