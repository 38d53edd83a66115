package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"atelier/bot/ask"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// TestFirstCommand runs the first command of the README and checks the pixels: the edge map by the edges of the
// photo, and the half-size one by averages of the edge map, both computed here in another way. No server is
// called.
func TestFirstCommand(t *testing.T) {
	t.Parallel()
	sky := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the weather service is asked for %s", r.URL) }))
	t.Cleanup(sky.Close)
	env := []string{"ATELIER_DATA=" + t.TempDir(), "WEATHER_URL=" + sky.URL, "PLACES_URL=" + sky.URL}
	status, stdout, stderr := clitest.Called{Env: env, Args: []string{
		"ask", "--json", "--out", t.TempDir(), "--file", "testdata/photo.jpg", "find the edges in this picture and then make the result half as large",
	}}.Run(t)
	var an ask.Answer
	if err := json.Unmarshal([]byte(stdout), &an); err != nil || stderr != "" {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	if status != fault.StatusDone || len(an.Files) != 2 || an.Files[0].Type != "edge" || an.Files[1].Type != "image" {
		t.Fatalf("status %d: %+v", status, an)
	}
	ridges := clitest.RidgesOf(clitest.ReadGrey(t, "testdata/photo.jpg"))
	edges, half := clitest.ReadGrey(t, an.Files[0].Path), clitest.ReadGrey(t, an.Files[1].Path)
	if edges.W != 640 || edges.H != 426 || half.W != 320 || half.H != 213 {
		t.Fatalf("the edge map is %d × %d, the half of it %d × %d", edges.W, edges.H, half.W, half.H)
	}
	if problem := clitest.JudgeEdges(ridges, edges); problem != "" {
		t.Error(problem)
	}
	average := halved(edges)
	if problem := judgeHalf(average, half); problem != "" {
		t.Error(problem)
	}

	// The checks themselves reject a picture that is slightly wrong.
	for name, spoil := range map[string]func(g clitest.Grey, x, y int) float64{
		"at 60 % brightness":     func(g clitest.Grey, x, y int) float64 { return 0.6 * g.At(x, y) },
		"shifted by 3 to a side": func(g clitest.Grey, x, y int) float64 { return g.At(x-3, y) },
		"shifted by 3 downwards": func(g clitest.Grey, x, y int) float64 { return g.At(x, y-3) },
		"black":                  func(clitest.Grey, int, int) float64 { return 0 },
		"white":                  func(clitest.Grey, int, int) float64 { return 255 },
		"black in its lower half": func(g clitest.Grey, x, y int) float64 {
			if y > g.H/2 {
				return 0
			}
			return g.At(x, y)
		},
	} {
		if clitest.JudgeEdges(ridges, edges.Each(func(x, y int) float64 { return spoil(edges, x, y) })) == "" {
			t.Errorf("an edge map %s passes", name)
		}
		if judgeHalf(average, half.Each(func(x, y int) float64 { return spoil(half, x, y) })) == "" {
			t.Errorf("a half-size picture %s passes", name)
		}
	}
}

// judgeHalf compares a picture with the averages, and allows for the ringing of a sharper filter: 1.8 levels of
// 255 on average. It returns what is wrong.
func judgeHalf(average, half clitest.Grey) string {
	var off float64
	for i := range half.Pix {
		off += math.Abs(half.Pix[i]-average.Pix[i]) / float64(len(half.Pix))
	}
	if off > 1.8 {
		return fmt.Sprintf("the half-size picture is off by %.2f levels", off)
	}
	return ""
}

// halved returns the picture in half its size, each pixel the average of four.
func halved(g clitest.Grey) clitest.Grey {
	return clitest.NewGrey(g.W/2, g.H/2).Each(func(x, y int) float64 {
		return (g.At(2*x, 2*y) + g.At(2*x+1, 2*y) + g.At(2*x, 2*y+1) + g.At(2*x+1, 2*y+1)) / 4
	})
}
