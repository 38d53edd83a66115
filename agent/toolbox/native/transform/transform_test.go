package transform

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kovidgoyal/imaging"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// grain is a picture of noise, whose files shrink faster than their pixels.
func grain(side int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(100 + rng.IntN(60))
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

func TestFitUsesMostOfTheLimit(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	const limit = 40_000
	out := w.Do("fit_image_size", nativetest.Args{"image": {w.Given("grain.jpg", grain(1200))}, "limit": {nativetest.Text("40 kB")}})
	info, err := os.Stat(out.Path)
	if err != nil || info.Size() > limit || info.Size() < limit/2 {
		t.Errorf("the file has %d bytes (%v) of %d", info.Size(), err, limit)
	}
	if files, err := os.ReadDir(filepath.Dir(out.Path)); err != nil || len(files) != 1 {
		t.Errorf("%d files are left (%v), want one", len(files), err)
	}
}

func TestQuality(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	sizes := map[string]int64{}
	for _, quality := range []string{"90%", "30% quality"} {
		out := w.Do("convert_image", nativetest.Args{"image": {w.Given(quality[:2]+".png", grain(200))}, "format": {nativetest.Text("jpg")}, "quality": {nativetest.Text(quality)}})
		info, err := os.Stat(out.Path)
		if err != nil {
			t.Fatal(err)
		}
		sizes[quality] = info.Size()
	}
	if sizes["30% quality"]*2 > sizes["90%"] {
		t.Errorf("the files have %v bytes", sizes)
	}
	out := w.Do("convert_image", nativetest.Args{"image": {w.Given("grain.jpg", grain(20))}, "format": {nativetest.Text("png")}, "quality": {nativetest.Text("60")}})
	if out.Note.String() != "PNG is lossless, so it has no quality setting." {
		t.Errorf("the note is %q", out.Note)
	}
}

func TestCrispEdges(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := grain(6)
	p := w.Picture("resize_image", nativetest.Args{"image": {w.Given("sprite.png", src)}, "size": {nativetest.Text("8x")}, "edges": {nativetest.Text("keep the pixels crisp")}})
	for y := range 48 {
		for x := range 48 {
			if got, want := p.Image.NRGBAAt(x, y), src.NRGBAAt(x/8, y/8); got != want {
				t.Fatalf("(%d, %d) is %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestFitIsUnderTheLimit(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	photo := averaged(photo(w), 2)
	seethrough := nativetest.Colourful(300, 200)
	for i := 3; i < len(seethrough.Pix); i += 4 {
		seethrough.Pix[i] = uint8(i)
	}
	for _, c := range []struct {
		v     toolbox.Value
		said  string
		limit int64
		size  image.Point // zero means any smaller size
		was   image.Point
	}{
		{w.Given("photo.jpg", photo), "under 1 MB", 1e6, image.Pt(320, 213), image.Pt(320, 213)},
		{w.Given("again.jpg", photo), "12 kB", 12_000, image.Pt(320, 213), image.Pt(320, 213)},
		{w.Given("small.jpg", photo), "2kB", 2_000, image.Point{}, image.Pt(320, 213)},
		{w.Given("photo.png", photo), "20 kB", 20_000, image.Pt(320, 213), image.Pt(320, 213)},
		{w.Given("clear.png", seethrough), "20 kB", 20_000, image.Point{}, image.Pt(300, 200)},
		{w.Given("photo.webp", photo), "8 kB", 8_000, image.Pt(320, 213), image.Pt(320, 213)},
		{w.Given("small.webp", photo), "1 kB", 1_000, image.Point{}, image.Pt(320, 213)},
		{w.Given("clear.webp", seethrough), "20 kB", 20_000, image.Point{}, image.Pt(300, 200)},
		{w.Given("photo.avif", photo), "5 kB", 5_000, image.Pt(320, 213), image.Pt(320, 213)},
	} {
		out := w.Do("fit_image_size", nativetest.Args{"image": {c.v}, "limit": {nativetest.Text(c.said)}})
		info, err := os.Stat(out.Path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > c.limit {
			t.Errorf("%s, %s: the file has %d bytes", c.v.Name, c.said, info.Size())
		}
		p := w.Read(out)
		if ext := filepath.Ext(c.v.Path); (ext == ".webp" || ext == ".avif") && p.Info.Ext != ext {
			t.Errorf("%s, %s: it is a %s", c.v.Name, c.said, p.Info.MIME)
		}
		if c.size != (image.Point{}) && p.Image.Rect.Max != c.size {
			t.Errorf("%s, %s: the picture is %v, want %v", c.v.Name, c.said, p.Image.Rect.Max, c.size)
		}
		was, err := os.Stat(c.v.Path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.About.String(), "small enough already") != (was.Size() <= c.limit) {
			t.Errorf("%s, %s: of %d bytes it says %q", c.v.Name, c.said, was.Size(), out.About)
		}
		if p.Image.Rect.Max != c.was && out.Note.String() == "" {
			t.Errorf("%s, %s: it does not say that the picture became smaller", c.v.Name, c.said)
		}
		files, err := os.ReadDir(filepath.Dir(out.Path))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %d files are left (%v), want one", c.v.Name, len(files), err)
		}
	}
	w.Refused("fit_image_size", nativetest.Args{"image": {w.Given("x.jpg", photo)}, "limit": {nativetest.Text("20 bytes")}}, "20 bytes")
	w.Refused("fit_image_size", nativetest.Args{"image": {w.Given("y.jpg", photo)}, "limit": {nativetest.Text("small")}}, "8 MB")
}

// Processing in bands gives the same picture as processing it at once.
func TestScaledIsLanczos(t *testing.T) {
	t.Parallel()
	img := nativetest.Colourful(301, 203)
	for _, size := range []image.Point{{150, 100}, {301, 50}, {40, 203}, {500, 333}, {301, 203}, {1, 1}} {
		got, err := media.Scaled(t.Context(), img, size.X, size.Y)
		if err != nil {
			t.Fatal(err)
		}
		want := imaging.Clone(imaging.Resize(img, size.X, size.Y, imaging.Lanczos))
		if diff := cmp.Diff(want.Rect, got.Rect); diff != "" || nativetest.Difference(got, want) > 0.5 {
			t.Errorf("%v: %s, %.2f greys off", size, diff, nativetest.Difference(got, want))
		}
	}
}

// averaged shrinks a picture by averaging squares of side pixels, as an independent reference.
func averaged(img *image.NRGBA, side int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, img.Rect.Dx()/side, img.Rect.Dy()/side))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			for c := range 4 {
				sum := 0
				for dy := range side {
					for dx := range side {
						sum += int(img.Pix[(y*side+dy)*img.Stride+4*(x*side+dx)+c])
					}
				}
				out.Pix[y*out.Stride+4*x+c] = uint8((sum + side*side/2) / (side * side))
			}
		}
	}
	return out
}

func TestResizeIsTheAverageOfWhatWasThere(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	photo := photo(w)
	v := w.Given("photo.png", photo)
	for said, want := range map[string]*image.NRGBA{"half as large": averaged(photo, 2)} {
		p := w.Picture("resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text(said)}})
		if p.Image.Rect != want.Rect {
			t.Fatalf("%q makes %v, want %v", said, p.Image.Rect, want.Rect)
		}
		if d := nativetest.Difference(p.Image, want); d > 2.5 {
			t.Errorf("%q differs from the average by %.2f greys", said, d)
		}
		if p.Info.MIME != "image/png" {
			t.Errorf("a PNG became %s", p.Info.MIME)
		}
	}
}

func TestResizeSizes(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	v := w.Given("photo.jpg", nativetest.Colourful(120, 80))
	for said, want := range map[string]image.Point{
		"twice as big": {240, 160}, "a third": {40, 27}, "30x70": {30, 70}, "60 px wide": {60, 40}, "20 pixels high": {30, 20},
	} {
		p := w.Picture("resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text(said)}})
		if got := p.Image.Rect.Max; got != want {
			t.Errorf("%q makes %v, want %v", said, got, want)
		}
		if p.Info.Ext != ".jpg" {
			t.Errorf("a JPEG became %s", p.Info.Ext)
		}
	}
	w.Refused("resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text("nicely")}}, "nicely", "half as large", "800x600")
	w.Refused("resize_image", nativetest.Args{"image": {v}}, "half as large")
	w.Refused("resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text("90000x90000")}}, "90000 × 90000", "smaller")
	w.Refused("resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text("1000 times as large")}}, "million")
}

func TestResizeTellsOfStretching(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	v := w.Given("photo.jpg", nativetest.Colourful(120, 80))
	for said, stretched := range map[string]bool{"60x60": true, "60x40": false, "60x41": false, "60 px wide": false, "half as large": false} {
		out := w.Do("resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text(said)}})
		if got := strings.Contains(out.Note.String(), "stretched"); got != stretched {
			t.Errorf("%q: the note is %q", said, out.Note)
		}
	}
}

func TestUpscaleSaysThatItIsApproximate(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	v := w.Given("a.png", nativetest.Uniform(20, 10, color.NRGBA{10, 200, 30, 255}))
	for said, want := range map[string]image.Point{"": {40, 20}, "4x": {80, 40}, "three times": {60, 30}} {
		a := nativetest.Args{"image": {v}}
		if said != "" {
			a["factor"] = []toolbox.Value{nativetest.Text(said)}
		}
		out := w.Do("upscale_image", a)
		if out.Note.String() == "" {
			t.Error("it does not say that it is approximate")
		}
		w.Same(w.Read(out).Image, want.X, want.Y, func(int, int) color.NRGBA { return color.NRGBA{10, 200, 30, 255} })
	}
	w.Refused("upscale_image", nativetest.Args{"image": {v}, "factor": {nativetest.Text("half")}}, "at least 100%")
	w.Refused("upscale_image", nativetest.Args{"image": {v}, "factor": {nativetest.Text("10 px wide")}}, "larger")
}

func TestThumbnail(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	v := w.Given("a.png", nativetest.Colourful(300, 150))
	for said, want := range map[string]image.Point{
		"": {256, 128}, "128 pixels": {128, 64}, "64x64": {64, 32}, "5000 px": {300, 150},
	} {
		a := nativetest.Args{"image": {v}}
		if said != "" {
			a["size"] = []toolbox.Value{nativetest.Text(said)}
		}
		if got := w.Picture("make_thumbnail", a).Image.Rect.Max; got != want {
			t.Errorf("%q makes %v, want %v", said, got, want)
		}
	}
}

func TestTurnsAndFlipsAreExact(t *testing.T) {
	t.Parallel()
	const width, height = 31, 17
	src := nativetest.Colourful(width, height)
	w := nativetest.New(t, Operations(media.Limits{}))
	v := w.Given("a.png", src)
	at := src.NRGBAAt
	for _, c := range []struct {
		op, arg, said string
		turned        bool // whether width and height are swapped
		want          func(x, y int) color.NRGBA
	}{
		{"rotate_image", "", "", true, func(x, y int) color.NRGBA { return at(y, height-1-x) }},
		{"rotate_image", "angle", "90 degrees", true, func(x, y int) color.NRGBA { return at(y, height-1-x) }},
		{"rotate_image", "angle", "to the left", true, func(x, y int) color.NRGBA { return at(width-1-y, x) }},
		{"rotate_image", "angle", "upside down", false, func(x, y int) color.NRGBA { return at(width-1-x, height-1-y) }},
		{"rotate_image", "angle", "a full turn", false, at},
		{"flip_image", "", "", false, func(x, y int) color.NRGBA { return at(width-1-x, y) }},
		{"flip_image", "direction", "vertically", false, func(x, y int) color.NRGBA { return at(x, height-1-y) }},
		{"flip_image", "direction", "both ways", false, func(x, y int) color.NRGBA { return at(width-1-x, height-1-y) }},
	} {
		a := nativetest.Args{"image": {v}}
		if c.arg != "" {
			a[c.arg] = []toolbox.Value{nativetest.Text(c.said)}
		}
		gotW, gotH := width, height
		if c.turned {
			gotW, gotH = height, width
		}
		w.Same(w.Picture(c.op, a).Image, gotW, gotH, c.want)
	}
	w.Refused("rotate_image", nativetest.Args{"image": {v}, "angle": {nativetest.Text("nicely")}}, "90 degrees", "left")
	w.Refused("flip_image", nativetest.Args{"image": {v}, "direction": {nativetest.Text("nicely")}}, "vertical")
}

// TestUpright: the orientation is only known if the camera stored it.
func TestUpright(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	v := w.Given("a.jpg", nativetest.Colourful(32, 16))
	angle := nativetest.Args{"image": {v}, "angle": {nativetest.Text("so that it is upright")}}
	w.Refused("rotate_image", angle, "left", "right", "upside down")
	plain, err := os.ReadFile(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	// EXIF with orientation 6: the picture is stored rotated to the left.
	noted := slices.Concat(plain[:2], []byte("\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"), plain[2:])
	if err := os.WriteFile(filepath.Join(w.Dir, "a.jpg"), noted, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.Picture("rotate_image", angle); got.Info.Width != 16 || got.Info.Height != 32 || got.Turned {
		t.Errorf("the picture is %d×%d, turned: %t", got.Info.Width, got.Info.Height, got.Turned)
	}
}

func TestTurnByAnyAngleKeepsTheMiddleAndClearsTheCorners(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	red := color.NRGBA{200, 0, 0, 255}
	p := w.Picture("rotate_image", nativetest.Args{"image": {w.Given("a.png", nativetest.Uniform(100, 100, red))}, "angle": {nativetest.Text("45 degrees")}})
	side := p.Image.Rect.Dx()
	if want := 100 * math.Sqrt2; math.Abs(float64(side)-want) > 3 {
		t.Errorf("the picture is %d wide, want about %.0f", side, want)
	}
	if got := p.Image.NRGBAAt(side/2, side/2); got != red {
		t.Errorf("the middle is %v", got)
	}
	if got := p.Image.NRGBAAt(2, 2); got.A != 0 {
		t.Errorf("the corner is %v, want it transparent", got)
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(20, 10, color.NRGBA{10, 200, 30, 255})
	v := w.Given("a.png", src)
	for said, mime := range map[string]string{
		"jpg": "image/jpeg", "a png": "image/png", "GIF": "image/gif", ".bmp": "image/bmp", "tiff format": "image/tiff",
		"webp": "image/webp", "an AVIF": "image/avif", "jxl": "image/jxl", ".ico": "image/x-icon",
	} {
		p := w.Picture("convert_image", nativetest.Args{"image": {v}, "format": {nativetest.Text(said)}})
		if p.Info.MIME != mime {
			t.Errorf("%q makes %s, want %s", said, p.Info.MIME, mime)
		}
		made := p.Image
		if mime == "image/x-icon" { // it is square
			if made.Rect.Size() != image.Pt(20, 20) || made.NRGBAAt(10, 2).A != 0 {
				t.Errorf("the icon is %v", made.Rect)
			}
			made = nativetest.Uniform(20, 10, color.NRGBA{})
			draw.Draw(made, made.Rect, p.Image, image.Pt(0, 5), draw.Src)
		}
		if d := nativetest.Difference(made, src); d > 2 {
			t.Errorf("%q changes the picture by %.1f greys", said, d)
		}
	}
	for _, said := range []string{"heic", "svg", ""} {
		w.Refused("convert_image", nativetest.Args{"image": {v}, "format": {nativetest.Text(said)}}, "PNG", "JPG", "GIF")
	}
}

// TestShorterRotationIsReported checks the descriptions of rotations.
func TestShorterRotationIsReported(t *testing.T) {
	t.Parallel()
	for angle, want := range map[float64]string{
		0: "rotated 0 degrees clockwise", 90: "rotated 90 degrees clockwise", 180: "rotated 180 degrees clockwise",
		270: "rotated 90 degrees anticlockwise", 337.5: "rotated 22.5 degrees anticlockwise",
	} {
		if got := turnedBy(angle).String(); got != want {
			t.Errorf("%g: %q, want %q", angle, got, want)
		}
	}
}
