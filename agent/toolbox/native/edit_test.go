package native

import (
	"context"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

func TestCropIsExact(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := colourful(60, 40)
	v := w.given("a.png", src)
	out := w.run("image_cropping", args{"image": {v}, "bbox": {w.boxes(
		plan.Box{Label: "cat", XMin: 10, YMin: 5, XMax: 30, YMax: 25},
		plan.Box{XMin: 50, YMin: 30, XMax: 99, YMax: 99}, // reaches beyond the picture
		plan.Box{XMin: 80, YMin: 0, XMax: 90, YMax: 10},  // lies outside
	)}})
	if out.About.String() != "cat" || len(out.More) != 1 {
		t.Fatalf("got %+v, want the cat and one more", out)
	}
	w.same(w.read(out).Image, 20, 20, func(x, y int) color.NRGBA { return src.NRGBAAt(x+10, y+5) })
	w.same(w.read(out.More[0]).Image, 10, 10, func(x, y int) color.NRGBA { return src.NRGBAAt(x+50, y+30) })
	w.refused("image_cropping", args{"image": {v}, "bbox": {w.boxes()}}, "Nothing was found or marked")
	w.refused("image_cropping", args{"image": {v}, "bbox": {w.boxes(plan.Box{XMin: 70, XMax: 80, YMax: 9})}}, "outside")
	w.refused("image_cropping", args{"image": {v}, "bbox": {text("{")}}, "cannot be read")

	p := w.picture("crop_region", args{"image": {v}, "region": {text("top right quarter")}})
	w.same(p.Image, 30, 20, func(x, y int) color.NRGBA { return src.NRGBAAt(x+30, y) })
	w.refused("crop_region", args{"image": {v}, "region": {text("the nice part")}}, "the left half", "16:9")
}

func TestMaskKeepsExactlyWhatItCovers(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := colourful(40, 30)
	v := w.given("a.jpg.png", src)
	covered := func(x, y int) int {
		switch {
		case math.Hypot(float64(x-12), float64(y-12)) < 8:
			return 1
		case x > 30:
			return 2
		}
		return 0
	}
	m := media.NewMask(40, 30, 2)
	for i := range m.Index {
		m.Index[i] = uint8(covered(i%40, i/40))
	}
	mask := filepath.Join(w.dir, "mask.png")
	if err := media.WriteMask(context.Background(), mask, m); err != nil {
		t.Fatal(err)
	}
	at := func(path string) toolbox.Value {
		return toolbox.Value{Resource: plan.Resource{Type: plan.Mask}, Path: path}
	}
	p := w.picture("mask_image", args{"image": {v}, "mask": {at(mask)}})
	w.same(p.Image, 40, 30, func(x, y int) color.NRGBA {
		if covered(x, y) == 0 {
			return color.NRGBA{}
		}
		return src.NRGBAAt(x, y)
	})

	// Half as large and rounded, as models make them.
	small := w.picture("mask_image", args{"image": {v}, "mask": {w.given("small.png", uniform(20, 15, color.White))}})
	w.same(small.Image, 40, 30, src.NRGBAAt)
	w.refused("mask_image", args{"image": {v}, "mask": {w.given("other.png", uniform(30, 40, color.White))}}, "does not fit", "30 × 40")
	w.refused("mask_image", args{"image": {v}, "mask": {w.given("black.png", uniform(40, 30, color.Black))}}, "covers nothing")
}

func TestHighlightDrawsTheFrameAndLeavesTheRest(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := uniform(200, 150, color.NRGBA{250, 250, 250, 255})
	r := image.Rect(40, 60, 120, 130)
	p := w.picture("highlight_object_on_image", args{
		"image": {w.given("a.png", src)},
		"bbox":  {w.boxes(plan.Box{Label: "dog", Score: 0.9, XMin: 40, YMin: 60, XMax: 120, YMax: 130})},
	})
	for y := range 150 {
		for x := range 200 {
			pt := image.Pt(x, y)
			got := p.Image.NRGBAAt(x, y)
			plate := y >= 40 && y < 60 // the label's
			switch {
			case pt.In(r) && !pt.In(r.Inset(2)):
				if got != frameColours[0] {
					t.Fatalf("(%d, %d) of the frame is %v", x, y, got)
				}
			case !plate && got != src.NRGBAAt(x, y):
				t.Fatalf("(%d, %d) was changed to %v", x, y, got)
			}
		}
	}
	if p.Image.NRGBAAt(42, 58) != frameColours[0] {
		t.Error("there is no label above the box")
	}
}

func TestTextStandsWhereItIsWanted(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := uniform(400, 300, color.NRGBA{120, 130, 140, 255})
	v := w.given("a.png", src)
	for said, want := range map[string]image.Rectangle{
		"":             image.Rect(0, 200, 400, 300),
		"top":          image.Rect(0, 0, 400, 100),
		"bottom right": image.Rect(200, 200, 400, 300),
		"centre":       image.Rect(0, 100, 400, 200),
	} {
		a := args{"image": {v}, "caption": {text("Happy day")}}
		if said != "" {
			a["place"] = []toolbox.Value{text(said)}
		}
		white, black := 0, 0
		img := w.picture("add_text_to_image", a).Image
		for y := range 300 {
			for x := range 400 {
				switch got := img.NRGBAAt(x, y); {
				case got == src.NRGBAAt(x, y):
				case !image.Pt(x, y).In(want):
					t.Fatalf("place %q: (%d, %d) was changed", said, x, y)
				case got == color.NRGBA{255, 255, 255, 255}:
					white++
				case got == color.NRGBA{0, 0, 0, 255}:
					black++
				}
			}
		}
		if white < 200 || black < 200 {
			t.Errorf("place %q: %d white and %d black pixels, want letters with an outline", said, white, black)
		}
	}
	long := "a rather long caption that has to be broken into several lines because it would never fit into one of them"
	w.run("add_text_to_image", args{"image": {v}, "caption": {text(long)}})
	if out := w.run("add_text_to_image", args{"image": {v}, "caption": {text("日本")}}); out.Note.String() == "" {
		t.Error("it does not say that letters are missing in the font")
	}
	w.refused("add_text_to_image", args{"image": {v}, "caption": {text(" ")}}, "which words")
	w.refused("add_text_to_image", args{"image": {v}, "caption": {text("hi")}, "place": {text("nicely")}}, "top left")
	w.refused("add_text_to_image", args{"image": {w.given("tiny.png", uniform(9, 9, color.White))}, "caption": {text("hi")}}, "too small")
}

func TestLooks(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := colourful(40, 30)
	v := w.given("a.png", src)
	grey := w.picture("greyscale_image", args{"image": {v}}).Image
	w.same(grey, 40, 30, func(x, y int) color.NRGBA {
		c := src.NRGBAAt(x, y)
		l := uint8(0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B) + 0.5)
		return color.NRGBA{l, l, l, 255}
	})
	inverted := w.picture("adjust_image", args{"image": {v}, "adjustment": {text("invert")}}).Image
	w.same(inverted, 40, 30, func(x, y int) color.NRGBA {
		c := src.NRGBAAt(x, y)
		return color.NRGBA{255 - c.R, 255 - c.G, 255 - c.B, 255}
	})
	mean := func(img *image.NRGBA, c int) (sum float64) {
		for i := c; i < len(img.Pix); i += 4 {
			sum += float64(img.Pix[i])
		}
		return sum * 4 / float64(len(img.Pix))
	}
	adjusted := func(said string) *image.NRGBA {
		return w.picture("adjust_image", args{"image": {v}, "adjustment": {text(said)}}).Image
	}
	if a, b := mean(adjusted("20% brighter"), 1), mean(src, 1); a < b+30 {
		t.Errorf("brighter: %.0f, before %.0f", a, b)
	}
	if a, b := mean(adjusted("darker"), 1), mean(src, 1); a > b-30 {
		t.Errorf("darker: %.0f, before %.0f", a, b)
	}
	if warm := adjusted("warmer"); mean(warm, 0) <= mean(src, 0) || mean(warm, 2) >= mean(src, 2) {
		t.Error("warmer: there is not more red and less blue")
	}
	if sepia := adjusted("sepia"); mean(sepia, 0) <= mean(sepia, 1) || mean(sepia, 1) <= mean(sepia, 2) {
		t.Error("sepia is not brown")
	}
	w.refused("adjust_image", args{"image": {v}, "adjustment": {text("nicer")}}, "brighter", "sepia")
}

func TestBlurSpreadsAndKeepsTheLight(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := uniform(81, 81, color.Black)
	for y := 38; y < 43; y++ {
		for x := 38; x < 43; x++ {
			src.Set(x, y, color.White)
		}
	}
	v := w.given("a.png", src)
	light := func(img *image.NRGBA) (sum, peak float64) {
		for i := 0; i < len(img.Pix); i += 4 {
			sum += float64(img.Pix[i])
			peak = max(peak, float64(img.Pix[i]))
		}
		return sum, peak
	}
	total, last := light(src)
	for _, said := range []string{"a little", "4 pixels", "strongly"} {
		sum, peak := light(w.picture("blur_image", args{"image": {v}, "strength": {text(said)}}).Image)
		if peak >= last {
			t.Errorf("%q: the peak is %.0f, want less than %.0f", said, peak, last)
		}
		if math.Abs(sum-total) > 0.1*total {
			t.Errorf("%q: the light went from %.0f to %.0f", said, total, sum)
		}
		last = peak
	}
	w.run("blur_image", args{"image": {v}})
	w.refused("blur_image", args{"image": {v}, "strength": {text("nicely")}}, "a little", "5 pixels")
}

func TestFitIsUnderTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	photo := averaged(w.photo(), 2)
	seethrough := colourful(300, 200)
	for i := 3; i < len(seethrough.Pix); i += 4 {
		seethrough.Pix[i] = uint8(i)
	}
	for _, c := range []struct {
		v     toolbox.Value
		said  string
		limit int64
		size  image.Point // zero if it may be smaller
		was   image.Point
	}{
		{w.given("photo.jpg", photo), "under 1 MB", 1e6, image.Pt(320, 213), image.Pt(320, 213)},
		{w.given("again.jpg", photo), "12 kB", 12_000, image.Pt(320, 213), image.Pt(320, 213)},
		{w.given("small.jpg", photo), "2kB", 2_000, image.Point{}, image.Pt(320, 213)},
		{w.given("photo.png", photo), "20 kB", 20_000, image.Pt(320, 213), image.Pt(320, 213)},
		{w.given("clear.png", seethrough), "20 kB", 20_000, image.Point{}, image.Pt(300, 200)},
		{w.given("photo.webp", photo), "8 kB", 8_000, image.Pt(320, 213), image.Pt(320, 213)},
		{w.given("small.webp", photo), "1 kB", 1_000, image.Point{}, image.Pt(320, 213)},
		{w.given("clear.webp", seethrough), "20 kB", 20_000, image.Point{}, image.Pt(300, 200)},
		{w.given("photo.avif", photo), "5 kB", 5_000, image.Pt(320, 213), image.Pt(320, 213)},
	} {
		out := w.run("fit_image_size", args{"image": {c.v}, "limit": {text(c.said)}})
		info, err := os.Stat(out.Path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > c.limit {
			t.Errorf("%s, %s: the file has %d bytes", c.v.Name, c.said, info.Size())
		}
		p := w.read(out)
		if ext := filepath.Ext(c.v.Path); (ext == ".webp" || ext == ".avif") && p.Info.Ext != ext {
			t.Errorf("%s, %s: it is a %s", c.v.Name, c.said, p.Info.MIME)
		}
		if c.size != (image.Point{}) && p.Image.Rect.Max != c.size {
			t.Errorf("%s, %s: the picture is %v, want %v", c.v.Name, c.said, p.Image.Rect.Max, c.size)
		}
		if p.Image.Rect.Max != c.was && out.Note.String() == "" {
			t.Errorf("%s, %s: it does not say that the picture became smaller", c.v.Name, c.said)
		}
		files, err := os.ReadDir(filepath.Dir(out.Path))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %d files are left (%v), want one", c.v.Name, len(files), err)
		}
	}
	w.refused("fit_image_size", args{"image": {w.given("x.jpg", photo)}, "limit": {text("20 bytes")}}, "20 bytes")
	w.refused("fit_image_size", args{"image": {w.given("y.jpg", photo)}, "limit": {text("small")}}, "8 MB")
}

func TestCollageHasEvenCells(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	colours := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}}
	var vs []toolbox.Value
	for i, c := range colours {
		vs = append(vs, w.given(string(rune('a'+i))+".png", uniform(60, 40, c)))
	}
	p := w.picture("collage_images", args{"images": vs})
	const g = cellGap
	w.same(p.Image, 2*60+3*g, 2*40+3*g, func(x, y int) color.NRGBA {
		for i, c := range colours {
			at := image.Pt(g+i%2*(60+g), g+i/2*(40+g))
			if image.Pt(x, y).In(image.Rectangle{Min: at, Max: at.Add(image.Pt(60, 40))}) {
				return c
			}
		}
		return color.NRGBA{255, 255, 255, 255}
	})
	w.refused("collage_images", args{"images": vs[:1]}, "at least two")
}

// A mask of boxes covers just them, and fits the picture.
func TestMaskFromBoxes(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	v := w.given("a.png", colourful(20, 10))
	two := w.boxes(plan.Box{XMin: 2, YMin: 1, XMax: 5, YMax: 4}, plan.Box{XMin: 15, YMin: 6, XMax: 40, YMax: 9})
	out := w.run("mask_from_boxes", args{"image": {v}, "bbox": {two}})
	m, err := media.ReadMask(t.Context(), out.Path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Width != 20 || m.Height != 10 || m.Parts != 1 {
		t.Errorf("it has %d × %d pixels and %d parts", m.Width, m.Height, m.Parts)
	}
	for y := range 10 {
		for x := range 20 {
			within := image.Pt(x, y).In(image.Rect(2, 1, 5, 4)) || image.Pt(x, y).In(image.Rect(15, 6, 20, 9))
			if covered := m.At(x, y) != 0; covered != within {
				t.Fatalf("at %d,%d it covers: %v", x, y, covered)
			}
		}
	}
	w.refused("mask_from_boxes", args{"image": {v}, "bbox": {w.boxes()}}, "Nothing was found or marked")
}

// What is in the boxes is hidden, and the rest of the picture stays.
func TestHide(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := image.NewNRGBA(image.Rect(0, 0, 160, 120))
	for i := range src.Pix {
		src.Pix[i] = 255
		if i%8 < 3 { // stripes of one pixel
			src.Pix[i] = 0
		}
	}
	box := plan.Box{Label: "face", XMin: 40, YMin: 40, XMax: 104, YMax: 88}
	for _, op := range []string{"blur_objects", "pixelate_objects", "black_out_objects"} {
		p := w.picture(op, args{"image": {w.given(op+".png", src)}, "bbox": {w.boxes(box)}})
		for y := range 120 {
			for x := range 159 {
				at, next := p.Image.NRGBAAt(x, y), p.Image.NRGBAAt(x+1, y)
				inside := image.Pt(x, y).In(rectangle(box).Inset(2))
				outside := !image.Pt(x, y).In(rectangle(box).Inset(-10))
				if contrast := math.Abs(float64(at.R) - float64(next.R)); inside && contrast > 100 || outside && at != src.NRGBAAt(x, y) {
					t.Fatalf("%s: (%d, %d) is %v", op, x, y, at)
				}
			}
		}
	}
	w.refused("blur_objects", args{"image": {w.given("b.png", src)}, "bbox": {w.boxes()}}, "")
}

// All outside of a part is hidden, and the part stays, transparent pixels too.
func TestHideOutside(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	src := image.NewNRGBA(image.Rect(0, 0, 160, 120))
	for i := range src.Pix {
		src.Pix[i] = 255
		if i%8 < 3 { // stripes of one pixel
			src.Pix[i] = 0
		}
	}
	src.SetNRGBA(80, 60, color.NRGBA{1, 2, 3, 0})
	for _, op := range []string{"blur_region", "pixelate_image", "black_out_region"} {
		p := w.picture(op, args{"image": {w.given(op+".png", src)}, "part": {text("64x48 at 48,36")}, "where": {text("outside")}})
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
	w.refused("pixelate_image", args{"image": {w.given("b.png", src)}, "where": {text("outside")}}, "which part of the picture stays")
}
