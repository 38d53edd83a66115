package native

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// averaged is the picture with each square of side pixels made one: an independent way
// to make a picture smaller.
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
	w := newWorkbench(t)
	photo := w.photo()
	v := w.given("photo.png", photo)
	for said, want := range map[string]*image.NRGBA{"half as large": averaged(photo, 2)} {
		p := w.picture("resize_image", args{"image": {v}, "size": {text(said)}})
		if p.Image.Rect != want.Rect {
			t.Fatalf("%q makes %v, want %v", said, p.Image.Rect, want.Rect)
		}
		if d := difference(p.Image, want); d > 2.5 {
			t.Errorf("%q differs from the average by %.2f greys", said, d)
		}
		if p.Info.MIME != "image/png" {
			t.Errorf("a PNG became %s", p.Info.MIME)
		}
	}
}

func TestResizeSizes(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	v := w.given("photo.jpg", colourful(120, 80))
	for said, want := range map[string]image.Point{
		"twice as big": {240, 160}, "a third": {40, 27}, "30x70": {30, 70}, "60 px wide": {60, 40}, "20 pixels high": {30, 20},
	} {
		p := w.picture("resize_image", args{"image": {v}, "size": {text(said)}})
		if got := p.Image.Rect.Max; got != want {
			t.Errorf("%q makes %v, want %v", said, got, want)
		}
		if p.Info.Ext != ".jpg" {
			t.Errorf("a JPEG became %s", p.Info.Ext)
		}
	}
	w.refused("resize_image", args{"image": {v}, "size": {text("nicely")}}, "nicely", "half as large", "800x600")
	w.refused("resize_image", args{"image": {v}}, "half as large")
	w.refused("resize_image", args{"image": {v}, "size": {text("90000x90000")}}, "90000 × 90000", "smaller")
	w.refused("resize_image", args{"image": {v}, "size": {text("1000 times as large")}}, "million")
}

func TestUpscaleSaysThatItIsApproximate(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	v := w.given("a.png", uniform(20, 10, color.NRGBA{10, 200, 30, 255}))
	for said, want := range map[string]image.Point{"": {40, 20}, "4x": {80, 40}, "three times": {60, 30}} {
		a := args{"image": {v}}
		if said != "" {
			a["factor"] = []toolbox.Value{text(said)}
		}
		out := w.run("upscale_image", a)
		if out.Note.String() == "" {
			t.Error("it does not say that it is approximate")
		}
		w.same(w.read(out).Image, want.X, want.Y, func(int, int) color.NRGBA { return color.NRGBA{10, 200, 30, 255} })
	}
	w.refused("upscale_image", args{"image": {v}, "factor": {text("half")}}, "at least 100%")
	w.refused("upscale_image", args{"image": {v}, "factor": {text("10 px wide")}}, "larger")
}

func TestThumbnail(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	v := w.given("a.png", colourful(300, 150))
	for said, want := range map[string]image.Point{
		"": {256, 128}, "128 pixels": {128, 64}, "64x64": {64, 32}, "5000 px": {300, 150},
	} {
		a := args{"image": {v}}
		if said != "" {
			a["size"] = []toolbox.Value{text(said)}
		}
		if got := w.picture("make_thumbnail", a).Image.Rect.Max; got != want {
			t.Errorf("%q makes %v, want %v", said, got, want)
		}
	}
}

func TestTurnsAndFlipsAreExact(t *testing.T) {
	t.Parallel()
	const width, height = 31, 17
	src := colourful(width, height)
	w := newWorkbench(t)
	v := w.given("a.png", src)
	at := src.NRGBAAt
	for _, c := range []struct {
		op, arg, said string
		turned        bool // width and height change places
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
		a := args{"image": {v}}
		if c.arg != "" {
			a[c.arg] = []toolbox.Value{text(c.said)}
		}
		gotW, gotH := width, height
		if c.turned {
			gotW, gotH = height, width
		}
		w.same(w.picture(c.op, a).Image, gotW, gotH, c.want)
	}
	w.refused("rotate_image", args{"image": {v}, "angle": {text("nicely")}}, "90 degrees", "left")
	w.refused("flip_image", args{"image": {v}, "direction": {text("nicely")}}, "vertical")
}

// TestUpright: which way is up is known only where the camera noted it.
func TestUpright(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	v := w.given("a.jpg", colourful(32, 16))
	angle := args{"image": {v}, "angle": {text("so that it is upright")}}
	w.refused("rotate_image", angle, "left", "right", "upside down")
	plain, err := os.ReadFile(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	// EXIF with the orientation 6: the picture is stored turned to the left.
	noted := slices.Concat(plain[:2], []byte("\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"), plain[2:])
	if err := os.WriteFile(filepath.Join(w.dir, "a.jpg"), noted, 0o600); err != nil { //nolint:gosec // in the folder of the test
		t.Fatal(err)
	}
	if got := w.picture("rotate_image", angle); got.Info.Width != 16 || got.Info.Height != 32 || got.Turned {
		t.Errorf("the picture is %d×%d, turned: %t", got.Info.Width, got.Info.Height, got.Turned)
	}
}

func TestTurnByAnyAngleKeepsTheMiddleAndClearsTheCorners(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	red := color.NRGBA{200, 0, 0, 255}
	p := w.picture("rotate_image", args{"image": {w.given("a.png", uniform(100, 100, red))}, "angle": {text("45 degrees")}})
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
	w := newWorkbench(t)
	src := uniform(20, 10, color.NRGBA{10, 200, 30, 255})
	v := w.given("a.png", src)
	for said, mime := range map[string]string{
		"jpg": "image/jpeg", "a png": "image/png", "GIF": "image/gif", ".bmp": "image/bmp", "tiff format": "image/tiff",
		"webp": "image/webp", "an AVIF": "image/avif", "jxl": "image/jxl", ".ico": "image/x-icon",
	} {
		p := w.picture("convert_image", args{"image": {v}, "format": {text(said)}})
		if p.Info.MIME != mime {
			t.Errorf("%q makes %s, want %s", said, p.Info.MIME, mime)
		}
		if d := difference(p.Image, src); d > 2 {
			t.Errorf("%q changes the picture by %.1f greys", said, d)
		}
	}
	for _, said := range []string{"heic", "svg", ""} {
		w.refused("convert_image", args{"image": {v}, "format": {text(said)}}, "PNG", "JPG", "GIF")
	}
}

// What stays a GIF stays animated; of all else it is told that one frame was used.
func TestAnimations(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	made := w.run("images_to_gif", args{"images": {
		w.given("a.png", uniform(30, 20, color.White)), w.given("b.png", uniform(30, 20, color.Black)),
	}})
	animation := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}
	for _, c := range []struct {
		op            string
		a             args
		width, height int
		frames        int
	}{
		{"resize_image", args{"size": {text("twice as big")}}, 60, 40, 2},
		{"make_thumbnail", args{"size": {text("15 px")}}, 15, 10, 2},
		{"rotate_image", args{"angle": {text("90 degrees")}}, 20, 30, 2},
		{"greyscale_image", args{}, 30, 20, 2},
		{"fit_image_size", args{"limit": {text("1 MB")}}, 30, 20, 2},
		{"convert_image", args{"format": {text("gif")}}, 30, 20, 2},
		{"convert_image", args{"format": {text("png")}}, 30, 20, 1},
		{"image_to_edge", args{}, 30, 20, 1},
	} {
		c.a["image"] = []toolbox.Value{animation}
		out := w.run(c.op, c.a)
		info, err := media.Inspect(out.Path, media.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if info.Width != c.width || info.Height != c.height || info.Frames != c.frames {
			t.Errorf("%s gives %d frames of %d × %d, want %d of %d × %d", c.op, info.Frames, info.Width, info.Height, c.frames, c.width, c.height)
		}
		if first := out.Note.String() != ""; first != (c.frames == 1) {
			t.Errorf("%s with %d frames says %q", c.op, info.Frames, out.Note)
		}
		if c.op == "image_to_edge" {
			continue
		}
		w.same(w.read(out).Image, c.width, c.height, func(int, int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} })
	}
}

// The frames of a GIF are given in order, as they are seen.
func TestSplitAnimation(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	still := w.given("a.png", uniform(30, 20, color.White))
	made := w.run("images_to_gif", args{"images": {still, w.given("b.png", uniform(30, 20, color.Black))}})
	animation := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}
	out := w.run("split_animation", args{"image": {animation}})
	if len(out.More) != 1 {
		t.Fatalf("there are %d more frames", len(out.More))
	}
	w.same(w.read(out).Image, 30, 20, func(int, int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} })
	w.same(w.read(out.More[0]).Image, 30, 20, func(int, int) color.NRGBA { return color.NRGBA{0, 0, 0, 255} })
	w.refused("split_animation", args{"image": {still}}, "not an animated GIF")
}

// An animation becomes smaller until it fits, and keeps its frames.
func TestAnimationsFit(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	noise := func(seed uint64) *image.NRGBA {
		img, r := image.NewNRGBA(image.Rect(0, 0, 120, 80)), rand.New(rand.NewPCG(seed, 1))
		for i := range img.Pix {
			img.Pix[i] = uint8(r.Uint32()) | 0xf*uint8(i%4/3)
		}
		return img
	}
	made := w.run("images_to_gif", args{"images": {w.given("a.png", noise(1)), w.given("b.png", noise(2))}})
	animation := toolbox.Value{Resource: plan.Resource{Type: plan.Image}, Path: made.Path}
	out := w.run("fit_image_size", args{"image": {animation}, "limit": {text("8 kB")}})
	info, err := media.Inspect(out.Path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	size, err := sizeOf(out.Path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Frames != 2 || size > 8000 || info.Width >= 120 || out.Note.String() == "" {
		t.Errorf("%d frames of %d × %d in %d bytes, saying %q", info.Frames, info.Width, info.Height, size, out.Note)
	}
	w.refused("fit_image_size", args{"image": {animation}, "limit": {text("20 bytes")}}, "larger limit")
}

// TestATurnIsToldTheShorterWayRound.
func TestATurnIsToldTheShorterWayRound(t *testing.T) {
	t.Parallel()
	for angle, want := range map[float64]string{
		0: "turned by 0 degrees clockwise", 90: "turned by 90 degrees clockwise", 180: "turned by 180 degrees clockwise",
		270: "turned by 90 degrees anticlockwise", 337.5: "turned by 22.5 degrees anticlockwise",
	} {
		if got := turnedBy(angle).String(); got != want {
			t.Errorf("%g: %q, want %q", angle, got, want)
		}
	}
}
