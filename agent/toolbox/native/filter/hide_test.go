package filter

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/native/picture"
)

// The content of the boxes is hidden, and the rest of the picture is unchanged.
func TestHide(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := image.NewNRGBA(image.Rect(0, 0, 160, 120))
	for i := range src.Pix {
		src.Pix[i] = 255
		if i%8 < 3 { // stripes of one pixel
			src.Pix[i] = 0
		}
	}
	box := plan.Box{Label: "face", XMin: 40, YMin: 40, XMax: 104, YMax: 88}
	for _, op := range []string{"blur_objects", "pixelate_objects", "black_out_objects"} {
		p := w.Picture(op, nativetest.Args{"image": {w.Given(op+".png", src)}, "bbox": {w.Boxes(box)}})
		for y := range 120 {
			for x := range 159 {
				at, next := p.Image.NRGBAAt(x, y), p.Image.NRGBAAt(x+1, y)
				inside := image.Pt(x, y).In(picture.Rectangle(box).Inset(2))
				outside := !image.Pt(x, y).In(picture.Rectangle(box).Inset(-10))
				if contrast := math.Abs(float64(at.R) - float64(next.R)); inside && contrast > 100 || outside && at != src.NRGBAAt(x, y) {
					t.Fatalf("%s: (%d, %d) is %v", op, x, y, at)
				}
			}
		}
	}
	w.Refused("blur_objects", nativetest.Args{"image": {w.Given("b.png", src)}, "bbox": {w.Boxes()}}, "")
}

// The box of a word that was read is widened by little: the line above stays readable. The answer says that other words
// may be left.
func TestHideWords(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(400, 100, color.NRGBA{200, 210, 220, 255})
	email := plan.Box{Label: "ann@example.com", XMin: 20, YMin: 50, XMax: 320, YMax: 70}
	given := nativetest.Args{"image": {w.Given("a.png", src)}, "bbox": {w.Boxes(email)}}
	p := w.Picture("black_out_objects", given)
	for y, hidden := range map[int]bool{44: false, 47: true, 60: true, 72: true, 76: false} {
		if got := p.Image.NRGBAAt(100, y) != src.NRGBAAt(100, y); got != hidden {
			t.Errorf("row %d is hidden: %t", y, got)
		}
	}
	if note := w.Do("black_out_objects", given).Note.String(); !strings.Contains(note, "Only words that could be read") {
		t.Errorf("the note is %q", note)
	}
}

// Everything outside a part is hidden, and the part is unchanged, including transparent pixels.
func TestHideOutside(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := image.NewNRGBA(image.Rect(0, 0, 160, 120))
	for i := range src.Pix {
		src.Pix[i] = 255
		if i%8 < 3 { // stripes of one pixel
			src.Pix[i] = 0
		}
	}
	src.SetNRGBA(80, 60, color.NRGBA{1, 2, 3, 0})
	for _, op := range []string{"blur_region", "pixelate_image", "black_out_region"} {
		p := w.Picture(op, nativetest.Args{"image": {w.Given(op+".png", src)}, "part": {nativetest.Text("64x48 at 48,36")}, "where": {nativetest.Text("outside")}})
		part := image.Rect(48, 36, 112, 84)
		for y := range 120 {
			for x := range 159 {
				at, next := p.Image.NRGBAAt(x, y), p.Image.NRGBAAt(x+1, y)
				inside := image.Pt(x, y).In(part)
				outside := !image.Pt(x, y).In(part.Inset(-1))
				if contrast := math.Abs(float64(at.R) - float64(next.R)); outside && contrast > 100 || inside && at != src.NRGBAAt(x, y) {
					t.Fatalf("%s: (%d, %d) is %v", op, x, y, at)
				}
			}
		}
	}
	w.Refused("pixelate_image", nativetest.Args{"image": {w.Given("b.png", src)}, "where": {nativetest.Text("outside")}}, "which part of the picture to keep")
}
