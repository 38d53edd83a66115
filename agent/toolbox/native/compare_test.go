package native

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"atelier/agent/toolbox"
)

func TestCompareImages(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	plain := uniform(100, 80, color.NRGBA{200, 200, 200, 255})
	changed := uniform(100, 80, color.NRGBA{200, 200, 200, 255})
	draw.Draw(changed, image.Rect(10, 20, 30, 40), image.NewUniform(color.NRGBA{20, 20, 90, 255}), image.Point{}, draw.Src) // 400 of 8,000 pixels
	first, second := w.given("first.png", plain), w.given("second.png", changed)
	out := w.run("compare_images", args{"first": {first}, "second": {second}})
	if !strings.Contains(out.Value, "5.0 % of the pixels differ") || !strings.Contains(out.Value, "20 × 20 pixels at (10, 20)") || !out.Note.IsZero() {
		t.Errorf("got %q, %q", out.Value, out.Note)
	}
	if out := w.run("compare_images", args{"first": {first}, "second": {first}}); !strings.Contains(out.Value, "the same, pixel by pixel") {
		t.Errorf("got %q", out.Value)
	}
	half := w.given("half.png", uniform(50, 40, color.NRGBA{200, 200, 200, 255}))
	if out := w.run("compare_images", args{"first": {first}, "second": {half}}); out.Note.IsZero() || !strings.Contains(out.Value, "same") {
		t.Errorf("got %q, %q", out.Value, out.Note)
	}
	img := w.picture("difference_picture", args{"first": {first}, "second": {second}}).Image
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
	w := newWorkbench(t)
	img := uniform(300, 100, color.NRGBA{255, 0, 0, 255})
	draw.Draw(img, image.Rect(150, 0, 240, 100), image.NewUniform(color.NRGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(240, 0, 300, 100), image.NewUniform(color.NRGBA{255, 255, 255, 255}), image.Point{}, draw.Src)
	v := w.given("flag.png", img)
	out := w.run("dominant_colours", args{"image": {v}})
	lines := strings.Split(out.Value, "\n")
	if len(lines) < 3 {
		t.Fatalf("got %q", out.Value)
	}
	for i, want := range []string{"#ff0000  50", "#0000ff  30", "#ffffff  20"} {
		if !strings.HasPrefix(lines[i], want[:9]) {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], want)
		}
	}
	if out := w.run("dominant_colours", args{"image": {v}, "count": {text("2 colours")}}); strings.Count(out.Value, "\n") != 1 || !strings.HasSuffix(out.Value, "blue") {
		t.Errorf("two colours are %q", out.Value)
	}
	swatches := w.picture("colour_swatch", args{"image": {v}, "count": {text("3")}}).Image
	if swatches.Rect.Dx() != 660 || swatches.NRGBAAt(10, 10) != (color.NRGBA{255, 0, 0, 255}) || swatches.NRGBAAt(230, 10) != (color.NRGBA{0, 0, 255, 255}) {
		t.Errorf("the palette of %v begins with %v and %v", swatches.Rect, swatches.NRGBAAt(10, 10), swatches.NRGBAAt(230, 10))
	}
	w.refused("dominant_colours", args{"image": {w.given("empty.png", image.NewNRGBA(image.Rect(0, 0, 9, 9)))}}, "transparent")
}

func TestTrimBorders(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	for name, ground := range map[string]color.NRGBA{"white": {255, 255, 255, 255}, "transparent": {}} {
		img := uniform(120, 90, ground)
		draw.Draw(img, image.Rect(30, 20, 70, 50), colourful(200, 200), image.Pt(10, 30), draw.Src)
		p := w.picture("trim_borders", args{"image": {w.given(name+".png", img)}})
		if p.Image.Rect != image.Rect(0, 0, 40, 30) {
			t.Errorf("%s: %v is left", name, p.Image.Rect)
		}
	}
	w.refused("trim_borders", args{"image": {w.given("full.png", colourful(30, 30))}}, "nothing to trim")
	w.refused("trim_borders", args{"image": {w.given("blank.png", uniform(30, 30, color.White))}}, "of one colour")
}

func TestMeasureSharpness(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	squares := image.NewNRGBA(image.Rect(0, 0, 200, 200))
	for y := range 200 {
		for x := range 200 {
			squares.SetNRGBA(x, y, color.NRGBA{uint8((x/8 + y/8) % 2 * 255), 128, 128, 255})
		}
	}
	v := w.given("squares.png", squares)
	if out := w.run("measure_sharpness", args{"image": {v}}); !strings.Contains(out.Value, "Looks: sharp") {
		t.Errorf("got %q", out.Value)
	}
	soft := w.run("blur_image", args{"image": {v}, "strength": {text("8 px")}})
	if out := w.run("measure_sharpness", args{"image": {{Resource: v.Resource, Path: soft.Path}}}); !strings.Contains(out.Value, "rather blurry") {
		t.Errorf("got %q", out.Value)
	}
}

func TestIconSet(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	logo := w.given("logo.png", colourful(300, 200))
	out := w.run("icon_set", args{"image": {logo}})
	sides := []int{}
	for _, o := range append([]toolbox.Output{out}, out.More...) {
		p := w.read(o)
		if p.Image.Rect.Dx() != p.Image.Rect.Dy() || p.Image.NRGBAAt(0, 0).A != 0 {
			t.Errorf("an icon of %v is not square and transparent above", p.Image.Rect)
		}
		sides = append(sides, p.Image.Rect.Dx())
	}
	if len(sides) != len(iconSizes) || sides[0] != 16 || sides[8] != 512 {
		t.Errorf("the sides are %v", sides)
	}
	few := w.run("icon_set", args{"image": {logo}, "sizes": {text("16, 32, 180 and 512")}})
	if len(few.More) != 3 || w.read(few).Image.Rect.Dx() != 16 || w.read(few.More[2]).Image.Rect.Dx() != 512 {
		t.Errorf("made %+v", few)
	}
	w.refused("icon_set", args{"image": {logo}, "sizes": {text("4 and 32")}}, "from 8 to 1024 pixels")
}
