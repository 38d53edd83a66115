package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// uniformWebP is a lossless WebP of one colour: its codes have one symbol each, so the pixels need no bits.
func uniformWebP(w, h int, c color.NRGBA) []byte {
	var bits uint64
	var n int
	data := []byte{0x2F}
	put := func(v, width int) {
		bits |= uint64(v) << n
		for n += width; n >= 8; n -= 8 {
			data = append(data, byte(bits))
			bits >>= 8
		}
	}
	put(w-1, 14)
	put(h-1, 14)
	put(1, 1) // transparency is used
	put(0, 3+3)
	for _, symbol := range []uint8{c.G, c.R, c.B, c.A} {
		put(1, 1) // a simple code
		put(0, 1) // of one symbol
		put(1, 1) // of eight bits
		put(int(symbol), 8)
	}
	put(1, 4) // distances: a simple code with one 1-bit symbol, 0
	put(0, 8)
	body := binary.LittleEndian.AppendUint32([]byte("WEBPVP8L"), uint32(len(data)))
	body = append(body, data...)
	if len(data)%2 == 1 {
		body = append(body, 0)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// animatedWebP has two frames of 3 × 2 pixels at (2, 4) on a canvas of 5 × 6.
func animatedWebP(c color.NRGBA) []byte {
	frame := append([]byte("\x01\x00\x00\x02\x00\x00\x02\x00\x00\x01\x00\x00\x64\x00\x00\x00"), uniformWebP(3, 2, c)[12:]...)
	chunk := binary.LittleEndian.AppendUint32([]byte("ANMF"), uint32(len(frame)))
	chunk = append(chunk, frame...)
	body := []byte("WEBPVP8X\x0a\x00\x00\x00\x12\x00\x00\x00\x04\x00\x00\x05\x00\x00ANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	body = append(append(body, chunk...), chunk...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func decode(t *testing.T, name string, content []byte) *image.NRGBA {
	t.Helper()
	img, err := DecodeImage(t.Context(), store(t, name, content), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// near reports whether two colours differ by no more than JPEG's losses.
func near(a, b color.NRGBA, by int) bool {
	d := func(x, y uint8) bool { return int(x)-int(y) <= by && int(y)-int(x) <= by }
	return d(a.R, b.R) && d(a.G, b.G) && d(a.B, b.B) && d(a.A, b.A)
}

// exif is an EXIF structure with only the orientation.
func exifWith(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, orientation)
	b = order.AppendUint16(b, 0)
	return order.AppendUint32(b, 0)
}

func withEXIF(jpeg, exif []byte) []byte {
	segment := append([]byte("Exif\x00\x00"), exif...)
	out := append(bytes.Clone(jpeg[:2]), 0xFF, 0xE1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(segment)+2))
	return append(append(out, segment...), jpeg[2:]...)
}

// withChunk inserts a chunk after a PNG's header.
func withChunk(png []byte, kind string, body []byte) []byte {
	const header = 8 + 25
	chunk := append([]byte(kind), body...)
	out := binary.BigEndian.AppendUint32(bytes.Clone(png[:header]), uint32(len(body)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, png[header:]...)
}

func TestPicturesAreUprightAsPeopleSeeThem(t *testing.T) {
	t.Parallel()
	src := quarters(48, 32)
	const w, h = 48, 32
	// By orientation, the stored position of the pixel at (x, y) of the upright picture.
	stored := map[uint16]func(x, y int) (int, int){
		1: func(x, y int) (int, int) { return x, y },
		2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, h - 1 - x },
		7: func(x, y int) (int, int) { return w - 1 - y, h - 1 - x },
		8: func(x, y int) (int, int) { return w - 1 - y, x },
	}
	plainJPEG, plainPNG := jpegOf(t, src), pngOf(t, src)
	for o, from := range stored {
		for name, content := range map[string][]byte{
			"little.jpg": withEXIF(plainJPEG, exifWith(binary.LittleEndian, o)),
			"big.jpg":    withEXIF(plainJPEG, exifWith(binary.BigEndian, o)),
			"chunk.png":  withChunk(plainPNG, "eXIf", exifWith(binary.BigEndian, o)),
		} {
			img := decode(t, name, content)
			want := image.Rect(0, 0, w, h)
			if o >= 5 {
				want = image.Rect(0, 0, h, w)
			}
			if img.Rect != want {
				t.Fatalf("%s, orientation %d: the bounds are %v, want %v", name, o, img.Rect, want)
			}
			for _, p := range []image.Point{{3, 3}, {want.Max.X - 4, 3}, {3, want.Max.Y - 4}, {want.Max.X - 4, want.Max.Y - 4}} {
				x, y := from(p.X, p.Y)
				if got, want := img.NRGBAAt(p.X, p.Y), src.NRGBAAt(x, y); !near(got, want, 12) {
					t.Errorf("%s, orientation %d at %v: %v, want %v", name, o, p, got, want)
				}
			}
		}
	}
	for _, odd := range []uint16{0, 9, 0xFFFF} {
		if img := decode(t, "odd.jpg", withEXIF(plainJPEG, exifWith(binary.LittleEndian, odd))); img.Rect != src.Rect {
			t.Errorf("orientation %d turned the picture", odd)
		}
	}
}

func TestWrittenFilesHaveNoMetadata(t *testing.T) {
	t.Parallel()
	secret := append(exifWith(binary.LittleEndian, 6), "latitude 48.2, taken by Ada"...)
	img := decode(t, "a.jpg", withEXIF(jpegOf(t, quarters(40, 20)), secret))
	for _, f := range []Format{PNG, JPEG, GIF, BMP, TIFF} {
		path := filepath.Join(t.TempDir(), "out."+string(f))
		if err := EncodeImage(t.Context(), path, img, f); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("Ada")) || bytes.Contains(b, []byte("Exif")) {
			t.Errorf("%s: the metadata are still there", f)
		}
		again, err := ReadPicture(t.Context(), path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if again.Image.Rect != image.Rect(0, 0, 20, 40) || again.Info.Ext != "."+string(f) {
			t.Errorf("%s: read back as %+v", f, again.Info)
		}
		if got, want := again.Image.NRGBAAt(3, 3), img.NRGBAAt(3, 3); !near(got, want, 8) {
			t.Errorf("%s: the corner is %v, want %v", f, got, want)
		}
		if err := EncodeImage(t.Context(), path, img, f); err == nil {
			t.Errorf("%s: a file that is there was overwritten", f)
		}
	}
}

func TestUncommonPixels(t *testing.T) {
	t.Parallel()
	deep := image.NewNRGBA64(image.Rect(0, 0, 4, 4))
	draw.Draw(deep, deep.Rect, image.NewUniform(color.NRGBA64{0x1234, 0x8000, 0xFFFF, 0xFFFF}), image.Point{}, draw.Src)
	if got, want := decode(t, "deep.png", pngOf(t, deep)).NRGBAAt(1, 1), (color.NRGBA{0x12, 0x80, 0xFF, 0xFF}); got != want {
		t.Errorf("16 bits: %v, want %v", got, want)
	}
	thin := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	thin.SetNRGBA(1, 1, color.NRGBA{200, 100, 50, 10})
	if got, want := decode(t, "clear.png", pngOf(t, thin)).NRGBAAt(1, 1), (color.NRGBA{200, 100, 50, 10}); got != want {
		t.Errorf("nearly transparent: %v, want %v", got, want)
	}
	cmyk := image.NewCMYK(image.Rect(0, 0, 4, 4))
	draw.Draw(cmyk, cmyk.Rect, image.NewUniform(color.CMYK{0, 255, 255, 0}), image.Point{}, draw.Src)
	if got, want := ToNRGBA(cmyk).NRGBAAt(2, 2), (color.NRGBA{255, 0, 0, 255}); got != want {
		t.Errorf("CMYK: %v, want %v", got, want)
	}
	web := decode(t, "web.webp", uniformWebP(7, 5, color.NRGBA{10, 20, 30, 40}))
	if got, want := web.NRGBAAt(6, 4), (color.NRGBA{10, 20, 30, 40}); web.Rect != image.Rect(0, 0, 7, 5) || got != want {
		t.Errorf("WebP: %v of %v, want %v", got, web.Rect, want)
	}
}

func TestFirstFrameOfAnimation(t *testing.T) {
	t.Parallel()
	red, blue := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}
	frame := func(r image.Rectangle, c color.Color) *image.Paletted {
		p := image.NewPaletted(r, color.Palette{c})
		return p
	}
	moving := encoded(t, func(w io.Writer) error {
		return gif.EncodeAll(w, &gif.GIF{
			Image:  []*image.Paletted{frame(image.Rect(2, 1, 5, 4), red), frame(image.Rect(0, 0, 8, 6), blue)},
			Delay:  []int{5, 5},
			Config: image.Config{Width: 8, Height: 6, ColorModel: color.Palette{red, blue}},
		})
	})
	p, err := ReadPicture(t.Context(), store(t, "moving.gif", moving), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Info.Frames != 2 || p.Info.Width != 8 || p.Info.Height != 6 {
		t.Errorf("got %+v", p.Info)
	}
	if p.Image.NRGBAAt(3, 2) != red || p.Image.NRGBAAt(0, 0).A != 0 {
		t.Errorf("the first frame is %v inside and %v outside", p.Image.NRGBAAt(3, 2), p.Image.NRGBAAt(0, 0))
	}

	p, err = ReadPicture(t.Context(), store(t, "moving.webp", animatedWebP(blue)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Info.Frames != 2 || p.Info.Width != 5 || p.Info.Height != 6 {
		t.Errorf("got %+v", p.Info)
	}
	if p.Image.NRGBAAt(2, 4) != blue || p.Image.NRGBAAt(4, 5) != blue || p.Image.NRGBAAt(1, 4).A != 0 {
		t.Error("the WebP's first frame is not where it belongs")
	}
}

func TestBadProfilesDoNotSpoilThePicture(t *testing.T) {
	t.Parallel()
	plain := pngOf(t, quarters(16, 16))
	big := make([]byte, 132+12)
	binary.BigEndian.PutUint32(big[128:], 1)
	binary.BigEndian.PutUint32(big[140:], math.MaxUint32) // an entry of 4 GB
	for name, profile := range map[string][]byte{"none": {}, "short": make([]byte, 50), "huge entry": big, "many": bytes.Repeat([]byte{255}, 200)} {
		if saneProfile(profile) {
			t.Errorf("%s: the profile counts as sane", name)
		}
		img, err := toSRGB(t.Context(), quarters(16, 16), profile)
		if err != nil {
			t.Fatal(err)
		}
		if got := img.NRGBAAt(1, 1); got != (color.NRGBA{220, 30, 30, 255}) {
			t.Errorf("%s: the colour became %v", name, got)
		}
	}
	if got := decode(t, "a.png", withChunk(plain, "iCCP", []byte("x\x00\x00not zlib"))).NRGBAAt(1, 1); got != (color.NRGBA{220, 30, 30, 255}) {
		t.Errorf("the colour became %v", got)
	}
}

func quantised(t *testing.T, img image.Image) *image.Paletted {
	t.Helper()
	p, err := Quantise(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestQuantise(t *testing.T) {
	t.Parallel()
	few := quarters(20, 20)
	few.SetNRGBA(0, 0, color.NRGBA{})
	if diff := cmp.Diff(few.Pix, ToNRGBA(quantised(t, few)).Pix); diff != "" {
		t.Errorf("few colours are not kept as they are: %s", diff)
	}
	random := rand.New(rand.NewPCG(3, 4))
	many := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range many.Pix {
		many.Pix[i] = uint8(random.IntN(256))
		if i%4 == 3 {
			many.Pix[i] = 255
		}
	}
	p := quantised(t, many)
	if len(p.Palette) > 256 || len(p.Palette) < 200 {
		t.Errorf("there are %d colours", len(p.Palette))
	}
	back, off := ToNRGBA(p), 0
	for i := range many.Pix {
		off += int(math.Abs(float64(many.Pix[i]) - float64(back.Pix[i])))
	}
	if mean := float64(off) / float64(len(many.Pix)); mean > 30 {
		t.Errorf("the colours differ by %.1f on average", mean)
	}
	empty := quantised(t, image.NewNRGBA(image.Rect(0, 0, 3, 3)))
	if _, _, _, a := empty.At(1, 1).RGBA(); a != 0 {
		t.Error("a transparent picture is not transparent")
	}
}

func TestFormatNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Format{"png": PNG, "jpeg": JPEG, "jfif": JPEG, "tif": TIFF, "gif": GIF, "bmp": BMP, "webp": WebP, "avif": AVIF, "ico": ICO} {
		if got, ok := FormatNamed(name); !ok || got != want {
			t.Errorf("FormatNamed(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
	if got, ok := FormatNamed("heic"); ok {
		t.Errorf("HEIC can be written as %q", got)
	}
	for ext, want := range map[string]Format{".webp": WebP, ".AVIF": AVIF, ".heic": JPEG, ".heif": JPEG, ".ico": PNG, ".xyz": PNG, "": PNG} {
		if got := FormatFor(ext); got != want {
			t.Errorf("FormatFor(%q) = %q, want %q", ext, got, want)
		}
	}
}

func TestReadShot(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 3, 2)), nil); err != nil {
		t.Fatal(err)
	}
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08" + "\x00\x01" + // one tag, the model
		"\x01\x10\x00\x02\x00\x00\x00\x0D\x00\x00\x00\x1A" + "\x00\x00\x00\x00" + "Canon EOS R5\x00")
	segment := binary.BigEndian.AppendUint16([]byte("\xFF\xE1"), uint16(len(exif)+2))
	path := filepath.Join(t.TempDir(), "photo.jpg")
	all := append(append(append([]byte("\xFF\xD8"), segment...), exif...), photo.Bytes()[2:]...)
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadShot(t.Context(), path, Limits{}); err != nil || got.Camera != "Canon EOS R5" {
		t.Errorf("got %+v and %v", got, err)
	}
	if _, err := ReadShot(t.Context(), filepath.Join(t.TempDir(), "none.jpg"), Limits{}); err == nil {
		t.Error("a file that does not exist is read")
	}
}
