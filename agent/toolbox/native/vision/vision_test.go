package vision

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"testing"
)

func canvas(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

func box(img *image.NRGBA, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// noise changes every pixel by up to amount grey levels, deterministically.
func noise(img *image.NRGBA, amount int) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(img.Pix); i += 4 {
		d := random.IntN(2*amount+1) - amount
		for c := range 3 {
			img.Pix[i+c] = uint8(min(max(int(img.Pix[i+c])+d, 0), 255))
		}
	}
}

// toBorder returns the distance of a pixel's centre from the border of r.
func toBorder(x, y int, r image.Rectangle) float64 {
	px, py := float64(x)+0.5, float64(y)+0.5
	x0, y0, x1, y1 := float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)
	outX, outY := max(x0-px, 0, px-x1), max(y0-py, 0, py-y1)
	if outX > 0 || outY > 0 {
		return math.Hypot(outX, outY)
	}
	return min(px-x0, x1-px, py-y0, y1-py)
}

func TestEdgesLieOnTheBorderOfARectangleAndNowhereElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ground, ink color.Color
		noise       int
	}{
		"black on white":      {color.White, color.Black, 0},
		"faint":               {color.Gray{100}, color.Gray{118}, 0},
		"colours, with noise": {color.NRGBA{30, 120, 60, 255}, color.NRGBA{220, 90, 40, 255}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := image.Rect(40, 30, 150, 100)
			img := canvas(200, 140, c.ground)
			box(img, r, c.ink)
			noise(img, c.noise)
			edges := must(Edges(t.Context(), img))
			near := func(x, y int) bool { // an edge within two pixels
				for yy := y - 2; yy <= y+2; yy++ {
					for xx := x - 2; xx <= x+2; xx++ {
						if edges.GrayAt(xx, yy).Y == 255 {
							return true
						}
					}
				}
				return false
			}
			count := 0
			for y := range 140 {
				for x := range 200 {
					switch edges.GrayAt(x, y).Y {
					case 255:
						count++
						if d := toBorder(x, y, r); d > 2 {
							t.Fatalf("edge at (%d, %d), %.1f pixels from the border", x, y, d)
						}
					case 0:
						if toBorder(x, y, r) < 0.6 && !near(x, y) {
							t.Fatalf("no edge near the border at (%d, %d)", x, y)
						}
					default:
						t.Fatalf("(%d, %d) is neither black nor white", x, y)
					}
				}
			}
			if perimeter := 2 * (r.Dx() + r.Dy()); count > perimeter*5/4 {
				t.Errorf("%d edge pixels for a border of %d: the edges are not thin", count, perimeter)
			}
		})
	}
}

func TestEdgesOfNothing(t *testing.T) {
	t.Parallel()
	flat := canvas(50, 40, color.Gray{90})
	noise(flat, 2)
	for name, img := range map[string]*image.NRGBA{"flat": flat, "one pixel": canvas(1, 1, color.White), "a row": canvas(30, 1, color.Black)} {
		for _, p := range must(Edges(t.Context(), img)).Pix {
			if p != 0 {
				t.Errorf("%s: there is an edge", name)
				break
			}
		}
	}
}

// stroke draws a line three pixels wide.
func stroke(img *image.NRGBA, s Segment) {
	steps := int(2 * s.Length())
	for i := range steps + 1 {
		f := float64(i) / float64(steps)
		x := float64(s.A.X) + f*float64(s.B.X-s.A.X)
		y := float64(s.A.Y) + f*float64(s.B.Y-s.A.Y)
		p := image.Pt(int(math.Round(x)), int(math.Round(y)))
		box(img, image.Rect(p.X-1, p.Y-1, p.X+2, p.Y+2), color.Black)
	}
}

// off returns the distance of p from the segment.
func off(p image.Point, s Segment) float64 {
	dx, dy := float64(s.B.X-s.A.X), float64(s.B.Y-s.A.Y)
	t := (float64(p.X-s.A.X)*dx + float64(p.Y-s.A.Y)*dy) / (dx*dx + dy*dy)
	t = min(max(t, 0), 1)
	return math.Hypot(float64(p.X)-float64(s.A.X)-t*dx, float64(p.Y)-float64(s.A.Y)-t*dy)
}

func TestSegmentsFindTheDrawnLines(t *testing.T) {
	t.Parallel()
	drawn := []Segment{
		{image.Pt(20, 20), image.Pt(280, 20)},
		{image.Pt(40, 50), image.Pt(40, 210)},
		{image.Pt(70, 200), image.Pt(250, 60)},
		{image.Pt(120, 60), image.Pt(290, 200)},
	}
	img := canvas(320, 240, color.White)
	for _, s := range drawn {
		stroke(img, s)
	}
	// A disc has edges but no long straight lines.
	for y := range 240 {
		for x := range 320 {
			if math.Hypot(float64(x-90), float64(y-110)) < 18 {
				img.Set(x, y, color.Gray{60})
			}
		}
	}
	noise(img, 4)
	found := must(Segments(t.Context(), img))
	if len(found) == 0 || len(found) > 30 {
		t.Fatalf("%d segments for 4 lines", len(found))
	}
	for _, f := range found {
		nearest := math.Inf(1)
		for _, d := range drawn {
			nearest = min(nearest, max(off(f.A, d), off(f.B, d)))
		}
		if nearest > 4 {
			t.Errorf("segment %v lies on none of the lines (%.1f)", f, nearest)
		}
	}
	for _, d := range drawn {
		covered := 0
		const samples = 50
		for i := range samples {
			p := image.Pt(d.A.X+(d.B.X-d.A.X)*i/(samples-1), d.A.Y+(d.B.Y-d.A.Y)*i/(samples-1))
			for _, f := range found {
				if off(p, f) <= 4 {
					covered++
					break
				}
			}
		}
		if covered < samples*85/100 {
			t.Errorf("of line %v only %d of %d places are found", d, covered, samples)
		}
	}
}

func TestSegmentsAreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	img := canvas(160, 120, color.White)
	box(img, image.Rect(20, 30, 120, 90), color.Black)
	first := must(Segments(t.Context(), img))
	for range 3 {
		again := must(Segments(t.Context(), img))
		if len(again) != len(first) {
			t.Fatalf("%d segments, before %d", len(again), len(first))
		}
		for i := range first {
			if first[i] != again[i] {
				t.Fatalf("segment %d is %v, before %v", i, again[i], first[i])
			}
		}
	}
}

func TestSegmentsOfNoise(t *testing.T) {
	t.Parallel()
	img := canvas(200, 200, color.Gray{128})
	noise(img, 100)
	if found := must(Segments(t.Context(), img)); len(found) > 12 {
		t.Errorf("%d straight lines in pure noise", len(found))
	}
}

func TestNormals(t *testing.T) {
	t.Parallel()
	const size = 64
	level := must(Normals(t.Context(), canvas(size, size, color.Gray{77})))
	if got, want := level.NRGBAAt(30, 30), (color.NRGBA{128, 128, 255, 255}); got != want {
		t.Errorf("a level surface is %v, want %v", got, want)
	}
	// A ramp that gets nearer to the right by 2 grey levels per pixel faces left.
	ramp := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			ramp.Set(x, y, color.Gray{uint8(2 * x)})
		}
	}
	slope := 2.0 / 255 * size / 4
	length := math.Sqrt(slope*slope + 1)
	want := color.NRGBA{
		uint8(math.Round((-slope/length + 1) * 127.5)), 128,
		uint8(math.Round((1/length + 1) * 127.5)), 255,
	}
	if got := must(Normals(t.Context(), ramp)).NRGBAAt(30, 30); got != want {
		t.Errorf("the ramp's normal is %v, want %v", got, want)
	}
}

// BenchmarkEdges measures the edge map of a picture of 1280 × 720 pixels.
func BenchmarkEdges(b *testing.B) {
	img := canvas(1280, 720, color.Gray{128})
	box(img, image.Rect(200, 100, 900, 600), color.White)
	noise(img, 20)
	for b.Loop() {
		must(Edges(b.Context(), img))
	}
}

// BenchmarkSegments finds the lines of the same picture.
func BenchmarkSegments(b *testing.B) {
	img := canvas(1280, 720, color.Gray{128})
	box(img, image.Rect(200, 100, 900, 600), color.White)
	noise(img, 20)
	for b.Loop() {
		must(Segments(b.Context(), img))
	}
}

// must returns the result; only an ended context causes an error.
func must[T any](found T, err error) T {
	if err != nil {
		panic(err)
	}
	return found
}

func TestEverythingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	img := canvas(50, 50, color.Gray{77})
	_, edges := Edges(ctx, img)
	_, segments := Segments(ctx, img)
	_, normals := Normals(ctx, img)
	for what, err := range map[string]error{"edges": edges, "segments": segments, "normals": normals} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
