package crop

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

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
	w.Refused("crop_region", nativetest.Args{"image": {v}, "region": {nativetest.Text("the nice part")}}, "the left half", "16:9")
}
