package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/image/webp"

	"atelier/agent/toolbox/slow"
)

// photo is the photo used by the examples.
func photo(t *testing.T) *image.NRGBA {
	t.Helper()
	img, err := DecodeImage(t.Context(), filepath.Join("..", "..", "..", "bot", "testdata", "photo.jpg"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// differing returns the mean difference of two pictures of the same size, of 255. For transparent
// pixels only alpha counts.
func differing(t *testing.T, a, b *image.NRGBA) float64 {
	t.Helper()
	if a.Rect != b.Rect {
		t.Fatalf("the bounds are %v and %v", a.Rect, b.Rect)
	}
	sum := 0.0
	for i, v := range a.Pix {
		if i%4 != 3 && a.Pix[i|3] == 0 {
			continue
		}
		sum += math.Abs(float64(v) - float64(b.Pix[i]))
	}
	return sum / float64(len(a.Pix))
}

func write(t *testing.T, img image.Image, f Format) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made."+string(f))
	if err := EncodeImage(t.Context(), path, img, f); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	whole := photo(t)
	disc := image.NewNRGBA(image.Rect(0, 0, 90, 60)) // a disc on a transparent background
	for y := range 60 {
		for x := range 90 {
			if d := math.Hypot(float64(x-45), float64(y-30)); d < 25 {
				disc.SetNRGBA(x, y, color.NRGBA{uint8(4 * x / 2), uint8(4 * y), 90, uint8(min(255, 20*(25-d)))})
			}
		}
	}
	for _, c := range []struct {
		name  string
		img   *image.NRGBA
		f     Format
		mime  string
		most  float64
		bytes int64 // maximum
	}{
		{"a photo", whole, WebP, "image/webp", 4, 120_000},
		{"a photo", whole, AVIF, "image/avif", 4, 90_000},
		{"a photo", whole, JXL, "image/jxl", 4, 120_000},
		{"what is transparent", disc, WebP, "image/webp", 0.2, 20_000},
		{"what is transparent", disc, AVIF, "image/avif", 4, 20_000},
		{"what is transparent", disc, JXL, "image/jxl", 4, 20_000},
		{"what is transparent", onSquare(disc), ICO, "image/x-icon", 0, 20_000},
		{"an odd size", quarters(37, 23), WebP, "image/webp", 8, 5_000},
		{"an odd size", quarters(37, 23), AVIF, "image/avif", 8, 5_000},
		{"an odd size", quarters(37, 23), JXL, "image/jxl", 8, 5_000},
		{"one pixel", quarters(1, 1), WebP, "image/webp", 255, 1_000},
		{"one pixel", quarters(1, 1), AVIF, "image/avif", 255, 1_000},
		{"one pixel", quarters(1, 1), JXL, "image/jxl", 255, 1_000},
	} {
		path := write(t, c.img, c.f)
		p, err := ReadPicture(t.Context(), path, Limits{})
		if err != nil {
			t.Errorf("%s as %s: %v", c.name, c.f, err)
			continue
		}
		if p.Info.MIME != c.mime || p.Info.Ext != "."+string(c.f) || p.Info.Frames != 1 || p.Turned {
			t.Errorf("%s as %s: %+v", c.name, c.f, p.Info)
		}
		if d := differing(t, c.img, p.Image); d > c.most {
			t.Errorf("%s as %s differs by %.2f", c.name, c.f, d)
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() > c.bytes {
			t.Errorf("%s as %s has %d bytes, %v", c.name, c.f, info.Size(), err)
		}
		if w := Weigh(path, Limits{}); w.Pixels() != int64(c.img.Rect.Dx()*c.img.Rect.Dy()) {
			t.Errorf("%s as %s: %d pixels", c.name, c.f, w.Pixels())
		}
		said, err := Describe(t.Context(), path, Limits{})
		if err != nil || said != p.Info {
			t.Errorf("%s as %s is described as %+v, %v", c.name, c.f, said, err)
		}
	}
}

func TestWorseQualityIsSmaller(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	img := photo(t)
	for _, f := range []Format{JPEG, WebP, AVIF, JXL} {
		before := int64(math.MaxInt64)
		for _, quality := range []int{90, 66, 50, 10} {
			path := filepath.Join(t.TempDir(), "made")
			if err := EncodeLossy(t.Context(), path, img, f, quality); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Size() >= before {
				t.Errorf("%s in quality %d has %d bytes, and %d in the one above; %v", f, quality, info.Size(), before, err)
			}
			before = info.Size()
		}
	}
}

// onSquare centres a picture on a transparent square.
func onSquare(img *image.NRGBA) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	square := image.NewNRGBA(image.Rect(0, 0, max(w, h), max(w, h)))
	draw.Draw(square, img.Rect.Add(image.Pt((max(w, h)-w)/2, (max(w, h)-h)/2)), img, image.Point{}, draw.Src)
	return square
}

func TestIconsAreSmallAndSquare(t *testing.T) {
	t.Parallel()
	for size, want := range map[image.Point]image.Point{
		{640, 426}: {256, 256}, {256, 256}: {256, 256}, {300, 900}: {256, 256}, {3000, 2}: {256, 256}, {16, 16}: {16, 16}, {100, 60}: {100, 100},
	} {
		img, err := DecodeImage(t.Context(), write(t, quarters(size.X, size.Y), ICO), Limits{})
		if err != nil || img.Rect.Size() != want {
			t.Errorf("an icon of %v: %v, want %v", size, img.Rect, want)
		}
	}
}

func TestWebPHasALongestSide(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.webp")
	wantFault(t, EncodeImage(t.Context(), path, image.NewNRGBA(image.Rect(0, 0, 16384, 1)), WebP), "16383", "16384 × 1")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was left")
	}
}

func TestJPEGXLHasMostPixels(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "large.jxl")
	wantFault(t, EncodeImage(t.Context(), path, image.NewNRGBA(image.Rect(0, 0, 5001, 4000)), JXL), "at most 20 million", "5001 × 4000")
}

// TestTurnedPicturesAreUpright: turned.heic is stored as 96 × 64, and turned.jxl, by cjxl, as 64 × 40.
// Both must be rotated clockwise by 90 degrees.
func TestTurnedPicturesAreUpright(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mime   string
		size   image.Point
		points map[image.Point]color.NRGBA
	}{
		"turned.heic": {"image/heic", image.Pt(64, 96), map[image.Point]color.NRGBA{
			{5, 5}: {30, 40, 220, 255}, {58, 5}: {220, 30, 30, 255}, {5, 90}: {240, 240, 240, 255}, {58, 90}: {30, 200, 40, 255},
		}},
		"turned.jxl": {"image/jxl", image.Pt(40, 64), map[image.Point]color.NRGBA{
			{2, 2}: {0, 0, 255, 255}, {37, 2}: {255, 0, 0, 255}, {2, 61}: {255, 255, 0, 255}, {37, 61}: {0, 255, 0, 255},
		}},
	} {
		path := filepath.Join("testdata", name)
		p, err := ReadPicture(t.Context(), path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Info.MIME != c.mime || p.Image.Rect.Size() != c.size || p.Info.Width != c.size.X || p.Info.Height != c.size.Y || !p.Turned {
			t.Errorf("%s: %+v, %v", name, p.Info, p.Turned)
		}
		for at, want := range c.points {
			if got := p.Image.NRGBAAt(at.X, at.Y); !near(got, want, 12) {
				t.Errorf("%s at %v: %v, want %v", name, at, got, want)
			}
		}
		if said, err := Describe(t.Context(), path, Limits{}); err != nil || said != p.Info {
			t.Errorf("%s is described as %+v, %v", name, said, err)
		}
	}
}

// TestJPEGXLOfOthers reads our output with ffmpeg, and ffmpeg's output.
func TestJPEGXLOfOthers(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, args := range map[string][]string{
		"still.jxl": {"-frames:v", "1"}, "lossless.jxl": {"-frames:v", "1", "-distance", "0"}, "deep.jxl": {"-frames:v", "1", "-pix_fmt", "rgb48le"},
	} {
		path := filepath.Join(t.TempDir(), name)
		ffmpeg(t, slices.Concat([]string{"-f", "lavfi", "-i", "color=0x3080C0:size=122x76"}, args, []string{path})...)
		p, err := ReadPicture(t.Context(), path, Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := p.Image.NRGBAAt(60, 40), (color.NRGBA{0x30, 0x80, 0xC0, 255}); p.Image.Rect != image.Rect(0, 0, 122, 76) || !near(got, want, 4) {
			t.Errorf("%s: %v of %v, want %v", name, got, p.Image.Rect, want)
		}
	}
	whole := photo(t)
	back := filepath.Join(t.TempDir(), "back.png")
	ffmpeg(t, "-i", write(t, whole, JXL), back)
	p, err := ReadPicture(t.Context(), back, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if d := differing(t, whole, p.Image); d > 4 {
		t.Errorf("ffmpeg reads a picture that differs by %.2f", d)
	}
}

func heic(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "turned.heic"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBrands reads the same picture with the brands that different programs write.
func TestBrands(t *testing.T) {
	t.Parallel()
	for brand, mime := range map[string]string{"heic": "image/heic", "heix": "image/heic", "mif1": "image/heif"} {
		b := heic(t)
		copy(b[8:], brand)
		p, err := ReadPicture(t.Context(), store(t, "IMG_1.HEIC", b), Limits{})
		if err != nil || p.Info.MIME != mime || p.Image.Rect.Dx() != 64 {
			t.Errorf("%s: %+v, %v", brand, p.Info, err)
		}
	}
	small, err := os.ReadFile(write(t, quarters(20, 10), AVIF))
	if err != nil {
		t.Fatal(err)
	}
	copy(small[8:], "mif1")
	if info, err := Inspect(t.Context(), store(t, "a.heif", small), Limits{}); err != nil || info.MIME != "image/avif" {
		t.Errorf("an AVIF of another brand: %+v, %v", info, err)
	}
}

// declared returns the file with another size in its header.
func declared(t *testing.T, b []byte, values ...uint32) []byte {
	t.Helper()
	b = bytes.Clone(b)
	at := bytes.Index(b, []byte("ispe"))
	if at < 0 {
		t.Fatalf("there is no size")
	}
	for i, v := range values {
		binary.BigEndian.PutUint32(b[at+8+4*i:], v)
	}
	return b
}

func TestDamagedPicturesOfToday(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	small, err := os.ReadFile(write(t, photo(t), AVIF))
	if err != nil {
		t.Fatal(err)
	}
	jxl, err := os.ReadFile(write(t, photo(t), JXL))
	if err != nil {
		t.Fatal(err)
	}
	icon, err := os.ReadFile(write(t, quarters(32, 32), ICO))
	if err != nil {
		t.Fatal(err)
	}
	old := bytes.Clone(icon)
	copy(old[22:], "\x28\x00\x00\x00") // a bitmap header, after the file header and the directory entry
	for name, c := range map[string]struct {
		content []byte
		words   []string
	}{
		"half.avif":     {small[:len(small)/2], []string{"cut off or damaged"}},
		"head.avif":     {small[:60], []string{"cut off or damaged"}},
		"brand.avif":    {small[:28], []string{"cut off or damaged"}},
		"huge.avif":     {declared(t, small, 30_000, 30_000), []string{"too large a picture", "30000 × 30000"}},
		"larger.avif":   {declared(t, small, 1<<31, 1<<31), []string{"too large a picture"}},
		"empty.avif":    {declared(t, small, 0, 0), []string{"cut off or damaged"}},
		"half.heic":     {heic(t)[:500], []string{"cut off or damaged"}},
		"head.heic":     {heic(t)[:100], []string{"cut off or damaged"}},
		"huge.heic":     {declared(t, heic(t), 30_000, 20_000), []string{"too large a picture", "20000 × 30000"}},
		"unknown.heic":  {bytes.Replace(heic(t), []byte("hvcC"), []byte("xxxx"), 1), []string{"cut off or damaged"}},
		"half.jxl":      {jxl[:len(jxl)/2], []string{"cut off or damaged"}},
		"head.jxl":      {jxl[:14], []string{"cut off or damaged"}},
		"huge.jxl":      {[]byte("\xFF\x0A\xFE\xFF\xFF\xFF\x13"), []string{"too large a picture"}},
		"half.ico":      {icon[:len(icon)/2], []string{"cut off or damaged"}},
		"head.ico":      {icon[:10], []string{"cut off or damaged"}},
		"old.ico":       {old, []string{"an icon of an unusual kind"}},
		"nothing.ico":   {icon[:4:4], []string{"cut off or damaged"}},
		"sequence.heic": {[]byte("\x00\x00\x00\x18ftyphevc\x00\x00\x00\x00hevcmsf1"), []string{"a HEIC picture, which I do not support"}},
	} {
		_, err := Inspect(t.Context(), store(t, name, c.content), Limits{})
		wantFault(t, err, append(c.words, name)...)
	}
	_, err = Inspect(t.Context(), store(t, "wide.avif", small), Limits{Pixels: 1000})
	wantFault(t, err, "too large a picture")
}

// TestAnyByteMayBeWrong changes bytes of small files: each is either read or rejected.
func TestAnyByteMayBeWrong(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	small, err := os.ReadFile(write(t, quarters(20, 10), AVIF))
	if err != nil {
		t.Fatal(err)
	}
	jxl, err := os.ReadFile(write(t, quarters(20, 10), JXL))
	if err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string][]byte{"x.avif": small, "x.heic": heic(t), "x.jxl": jxl} {
		for at := 4; at < len(whole); at += 9 {
			b := bytes.Clone(whole)
			b[at] ^= 0xFF
			if _, err := Inspect(t.Context(), store(t, name, b), Limits{Pixels: 100_000}); err != nil {
				wantFault(t, err)
			}
		}
	}
}

// TestWritingStops cancels the writing of a large picture.
func TestWritingStops(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	large, err := Scaled(t.Context(), photo(t), 3000, 2000)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Format{WebP, AVIF, JXL} {
		write(t, quarters(4, 4), f) // one-time initialization
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer cancel()
		path := filepath.Join(t.TempDir(), "a."+string(f))
		began := time.Now()
		err := EncodeImage(ctx, path, large, f)
		wantFault(t, err, "stopped")
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it took %v to stop", f, took)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file was left", f)
		}
	}
}

// TestOthersReadOurWebP reads our output with an independent decoder.
func TestOthersReadOurWebP(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(write(t, photo(t), WebP))
	if err != nil {
		t.Fatal(err)
	}
	if cfg, err := webp.DecodeConfig(bytes.NewReader(b)); err != nil || cfg.Width != 640 {
		t.Errorf("%+v, %v", cfg, err)
	}
}
