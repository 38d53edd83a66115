package clitest

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/bot/bottest"
	"atelier/bot/evaluate"
	"atelier/bot/fault"
)

// Grey is a picture in levels of brightness from 0 to 255.
type Grey struct {
	W, H int
	Pix  []float64
}

// NewGrey is a black picture of that size.
func NewGrey(w, h int) Grey { return Grey{w, h, make([]float64, w*h)} }

// At repeats the border outside of the picture.
func (g Grey) At(x, y int) float64 {
	return g.Pix[min(max(y, 0), g.H-1)*g.W+min(max(x, 0), g.W-1)]
}

// Each makes a picture of the same size, pixel by pixel.
func (g Grey) Each(pixel func(x, y int) float64) Grey {
	out := NewGrey(g.W, g.H)
	for i := range out.Pix {
		out.Pix[i] = pixel(i%g.W, i/g.W)
	}
	return out
}

// Near is the greatest level within one pixel.
func (g Grey) Near(x, y int) float64 {
	var most float64
	for d := range 9 {
		most = max(most, g.At(x+d%3-1, y+d/3-1))
	}
	return most
}

// ReadGrey reads a picture as one of greys.
func ReadGrey(t *testing.T, path string) Grey {
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
	return NewGrey(img.Bounds().Dx(), img.Bounds().Dy()).Each(func(x, y int) float64 {
		r, g, b, _ := img.At(from.X+x, from.Y+y).RGBA()
		return (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 257
	})
}

// RidgesOf returns the gradient magnitude where it is maximal across an edge, and 0 elsewhere. The picture
// is smoothed by a Gaussian of sigma 1.4, and the gradient taken from differences of neighbours, not Sobel's.
func RidgesOf(g Grey) Grey {
	var kernel [9]float64
	for i := range kernel {
		kernel[i] = math.Exp(-float64((i-4)*(i-4)) / (2 * 1.4 * 1.4))
	}
	smooth := g.Each(func(x, y int) float64 {
		var sum, weights float64
		for dy := -4; dy <= 4; dy++ {
			for dx := -4; dx <= 4; dx++ {
				w := kernel[dx+4] * kernel[dy+4]
				sum, weights = sum+w*g.At(x+dx, y+dy), weights+w
			}
		}
		return sum / weights
	})
	across := g.Each(func(x, y int) float64 { return (smooth.At(x+1, y) - smooth.At(x-1, y)) / 2 })
	down := g.Each(func(x, y int) float64 { return (smooth.At(x, y+1) - smooth.At(x, y-1)) / 2 })
	steep := g.Each(func(x, y int) float64 { return math.Hypot(across.At(x, y), down.At(x, y)) })
	return g.Each(func(x, y int) float64 {
		dx, dy := 1, 0
		if math.Abs(down.At(x, y)) > math.Abs(across.At(x, y)) {
			dx, dy = 0, 1
		}
		if s := steep.At(x, y); s >= steep.At(x-dx, y-dy) && s >= steep.At(x+dx, y+dy) {
			return s
		}
		return 0
	})
}

// JudgeEdges checks that there is white within a pixel of every strong ridge, and none farther than a pixel
// from any ridge, with a tolerance of 5 %. It returns what is wrong.
func JudgeEdges(ridges, edges Grey) string {
	const strong, weak, white, least = 8, 2.5, 250, 0.95 // levels a pixel; levels; a share
	var wanted, found, whites, right float64
	for i := range edges.Pix {
		x, y := i%edges.W, i/edges.W
		if ridges.Pix[i] >= strong {
			wanted++
			if edges.Near(x, y) >= white {
				found++
			}
		}
		if edges.Pix[i] >= white {
			whites++
			if ridges.Near(x, y) >= weak {
				right++
			}
		}
	}
	if found < least*wanted || right < least*whites {
		return fmt.Sprintf("of %.0f strong edges %.0f are found, of %.0f white pixels %.0f are edges", wanted, found, whites, right)
	}
	return ""
}

// GreyBenchmark are four requests for the greyer, of which it does not solve the last.
func GreyBenchmark(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	bottest.Write(t, filepath.Join(dir, "requests.json"), `[
 {"id": "grey-1", "level": "easy", "instruction": "make it black and white", "files": [{"name": "photo.png", "type": "image"}]},
 {"id": "grey-2", "level": "easy", "instruction": "mach photo.png schwarzweiß"},
 {"id": "grey-3", "level": "easy", "instruction": "without colours, please"},
 {"id": "edges-4", "level": "hard", "instruction": "find the edges of photo.png"}]`)
	const grey = `"returns": ["image"], "accept": [["greyscale_image"]]`
	bottest.Write(t, filepath.Join(dir, "gold.jsonl"), strings.Join([]string{
		`{"id": "grey-1", "goals": [{"want": "grey", "uses": ["photo.png"], ` + grey + `}]}`,
		`{"id": "grey-2", "goals": [{"want": "grey", "uses": ["photo.png"], ` + grey + `}]}`,
		`{"id": "grey-3", "expect": "question"}`,
		`{"id": "edges-4", "goals": [{"want": "edges", "uses": ["photo.png"], "returns": ["edge"], "accept": [["image_to_edge"]]}]}`,
	}, "\n"))
	return dir, []string{"--gold", filepath.Join(dir, "gold.jsonl"), filepath.Join(dir, "requests.json")}
}

// EvalJSON calls eval and reads its report.
func EvalJSON(t *testing.T, env []string, args ...string) *evaluate.Measured {
	t.Helper()
	status, stdout, stderr := Called{Env: env, Args: append([]string{"eval", "--json"}, args...)}.Run(t)
	report := &evaluate.Measured{}
	if err := json.Unmarshal([]byte(stdout), report); err != nil || status != fault.StatusDone {
		t.Fatalf("status %d: %v: %s%s", status, err, stdout, stderr)
	}
	return report
}
