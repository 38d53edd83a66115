package transform

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kovidgoyal/imaging"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

// paint regenerates the picture used by the examples and the bot's tests:
//
//	go test ./agent/toolbox/native/transform -run TestPhoto -paint
var paint = flag.Bool("paint", false, "rewrite bot/testdata/photo.jpg")

const (
	photoWidth, photoHeight = 640, 426
	maxPhoto                = 60_000 // bytes
)

var photoPath = filepath.Join("..", "..", "..", "..", "bot", "testdata", "photo.jpg")

// TestPhoto checks that the picture in the repository is painted here, so that nobody else has rights to it.
func TestPhoto(t *testing.T) {
	t.Parallel()
	scene := paintScene()
	if *paint {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, scene, &jpeg.Options{Quality: 86}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(photoPath, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(photoPath)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxPhoto {
		t.Errorf("the photo has %d bytes, at most %d are wanted", info.Size(), maxPhoto)
	}
	stored, err := media.DecodeImage(context.Background(), photoPath, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if stored.Rect != scene.Rect {
		t.Fatalf("the photo has the bounds %v, want %v", stored.Rect, scene.Rect)
	}
	if d := nativetest.Difference(stored, scene); d > 4 {
		t.Errorf("the photo differs from the painted scene by %.1f greys on average", d)
	}
}

// photo is the stored picture.
func photo(w nativetest.Workbench) *image.NRGBA {
	w.Helper()
	img, err := media.DecodeImage(context.Background(), photoPath, media.Limits{})
	if err != nil {
		w.Fatal(err)
	}
	return img
}

// easel is a picture of double size; halving it makes all edges soft.
type easel struct{ img *image.NRGBA }

// fill blends a colour into a shape.
func (e easel) fill(c func(x, y float64) color.NRGBA, opacity float64, s shape) {
	for py := max(0, int(2*s.top)); py < min(2*photoHeight, int(2*s.bottom)+1); py++ {
		for px := range 2 * photoWidth {
			x, y := (float64(px)+0.5)/2, (float64(py)+0.5)/2
			if !s.holds(x, y) {
				continue
			}
			over := c(x, y)
			p := e.img.Pix[py*e.img.Stride+4*px:]
			for i, v := range [3]uint8{over.R, over.G, over.B} {
				p[i] = uint8(math.Round(float64(p[i])*(1-opacity) + float64(v)*opacity))
			}
			p[3] = 255
		}
	}
}

// shape is a region between two heights.
type shape struct {
	top, bottom float64
	holds       func(x, y float64) bool
}

func plain(r, g, b uint8) func(x, y float64) color.NRGBA {
	return func(float64, float64) color.NRGBA { return color.NRGBA{r, g, b, 255} }
}

// graded is a gradient from one colour at height y0 to another at y1.
func graded(top, bottom color.NRGBA, y0, y1 float64) func(x, y float64) color.NRGBA {
	return func(_, y float64) color.NRGBA {
		f := min(max((y-y0)/(y1-y0), 0), 1)
		mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-f) + float64(b)*f) }
		return color.NRGBA{mix(top.R, bottom.R), mix(top.G, bottom.G), mix(top.B, bottom.B), 255}
	}
}

func block(x0, y0, x1, y1 float64) shape {
	return shape{y0, y1, func(x, y float64) bool { return x >= x0 && x < x1 && y >= y0 && y < y1 }}
}

func ellipse(cx, cy, rx, ry float64) shape {
	return shape{cy - ry, cy + ry, func(x, y float64) bool { return math.Hypot((x-cx)/rx, (y-cy)/ry) < 1 }}
}

// paintScene paints a house on a meadow under an evening sky, and a person with an umbrella.
func paintScene() *image.NRGBA {
	e := easel{image.NewNRGBA(image.Rect(0, 0, 2*photoWidth, 2*photoHeight))}
	e.fill(graded(color.NRGBA{70, 120, 190, 255}, color.NRGBA{245, 205, 160, 255}, 0, 260), 1, block(0, 0, photoWidth, photoHeight))
	e.fill(plain(255, 240, 200), 0.9, ellipse(520, 90, 34, 34))
	for _, c := range [][4]float64{{120, 70, 70, 16}, {165, 58, 50, 18}, {90, 82, 45, 11}, {380, 120, 60, 12}, {420, 110, 40, 14}} {
		e.fill(plain(255, 250, 245), 0.55, ellipse(c[0], c[1], c[2], c[3]))
	}
	e.fill(plain(120, 140, 165), 1,
		shape{180, photoHeight, func(x, y float64) bool { return y > 225-28*math.Sin(x/95)-12*math.Sin(x/31+1) }})
	e.fill(graded(color.NRGBA{120, 160, 80, 255}, color.NRGBA{50, 95, 40, 255}, 250, 426), 1,
		shape{250, photoHeight, func(x, y float64) bool { return y > 262+8*math.Sin(x/120+2) }})
	paintHouse(e)
	paintWalker(e)
	out := media.ToNRGBA(imaging.Resize(e.img, photoWidth, photoHeight, imaging.Box))
	grain := rand.New(rand.NewPCG(7, 11))
	for i := 0; i < len(out.Pix); i += 4 {
		d := grain.NormFloat64() * 2.2
		for c := range 3 {
			out.Pix[i+c] = uint8(min(max(float64(out.Pix[i+c])+d, 0), 255))
		}
	}
	return out
}

func paintHouse(e easel) {
	e.fill(graded(color.NRGBA{190, 175, 140, 255}, color.NRGBA{165, 145, 105, 255}, 330, 426), 1,
		shape{318, photoHeight, func(x, y float64) bool { return y > 318 && math.Abs(x-185-(y-318)*0.5) < 14+(y-318)*0.25 }})
	e.fill(graded(color.NRGBA{235, 225, 205, 255}, color.NRGBA{205, 190, 165, 255}, 190, 320), 1, block(90, 190, 290, 320))
	e.fill(plain(150, 60, 45), 1, shape{115, 192, func(x, y float64) bool {
		return y > 115 && y < 192 && math.Abs(x-190) < (y-115)*1.55
	}})
	e.fill(plain(120, 75, 60), 1, block(240, 120, 262, 160))
	for _, x := range []float64{108, 228} {
		e.fill(plain(95, 70, 50), 1, block(x, 214, x+44, 256))
		e.fill(plain(150, 190, 215), 1, block(x+4, 218, x+40, 252))
		e.fill(plain(95, 70, 50), 1, block(x+20, 218, x+24, 252))
		e.fill(plain(95, 70, 50), 1, block(x+4, 233, x+40, 237))
	}
	e.fill(plain(90, 50, 30), 1, block(172, 240, 210, 320))
	e.fill(plain(220, 190, 90), 1, ellipse(203, 284, 3, 3))
}

func paintWalker(e easel) {
	const cx, top = 450.0, 190.0
	e.fill(plain(30, 60, 25), 0.4, ellipse(cx+20, 384, 60, 9))
	e.fill(plain(45, 50, 80), 1, block(cx-12, 300, cx-2, 384))
	e.fill(plain(40, 45, 72), 1, block(cx+3, 300, cx+13, 384))
	e.fill(plain(180, 140, 60), 1, ellipse(cx, 290, 24, 40))
	e.fill(plain(225, 180, 150), 1, ellipse(cx, 243, 13, 16))
	e.fill(plain(60, 40, 30), 1, shape{225, 240, func(x, y float64) bool { return y < 240 && ellipse(cx, 241, 14, 16).holds(x, y) }})
	e.fill(plain(70, 55, 45), 1, block(cx+19, top+10, cx+22, 300))
	dome := ellipse(cx+20, 250, 85, 62)
	canopy := shape{dome.top, 252, func(x, y float64) bool {
		dx := x - cx - 20
		// The rim forms five arcs between the ribs.
		return y < 252-7*math.Abs(math.Sin((dx+85)/170*5*math.Pi)) && dome.holds(x, y)
	}}
	e.fill(func(x, _ float64) color.NRGBA {
		if int((x-cx+65)/34)%2 == 0 {
			return color.NRGBA{200, 40, 50, 255}
		}
		return color.NRGBA{225, 75, 70, 255}
	}, 1, canopy)
	e.fill(plain(70, 55, 45), 1, block(cx+19, 180, cx+22, 192))
}
