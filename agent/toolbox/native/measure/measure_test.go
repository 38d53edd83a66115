package measure

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestCompareImages(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	plain := nativetest.Uniform(100, 80, color.NRGBA{200, 200, 200, 255})
	changed := nativetest.Uniform(100, 80, color.NRGBA{200, 200, 200, 255})
	draw.Draw(changed, image.Rect(10, 20, 30, 40), image.NewUniform(color.NRGBA{20, 20, 90, 255}), image.Point{}, draw.Src) // 400 of 8,000 pixels
	first, second := w.Given("first.png", plain), w.Given("second.png", changed)
	out := w.Do("compare_images", nativetest.Args{"first": {first}, "second": {second}})
	if !strings.Contains(out.Value, "5.0 % of the pixels differ") || !strings.Contains(out.Value, "20 × 20 pixels at (10, 20)") || !out.Note.IsZero() {
		t.Errorf("got %q, %q", out.Value, out.Note)
	}
	if out := w.Do("compare_images", nativetest.Args{"first": {first}, "second": {first}}); !strings.Contains(out.Value, "the same, pixel by pixel") {
		t.Errorf("got %q", out.Value)
	}
	half := w.Given("half.png", nativetest.Uniform(50, 40, color.NRGBA{200, 200, 200, 255}))
	if out := w.Do("compare_images", nativetest.Args{"first": {first}, "second": {half}}); out.Note.IsZero() || !strings.Contains(out.Value, "same") {
		t.Errorf("got %q, %q", out.Value, out.Note)
	}
	img := w.Picture("difference_picture", nativetest.Args{"first": {first}, "second": {second}}).Image
	for y := range 80 {
		for x := range 100 {
			c := img.NRGBAAt(x, y)
			red := c.R > 200 && c.G < 60
			if red != image.Pt(x, y).In(image.Rect(10, 20, 30, 40)) {
				t.Fatalf("(%d, %d) is %v", x, y, c)
			}
		}
	}
}

func TestColoursOfAPicture(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	img := nativetest.Uniform(300, 100, color.NRGBA{255, 0, 0, 255})
	draw.Draw(img, image.Rect(150, 0, 240, 100), image.NewUniform(color.NRGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(240, 0, 300, 100), image.NewUniform(color.NRGBA{255, 255, 255, 255}), image.Point{}, draw.Src)
	v := w.Given("flag.png", img)
	out := w.Do("dominant_colours", nativetest.Args{"image": {v}})
	lines := strings.Split(out.Value, "\n")
	if len(lines) < 3 {
		t.Fatalf("got %q", out.Value)
	}
	for i, want := range []string{"#ff0000  50", "#0000ff  30", "#ffffff  20"} {
		if !strings.HasPrefix(lines[i], want[:9]) {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], want)
		}
	}
	if out := w.Do("dominant_colours", nativetest.Args{"image": {v}, "count": {nativetest.Text("2 colours")}}); strings.Count(out.Value, "\n") != 1 || !strings.HasSuffix(out.Value, "blue") {
		t.Errorf("two colours are %q", out.Value)
	}
	swatches := w.Picture("colour_swatch", nativetest.Args{"image": {v}, "count": {nativetest.Text("3")}}).Image
	if swatches.Rect.Dx() != 660 || swatches.NRGBAAt(10, 10) != (color.NRGBA{255, 0, 0, 255}) || swatches.NRGBAAt(230, 10) != (color.NRGBA{0, 0, 255, 255}) {
		t.Errorf("the palette of %v begins with %v and %v", swatches.Rect, swatches.NRGBAAt(10, 10), swatches.NRGBAAt(230, 10))
	}
	w.Refused("dominant_colours", nativetest.Args{"image": {w.Given("empty.png", image.NewNRGBA(image.Rect(0, 0, 9, 9)))}}, "transparent")
}
