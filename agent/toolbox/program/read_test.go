package program

import (
	"image"
	"image/color"
	"image/draw"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
)

// lettered is a picture with lines of text, the first one's left end at 20, and its line
// at one and a half sizes.
func lettered(t *testing.T, size float64, w, h int, ink, ground color.Color, lines ...string) *image.NRGBA {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	img := filled(w, h, ground)
	for i, l := range lines {
		d := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(20, int(size*1.5*float64(i+1)))}
		d.DrawString(l)
	}
	return img
}

// TestWritingIsReadBack checks that OCR reads what was drawn.
func TestWritingIsReadBack(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	lines := []string{"The quick brown fox", "jumps over 13 lazy dogs."}
	for name, c := range map[string]struct {
		size        float64
		w, h        int
		ink, ground color.Color
	}{
		"black on white":          {30, 640, 120, color.Black, color.White},
		"small":                   {12, 240, 60, color.Black, color.White},
		"white on transparency":   {30, 640, 120, color.White, color.Transparent},
		"black on transparency":   {30, 640, 120, color.Black, color.Transparent},
		"in colours on dark":      {30, 640, 120, color.NRGBA{230, 120, 60, 255}, color.NRGBA{20, 20, 70, 255}},
		"sixteen bits":            {30, 640, 120, color.Gray16{Y: 0x0101}, color.Gray16{Y: 0xf0f0}},
		"odd sides, much of them": {90, 2001, 333, color.Black, color.White},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var img image.Image = lettered(t, c.size, c.w, c.h, c.ink, c.ground, lines...)
			if name == "sixteen bits" {
				deep := image.NewNRGBA64(img.Bounds())
				for y := range c.h {
					for x := range c.w {
						deep.Set(x, y, img.At(x, y))
					}
				}
				img = deep
			}
			path := writePNG(t, "page.png", img)
			got := done(t, "tesseract", args{"image": fileOf(plan.Image, path)})
			if want := strings.Join(lines, "\n"); got.Value != want {
				t.Errorf("read %q, want %q", got.Value, want)
			}
		})
	}
}

// TestAnimationIsReadByItsFirstPicture reads the text of an animated GIF.
func TestAnimationIsReadByItsFirstPicture(t *testing.T) {
	t.Parallel()
	still := writePNG(t, "first.png", lettered(t, 40, 400, 80, color.Black, color.White, "FIRST PAGE"))
	path := clip(t, "moving.gif", "-loop", "1", "-t", "0.3", "-r", "10", "-i", still)
	if got := done(t, "tesseract", args{"image": fileOf(plan.Image, path), "language": "English"}).Value; got != "FIRST PAGE" {
		t.Errorf("read %q", got)
	}
}

func TestWordsAreLocated(t *testing.T) {
	t.Parallel()
	path := writePNG(t, "page.png", lettered(t, 30, 640, 120, color.Black, color.White, "Red green", "blue"))
	out := done(t, "locate_text", args{"image": fileOf(plan.Image, path)})
	boxes, err := plan.DecodeValue[plan.Box](plan.Resource{Type: plan.BBox, Value: out.Value})
	if err != nil || len(boxes) != 3 {
		t.Fatalf("%v, %v", boxes, err)
	}
	for i, want := range []plan.Box{{Label: "Red", YMin: 22, YMax: 47, XMin: 20, XMax: 76}, {Label: "green"}, {Label: "blue", XMin: 20, YMin: 67, XMax: 81, YMax: 91}} {
		got := boxes[i]
		if got.Label != want.Label || got.Score < 0.5 || got.Score > 1 {
			t.Errorf("word %d is %+v, want %+v", i, got, want)
		}
		if want.XMax == 0 {
			continue
		}
		for what, sides := range map[string][2]int{
			"left": {got.XMin, want.XMin}, "right": {got.XMax, want.XMax}, "top": {got.YMin, want.YMin}, "bottom": {got.YMax, want.YMax},
		} {
			near(t, want.Label+": "+what, float64(sides[0]), float64(sides[1]), 4)
		}
	}
}

// TestBrightWordsOnDarkButtonsAreRead uses a page whose other words are dark on white.
func TestBrightWordsOnDarkButtonsAreRead(t *testing.T) {
	t.Parallel()
	img := lettered(t, 16, 1400, 700, color.Black, color.White, "Billing settings", "Your plan has 25 seats.")
	for i, label := range []string{"Save changes", "Delete account"} {
		button := lettered(t, 16, 160, 40, color.White, color.NRGBA{37, 99, 235, 255}, label)
		draw.Draw(img, button.Rect.Add(image.Pt(100+220*i, 560)), button, image.Point{}, draw.Src)
	}
	got := done(t, "tesseract", args{"image": fileOf(plan.Image, writePNG(t, "page.png", img))}).Value
	for _, want := range []string{"Billing settings", "25 seats", "Save changes", "Delete account"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q was not read once in %q", want, got)
		}
	}
}

func TestPictureWithoutText(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	blank := writePNG(t, "blank.png", filled(300, 200, color.White))
	holds(t, refused(t, "tesseract", args{"image": fileOf(plan.Image, blank)}), "found no text")
	if out := done(t, "locate_text", args{"image": fileOf(plan.Image, blank)}); out.Value != "[]" {
		t.Errorf("found %s", out.Value)
	}
	photo, err := filepath.Abs("../../../bot/testdata/photo.jpg") // a house and a meadow, where tesseract sees letters
	if err != nil {
		t.Fatal(err)
	}
	out := done(t, "locate_text", args{"image": fileOf(plan.Image, photo)})
	if out.Value != "[]" {
		t.Errorf("found %s", out.Value)
	}
	holds(t, out.Note.String(), "found no text")
	holds(t, refused(t, "tesseract", args{"image": fileOf(plan.Image, blank), "language": "Georgian"}), "cannot read the language", "georgian")
	sound := clip(t, "sound.wav", append(lavfi("sine"), "-t", "1")...)
	holds(t, refused(t, "tesseract", args{"image": fileOf(plan.Image, sound)}), "a picture is needed")
}
