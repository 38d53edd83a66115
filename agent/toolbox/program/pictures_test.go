package program

import (
	"image"
	"image/color"
	"path/filepath"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/slow"
)

// TestUnusualPictures covers pictures with more colours, more bits, several pictures or no background. Each
// becomes a video, and OCR finds no text in it.
func TestUnusualPictures(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	other := func(name string) string { return filepath.Join("..", "media", "metadata", "testdata", name) }
	for name, path := range map[string]string{
		"CMYK": other("picture-cmyk.jpg"), "16 bits": other("picture-16bit.png"),
		"an animated PNG": other("picture-animated.png"),
		"alpha":           writePNG(t, "alpha.png", filled(32, 24, color.NRGBA{R: 255, A: 100})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			absolute, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			picture := args{"image": fileOf(plan.Image, absolute)}
			out := done(t, "image_to_video", picture)
			if a := playable(t, out.Path); a.codecs() != "video:h264" {
				t.Errorf("it is %s", a.codecs())
			}
			holds(t, out.Note.String(), "Nothing in the picture moves")
			holds(t, refused(t, "tesseract", picture), "found no text")
		})
	}
	moving := args{"image": fileOf(plan.Image, clip(t, "moving.gif", append(lavfi("testsrc=size=32x24:rate=5:duration=1"), "-loop", "0")...))}
	holds(t, refused(t, "image_to_video", moving), "already animated")
	holds(t, refused(t, "tesseract", moving), "found no text")
	webp, err := filepath.Abs(other("picture-animated.webp"))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, refused(t, "image_to_video", args{"image": fileOf(plan.Image, webp)}), "already animated")
	still := fileOf(plan.Image, writePNG(t, "still.png", filled(32, 24, color.NRGBA{R: 255, A: 255})))
	holds(t, refused(t, "image_to_video", args{"image": still, "without": "people"}), "nothing in it can be left out")
	holds(t, refused(t, "image_to_video", args{"image": still, "results": "3 versions"}), "there are no other versions")
}

// TestEdges checks borders in percent of the shorter side, and how far corners are rounded by default.
func TestEdges(t *testing.T) {
	t.Parallel()
	blue := fileOf(plan.Image, writePNG(t, "blue.png", filled(900, 400, color.NRGBA{B: 255, A: 255})))
	made := func(tool string, given args) *image.NRGBA {
		out, err := perform(t, tool, given)
		if err != nil {
			t.Fatal(err)
		}
		return media.ToNRGBA(readPicture(t, out.Path))
	}
	framed := made("add_border", args{"image": blue, "share": "5%", "colour": "white"})
	if size := framed.Rect.Size(); size != image.Pt(940, 440) {
		t.Errorf("with a border of 5%% it has %v pixels", size)
	}
	looks(t, framed, 10, 200, "white")
	looks(t, framed, 30, 200, "blue")
	rounded := made("round_corners", args{"image": blue})
	if rounded.NRGBAAt(0, 0).A != 0 || rounded.NRGBAAt(11, 0).A < 200 || rounded.NRGBAAt(5, 5).A < 200 {
		t.Error("its corners are not rounded by 10 pixels")
	}
}

// TestHEIC checks that the file is HEIC by its bytes, and reads back as the original picture.
func TestHEIC(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"even": {64, 48}, "odd": {37, 23}, "one pixel": {1, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := color.NRGBA{R: 200, G: 40, B: 90, A: 255}
			out, err := perform(t, "write_heic", args{"image": fileOf(plan.Image, writePNG(t, "a.png", filled(size[0], size[1], want)))})
			if err != nil {
				t.Fatal(err)
			}
			p, err := media.ReadPicture(t.Context(), out.Path, media.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if p.Info.MIME != "image/heic" || p.Info.Width != size[0] || p.Info.Height != size[1] {
				t.Errorf("it is %+v", p.Info)
			}
			r, g, b, _ := p.Image.At(0, 0).RGBA()
			near(t, "red", float64(r>>8), float64(want.R), 4)
			near(t, "green", float64(g>>8), float64(want.G), 4)
			near(t, "blue", float64(b>>8), float64(want.B), 4)
		})
	}
	moving := fileOf(plan.Image, clip(t, "moving.gif", append(lavfi("testsrc=size=32x24:rate=5:duration=1"), "-loop", "0")...))
	out, err := perform(t, "write_heic", args{"image": moving})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, out.Note.String(), "Only the first frame")
}

// TestQRCodeIsReadBack checks the content of codes, in each colour and size.
func TestQRCodeIsReadBack(t *testing.T) {
	t.Parallel()
	for _, given := range []args{
		{"text": "https://example.org/menu?table=7&day=5"}, {"text": "-o /etc/x\n@y {z} %d \"Łódź\""}, {"text": "red", "colour": "red", "size": "600 px"},
		{"text": strings.Repeat("a long text ", 20), "colour": "dark blue"}, {"text": strings.Repeat("a long text ", 20), "size": "154 px"}, {"text": strings.Repeat("a long text ", 20), "size": "138 px"},
	} {
		out, err := runCommand(t, toolOf(t, "make_qr_code"), given)
		if err != nil {
			t.Fatal(err)
		}
		p, err := media.ReadPicture(t.Context(), out.Path, media.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		bitmap, err := gozxing.NewBinaryBitmapFromImage(p.Image)
		if err != nil {
			t.Fatal(err)
		}
		got, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
		if err != nil || got.GetText() != given["text"] {
			t.Errorf("%v: it says %v, %v", given, got, err)
		}
	}
	_, err := runCommand(t, toolOf(t, "make_qr_code"), args{"text": strings.Repeat("a long text ", 20), "size": "64 px"})
	holds(t, plan.Sentence(err, plan.Message{}).String(), "cannot be scanned at 64 pixels; ask for 138 or more")
}

// TestGroundOfTransparentPictures: where a picture is fitted into a shape with a colour, its transparent parts have that
// colour too.
func TestGroundOfTransparentPictures(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	nothing := clip(t, "nothing.png", append(lavfi("color=red@0.0:size=40x40:duration=1:rate=1,format=rgba"), "-frames:v", "1")...)
	for run, set := range map[string]args{"pad_image": {"shape": "2:1"}, "change_canvas": {"size": "90x60"}} {
		set["image"], set["colour"] = fileOf(plan.Image, nothing), "#0A64C8"
		out, err := perform(t, run, set)
		if err != nil {
			t.Fatal(err)
		}
		img := readPicture(t, out.Path)
		for _, at := range []image.Point{{2, 2}, img.Bounds().Max.Div(2)} {
			got := color.NRGBAModel.Convert(img.At(at.X, at.Y)).(color.NRGBA) //nolint:errcheck,forcetypeassert // the model's
			if want := (color.NRGBA{0x0a, 0x64, 0xc8, 255}); got != want {
				t.Errorf("%s: %v is %v, want %v", run, at, got, want)
			}
		}
	}
}

// TestLooksKeepTransparency checks that what cannot be seen of a picture cannot be seen of its sketch either.
func TestLooksKeepTransparency(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 64 {
			img.SetNRGBA(x, y, color.NRGBA{R: uint8(4 * x), G: uint8(5 * y), B: 90, A: uint8(min(255, 8*max(0, x-16)))})
		}
	}
	path := writePNG(t, "clear.png", img)
	for _, look := range []string{"sketch", "poster", "emboss"} {
		out, err := runCommand(t, toolOf(t, "stylize_picture"), args{"image": fileOf(plan.Image, path), "look": look})
		if err != nil {
			t.Fatal(err)
		}
		made := readPicture(t, out.Path)
		for x := range 64 {
			if _, _, _, a := made.At(x, 24).RGBA(); uint8(a>>8) != img.NRGBAAt(x, 24).A {
				t.Fatalf("%s: the opacity at %d is %d, not %d", look, x, a>>8, img.NRGBAAt(x, 24).A)
			}
		}
	}
}
