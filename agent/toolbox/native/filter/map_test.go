package filter

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

func TestEdgeMapOfAPicture(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(160, 120, color.White)
	draw.Draw(src, image.Rect(30, 40, 110, 90), image.Black, image.Point{}, draw.Src)
	p := w.Picture("image_to_edge", nativetest.Args{"image": {w.Given("a.jpg", src)}})
	if p.Info.MIME != "image/png" || p.Image.Rect != src.Rect {
		t.Fatalf("the edge map is %s with %v", p.Info.MIME, p.Image.Rect)
	}
	inner, outer := image.Rect(33, 43, 107, 87), image.Rect(27, 37, 113, 93)
	count := 0
	for y := range 120 {
		for x := range 160 {
			c := p.Image.NRGBAAt(x, y)
			if c != (color.NRGBA{255, 255, 255, 255}) && c != (color.NRGBA{0, 0, 0, 255}) {
				t.Fatalf("(%d, %d) is %v, neither black nor white", x, y, c)
			}
			if c.R == 0 {
				continue
			}
			count++
			if pt := image.Pt(x, y); pt.In(inner) || !pt.In(outer) {
				t.Fatalf("there is an edge at (%d, %d)", x, y)
			}
		}
	}
	if count < 230 || count > 300 {
		t.Errorf("%d edge pixels for a border of 260", count)
	}
}

func TestLineMapLiesOnTheLines(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	src := nativetest.Uniform(300, 200, color.White)
	draw.Draw(src, image.Rect(20, 100, 280, 104), image.Black, image.Point{}, draw.Src)
	p := w.Picture("image_to_line", nativetest.Args{"image": {w.Given("a.png", src)}})
	found := map[int]bool{}
	for y := range 200 {
		for x := range 300 {
			if p.Image.NRGBAAt(x, y).R == 0 {
				continue
			}
			if y < 97 || y > 106 || x < 16 || x > 283 {
				t.Fatalf("there is a line at (%d, %d)", x, y)
			}
			found[x] = true
		}
	}
	if len(found) < 240 {
		t.Errorf("of the line's 260 columns %d are found", len(found))
	}
	if out := w.Do("image_to_line", nativetest.Args{"image": {w.Given("b.png", nativetest.Uniform(50, 50, color.White))}}); out.Note.String() == "" {
		t.Error("it does not say that there are no lines")
	}
}

func TestNormalMapOfADepthMap(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	// A ball that bulges towards the viewer.
	src := nativetest.Uniform(100, 100, color.Black)
	for y := range 100 {
		for x := range 100 {
			if d := math.Hypot(float64(x-50), float64(y-50)); d < 40 {
				src.Set(x, y, color.Gray{uint8(55 + 200*math.Sqrt(1-d*d/1600))})
			}
		}
	}
	p := w.Picture("normal_from_depth", nativetest.Args{"depth": {w.Given("depth.png", src)}})
	right, top, middle := p.Image.NRGBAAt(75, 50), p.Image.NRGBAAt(50, 25), p.Image.NRGBAAt(50, 50)
	if right.R <= 140 || top.G <= 140 || middle.B < 250 {
		t.Errorf("right %v, top %v, middle %v: the ball does not bulge", right, top, middle)
	}
}
