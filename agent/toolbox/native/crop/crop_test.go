package crop

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"github.com/kovidgoyal/imaging"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestTrimBorders(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	for name, ground := range map[string]color.NRGBA{"white": {255, 255, 255, 255}, "transparent": {}} {
		img := nativetest.Uniform(120, 90, ground)
		draw.Draw(img, image.Rect(30, 20, 70, 50), nativetest.Colourful(200, 200), image.Pt(10, 30), draw.Src)
		p := w.Picture("trim_borders", nativetest.Args{"image": {w.Given(name+".png", img)}})
		if p.Image.Rect != image.Rect(0, 0, 40, 30) {
			t.Errorf("%s: %v is left", name, p.Image.Rect)
		}
	}
	w.Refused("trim_borders", nativetest.Args{"image": {w.Given("full.png", nativetest.Colourful(30, 30))}}, "nothing to trim")
	w.Refused("trim_borders", nativetest.Args{"image": {w.Given("blank.png", nativetest.Uniform(30, 30, color.White))}}, "a single colour")
}

// distance is the mean difference of the pixels of two pictures of the same size.
func distance(a, b *image.NRGBA) float64 {
	sum := 0
	for i := range a.Pix {
		sum += max(int(a.Pix[i])-int(b.Pix[i]), int(b.Pix[i])-int(a.Pix[i]))
	}
	return float64(sum) / float64(len(a.Pix))
}

func TestCropIsExact(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Colourful(60, 40)
	v := w.Given("a.png", src)
	out := w.Do("image_cropping", nativetest.Args{"image": {v}, "bbox": {w.Boxes(
		plan.Box{Label: "cat", XMin: 10, YMin: 5, XMax: 30, YMax: 25},
		plan.Box{XMin: 50, YMin: 30, XMax: 99, YMax: 99}, // reaches beyond the picture
		plan.Box{XMin: 80, YMin: 0, XMax: 90, YMax: 10},  // lies outside
	)}})
	if out.About.String() != "cat" || len(out.More) != 1 {
		t.Fatalf("got %+v, want the cat and one more", out)
	}
	w.Same(w.Read(out).Image, 20, 20, func(x, y int) color.NRGBA { return src.NRGBAAt(x+10, y+5) })
	w.Same(w.Read(out.More[0]).Image, 10, 10, func(x, y int) color.NRGBA { return src.NRGBAAt(x+50, y+30) })
	w.Refused("image_cropping", nativetest.Args{"image": {v}, "bbox": {w.Boxes()}}, "Nothing was found or marked")
	w.Refused("image_cropping", nativetest.Args{"image": {v}, "bbox": {w.Boxes(plan.Box{XMin: 70, XMax: 80, YMax: 9})}}, "outside")
	w.Refused("image_cropping", nativetest.Args{"image": {v}, "bbox": {nativetest.Text("{")}}, "cannot be read")

	p := w.Picture("crop_region", nativetest.Args{"image": {v}, "region": {nativetest.Text("top right quarter")}})
	w.Same(p.Image, 30, 20, func(x, y int) color.NRGBA { return src.NRGBAAt(x+30, y) })

	// The size in pixels is that of the result, even where the picture is smaller: it is enlarged to cover it.
	for text, c := range map[string]struct {
		part image.Rectangle
		size image.Point
	}{
		"90x90":             {image.Rect(10, 0, 50, 40), image.Pt(90, 90)},
		"40x80 at the left": {image.Rect(0, 0, 20, 40), image.Pt(40, 80)},
	} {
		out := w.Do("crop_region", nativetest.Args{"image": {v}, "region": {nativetest.Text(text)}})
		got, want := w.Read(out).Image, media.ToNRGBA(imaging.Resize(src.SubImage(c.part), c.size.X, c.size.Y, imaging.Linear))
		if got.Rect != want.Rect {
			t.Fatalf("%s: %v", text, got.Rect)
		}
		if off := distance(got, want); off > 12 {
			t.Errorf("%s shows another part: pixels are %.1f off", text, off)
		}
		if !strings.Contains(out.Note.String(), "only 60 × 40 pixels") {
			t.Errorf("%s: the note is %q", text, out.Note)
		}
	}
	w.Refused("crop_region", nativetest.Args{"image": {v}, "region": {nativetest.Text("90000x90000")}}, "ask for a smaller size")
	w.Refused("crop_region", nativetest.Args{"image": {v}, "region": {nativetest.Text("the nice part")}}, "the left half", "16:9")
}
