package drawing

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"atelier/adapters"
)

// works are plans of every shape, including invalid ones.
func works(t *rapid.T) Work {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab_-. <&港口")), 0, 40, -1)
	states := []adapters.StepState{adapters.StepWaiting, adapters.StepRunning, adapters.StepDone, adapters.StepFailed, adapters.StepSkipped, ""}
	n := rapid.IntRange(0, 10).Draw(t, "steps")
	var w Work
	for i := range n {
		s := Step{
			Text: text.Draw(t, "text"), Model: text.Draw(t, "model"), State: rapid.SampledFrom(states).Draw(t, "state"),
			Took: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "took")), Problem: text.Draw(t, "problem"),
		}
		for range rapid.IntRange(0, 4).Draw(t, "takes") {
			from := rapid.IntRange(-2, i-1).Draw(t, "from")
			if rapid.IntRange(0, 9).Draw(t, "unsound") == 0 {
				from = rapid.IntRange(-2, n+1).Draw(t, "anywhere")
			}
			s.Takes = append(s.Takes, Flow{Name: text.Draw(t, "name"), Type: text.Draw(t, "type"), From: from, Argument: text.Draw(t, "argument"), Text: text.Draw(t, "text")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "makes") {
			s.Makes = append(s.Makes, Flow{Name: text.Draw(t, "name"), Type: text.Draw(t, "type")})
		}
		w.Steps = append(w.Steps, s)
	}
	return w
}

// sample is also shown by the tests of the pages.
func sample(tb testing.TB) Work {
	tb.Helper()
	b, err := os.ReadFile("testdata/work.json")
	if err != nil {
		tb.Fatal(err)
	}
	var w Work
	if err := json.Unmarshal(b, &w); err != nil { //nolint:musttag // the names of the fields are as good
		tb.Fatal(err)
	}
	return w
}

// In every drawing, nothing overlaps, and everything flows from left to right.
func TestDraw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := works(t)
		checkDrawing(t, w, Draw(w))
	})
	work := sample(t)
	checkDrawing(t, work, Draw(work))
	if d := Draw(Work{}); len(d.Boxes)+len(d.Pills)+len(d.Arrows) != 0 {
		t.Error(d)
	}
}

// failer is a test, of whatever kind.
type failer interface {
	Fatalf(format string, args ...any)
}

func checkDrawing(t failer, w Work, d Drawing) {
	if len(d.Boxes) != len(w.Steps) || len(d.Steps) != len(w.Steps) {
		t.Fatalf("%d steps are %d boxes and %d lines", len(w.Steps), len(d.Boxes), len(d.Steps))
	}
	var all []rect
	for _, b := range d.Boxes {
		all = append(all, b.rect)
	}
	for _, p := range d.Pills {
		all = append(all, p.rect)
	}
	for i, a := range all {
		if a.X < 0 || a.Y < 0 || a.X+a.W > d.Width || a.Y+a.H > d.Height || a.Content > a.H {
			t.Fatalf("%v is not within %d by %d", a, d.Width, d.Height)
		}
		for _, b := range all[:i] {
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Fatalf("%v lies over %v", a, b)
			}
		}
	}
	for _, a := range d.Arrows {
		checkArrow(t, a, all, d)
	}
}

func checkArrow(t failer, a arrow, all []rect, d Drawing) {
	for i, p := range a.points {
		if p.Y < 0 || p.Y > d.Height || i > 0 && p.X < a.points[i-1].X {
			t.Fatalf("an arrow goes by %v", a.points)
		}
		if i == 0 || p.Y != a.points[i-1].Y {
			continue // it bends between two columns, where nothing stands
		}
		for _, r := range all {
			if from := a.points[i-1].X; from < r.X+r.W && p.X > r.X && p.Y > r.Y && p.Y < r.Y+r.H {
				t.Fatalf("an arrow by %v runs below %v", a.points, r)
			}
		}
	}
	if first, last := a.points[0], a.points[len(a.points)-1]; first.X >= last.X || !strings.HasPrefix(a.Path, fmt.Sprintf("M%d %d ", first.X, first.Y)) {
		t.Fatalf("an arrow by %v is drawn as %s", a.points, a.Path)
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, most := rapid.String().Draw(t, "text"), rapid.IntRange(4, 40).Draw(t, "most")
		got := short(s, most)
		wide := 0
		for _, r := range got {
			wide += wideness(r)
		}
		if wide > most+1 || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\u202e") {
			t.Fatalf("%q in %d letters is %q", s, most, got)
		}
	})
	if got := short("harbour-3f2a.edge-91bc.image-77aa.png", 20); got != "harbour-3…ge-77aa.png" && got != "harbour-3f…e-77aa.png" && len([]rune(got)) > 20 {
		t.Error(got)
	}
}

func BenchmarkDraw(b *testing.B) {
	work := sample(b)
	for b.Loop() {
		Draw(work)
	}
}
