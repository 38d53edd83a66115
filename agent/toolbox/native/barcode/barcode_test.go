package barcode

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// qrOf draws a QR code of the given size in pixels.
func qrOf(t *testing.T, text string, side int) image.Image {
	t.Helper()
	bits, err := qrcode.NewQRCodeWriter().Encode(text, gozxing.BarcodeFormat_QR_CODE, side, side, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bits
}

func TestReadCode(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	code := media.ToNRGBA(qrOf(t, "https://example.org/menu?table=7", 300))
	if out := w.Do("read_code", nativetest.Args{"image": {w.Given("qr.png", code)}}); out.Value != "https://example.org/menu?table=7" {
		t.Errorf("got %q", out.Value)
	}
	photo := nativetest.Uniform(2400, 1800, color.NRGBA{170, 180, 150, 255})
	for y := range 300 {
		for x := range 300 { // grey on grey, rotated by a quarter turn
			c := color.NRGBA{60, 50, 40, 255}
			if code.NRGBAAt(x, y).R > 128 {
				c = color.NRGBA{220, 225, 230, 255}
			}
			photo.SetNRGBA(1500-y, 900+x, c)
		}
	}
	if out := w.Do("read_code", nativetest.Args{"image": {w.Given("photo.jpg", photo)}}); out.Value != "https://example.org/menu?table=7" {
		t.Errorf("in a photo: got %q", out.Value)
	}
	sheet := nativetest.Uniform(700, 400, color.NRGBA{255, 255, 255, 255})
	draw.Draw(sheet, image.Rect(20, 20, 320, 320), code, image.Point{}, draw.Src)
	draw.Draw(sheet, image.Rect(370, 60, 670, 360), qrOf(t, "second", 300), image.Point{}, draw.Src)
	if out := w.Do("read_code", nativetest.Args{"image": {w.Given("sheet.png", sheet)}}); len(strings.Split(out.Value, "\n")) != 2 || !strings.Contains(out.Value, "second") {
		t.Errorf("of two codes: %q", out.Value)
	}
	inverted := media.ToNRGBA(code)
	for i := range inverted.Pix {
		if i%4 != 3 {
			inverted.Pix[i] = 255 - inverted.Pix[i]
		}
	}
	if out := w.Do("read_code", nativetest.Args{"image": {w.Given("night.png", inverted)}}); out.Value == "" {
		t.Error("light on dark is not read")
	}
	dots := nativetest.Uniform(200, 200, color.NRGBA{255, 255, 255, 255}) // many look like corners of a code
	pattern := " #### ###    # #### # "
	for y := range 200 {
		for x := range 200 {
			if pattern[(y*200+x)%len(pattern)] == '#' {
				dots.SetNRGBA(x, y, color.NRGBA{0, 0, 0, 255})
			}
		}
	}
	w.Refused("read_code", nativetest.Args{"image": {w.Given("print.png", dots)}}, "no readable QR code")
	w.Refused("read_code", nativetest.Args{"image": {w.Given("plain.png", nativetest.Colourful(300, 200))}}, "no readable QR code")
}

func TestBarCodesAreReadAgain(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	for kind, c := range map[string]struct{ text, want string }{
		"code 128": {"Box 42-b", "Box 42-b"}, "code 39": {"shelf 7", "SHELF 7"}, "EAN-13": {"400638133393", "4006381333931"},
		"ean8": {"9638507", "96385074"}, "UPC": {"03600029145", "036000291452"},
	} {
		out := w.Do("make_bar_code", nativetest.Args{"text": {nativetest.Text(c.text)}, "kind": {nativetest.Text(kind)}})
		made := nativetest.Args{"image": {w.Given(strings.ReplaceAll(kind, " ", "")+".png", w.Read(out).Image)}}
		if got := w.Do("read_code", made).Value; got != c.want && got != "0"+c.want { // a UPC code is an EAN code with a leading zero
			t.Errorf("%s: %q is read as %q, want %q", kind, c.text, got, c.want)
		}
		if said := out.About.String(); !strings.Contains(said, c.want) {
			t.Errorf("%s: %q", kind, said)
		}
	}
	w.Refused("make_bar_code", nativetest.Args{"text": {nativetest.Text("12")}, "kind": {nativetest.Text("ean13")}}, "12 digits")
	w.Refused("make_bar_code", nativetest.Args{"text": {nativetest.Text("字")}}, "QR code")
	w.Refused("make_bar_code", nativetest.Args{"text": {nativetest.Text(" ")}}, "what the bar code")
	w.Refused("make_bar_code", nativetest.Args{"text": {nativetest.Text(strings.Repeat("x", 100))}}, "at most 80")
}

// FuzzDecode: no picture causes a panic.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x00\xff\x00\xff"), uint8(21))
	f.Fuzz(func(t *testing.T, pixels []byte, side uint8) {
		size := int(side)%32 + 1 // larger ones take long
		img := image.NewNRGBA(image.Rect(0, 0, size, size))
		for i := range img.Pix {
			img.Pix[i] = 255
			if len(pixels) > 0 && i%4 != 3 {
				img.Pix[i] = pixels[i/4%len(pixels)]
			}
		}
		if _, err := decode(context.Background(), img); err != nil {
			t.Error(err)
		}
	})
}
