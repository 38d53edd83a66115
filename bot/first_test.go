package main

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"atelier/bot/ask"
	"atelier/bot/fault"
)

// TestFirstCommand does what the README begins with and looks at the pixels: the edge
// map against the edges of the photo, the half-size one against averages of the edge
// map, both reckoned here in another way. No server is asked for that.
func TestFirstCommand(t *testing.T) {
	t.Parallel()
	sky := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the weather service is asked for %s", r.URL) }))
	t.Cleanup(sky.Close)
	env := []string{"ATELIER_DATA=" + t.TempDir(), "WEATHER_URL=" + sky.URL, "PLACES_URL=" + sky.URL}
	status, stdout, stderr := called{env: env, args: []string{
		"ask", "--json", "--out", t.TempDir(), "--file", "testdata/photo.jpg", "find the edges in this picture and then make the result half as large",
	}}.run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil || stderr != "" {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	if status != fault.StatusDone || len(an.Files) != 2 || an.Files[0].Type != "edge" || an.Files[1].Type != "image" {
		t.Fatalf("status %d: %+v", status, an)
	}
	ridges := ridgesOf(readGrey(t, "testdata/photo.jpg"))
	edges, half := readGrey(t, an.Files[0].Path), readGrey(t, an.Files[1].Path)
	if edges.w != 640 || edges.h != 426 || half.w != 320 || half.h != 213 {
		t.Fatalf("the edge map is %d × %d, the half of it %d × %d", edges.w, edges.h, half.w, half.h)
	}
	if problem := judgeEdges(ridges, edges); problem != "" {
		t.Error(problem)
	}
	average := halved(edges)
	if problem := judgeHalf(average, half); problem != "" {
		t.Error(problem)
	}

	// The judges themselves: what is a little wrong does not pass.
	for name, spoil := range map[string]func(g grey, x, y int) float64{
		"at 60 % brightness":     func(g grey, x, y int) float64 { return 0.6 * g.at(x, y) },
		"shifted by 3 to a side": func(g grey, x, y int) float64 { return g.at(x-3, y) },
		"shifted by 3 downwards": func(g grey, x, y int) float64 { return g.at(x, y-3) },
		"black":                  func(grey, int, int) float64 { return 0 },
		"white":                  func(grey, int, int) float64 { return 255 },
		"black in its lower half": func(g grey, x, y int) float64 {
			if y > g.h/2 {
				return 0
			}
			return g.at(x, y)
		},
	} {
		if judgeEdges(ridges, edges.each(func(x, y int) float64 { return spoil(edges, x, y) })) == "" {
			t.Errorf("an edge map %s passes", name)
		}
		if judgeHalf(average, half.each(func(x, y int) float64 { return spoil(half, x, y) })) == "" {
			t.Errorf("a half-size picture %s passes", name)
		}
	}
}

// grey is a picture in levels of brightness from 0 to 255.
type grey struct {
	w, h int
	pix  []float64
}

func newGrey(w, h int) grey { return grey{w, h, make([]float64, w*h)} }

// at repeats the border outside of the picture.
func (g grey) at(x, y int) float64 {
	return g.pix[min(max(y, 0), g.h-1)*g.w+min(max(x, 0), g.w-1)]
}

// each makes a picture of the same size, pixel by pixel.
func (g grey) each(pixel func(x, y int) float64) grey {
	out := newGrey(g.w, g.h)
	for i := range out.pix {
		out.pix[i] = pixel(i%g.w, i/g.w)
	}
	return out
}

// near is the greatest level within one pixel.
func (g grey) near(x, y int) float64 {
	var most float64
	for d := range 9 {
		most = max(most, g.at(x+d%3-1, y+d/3-1))
	}
	return most
}

func readGrey(t *testing.T, path string) grey {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	from := img.Bounds().Min
	return newGrey(img.Bounds().Dx(), img.Bounds().Dy()).each(func(x, y int) float64 {
		r, g, b, _ := img.At(from.X+x, from.Y+y).RGBA()
		return (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 257
	})
}

// ridgesOf is the steepness of the picture where it is the greatest across an edge, and
// 0 elsewhere: the picture is smoothed by a Gaussian of sigma 1.4, and the differences
// of neighbours are taken, not Sobel's.
func ridgesOf(g grey) grey {
	kernel := func(d int) float64 { return math.Exp(-float64(d*d) / (2 * 1.4 * 1.4)) }
	smooth := g.each(func(x, y int) float64 {
		var sum, weights float64
		for dy := -4; dy <= 4; dy++ {
			for dx := -4; dx <= 4; dx++ {
				w := kernel(dx) * kernel(dy)
				sum, weights = sum+w*g.at(x+dx, y+dy), weights+w
			}
		}
		return sum / weights
	})
	across := g.each(func(x, y int) float64 { return (smooth.at(x+1, y) - smooth.at(x-1, y)) / 2 })
	down := g.each(func(x, y int) float64 { return (smooth.at(x, y+1) - smooth.at(x, y-1)) / 2 })
	steep := g.each(func(x, y int) float64 { return math.Hypot(across.at(x, y), down.at(x, y)) })
	return g.each(func(x, y int) float64 {
		dx, dy := 1, 0
		if math.Abs(down.at(x, y)) > math.Abs(across.at(x, y)) {
			dx, dy = 0, 1
		}
		if s := steep.at(x, y); s >= steep.at(x-dx, y-dy) && s >= steep.at(x+dx, y+dy) {
			return s
		}
		return 0
	})
}

// judgeEdges wants white within a pixel of every strong ridge, and no white further
// than a pixel from any ridge; one in twenty may be wrong. It returns what is wrong.
func judgeEdges(ridges, edges grey) string {
	const strong, weak, white, least = 8, 2.5, 250, 0.95 // levels a pixel; levels; a share
	var wanted, found, whites, right float64
	for i := range edges.pix {
		x, y := i%edges.w, i/edges.w
		if ridges.pix[i] >= strong {
			wanted++
			if edges.near(x, y) >= white {
				found++
			}
		}
		if edges.pix[i] >= white {
			whites++
			if ridges.near(x, y) >= weak {
				right++
			}
		}
	}
	if found < least*wanted || right < least*whites {
		return fmt.Sprintf("of %.0f strong edges %.0f are found, of %.0f white pixels %.0f are edges", wanted, found, whites, right)
	}
	return ""
}

// judgeHalf wants the averages, give or take what a sharper filter rings: 1.8 levels of
// 255 in the mean. It returns what is wrong.
func judgeHalf(average, half grey) string {
	var off float64
	for i := range half.pix {
		off += math.Abs(half.pix[i]-average.pix[i]) / float64(len(half.pix))
	}
	if off > 1.8 {
		return fmt.Sprintf("the half-size picture is off by %.2f levels", off)
	}
	return ""
}

// halved is the picture in half its size, each pixel the average of four.
func halved(g grey) grey {
	return newGrey(g.w/2, g.h/2).each(func(x, y int) float64 {
		return (g.at(2*x, 2*y) + g.at(2*x+1, 2*y) + g.at(2*x, 2*y+1) + g.at(2*x+1, 2*y+1)) / 4
	})
}
