package web

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"atelier/adapters/web/browsertest"
)

// The drawing shows the picture, the mask over it and the marks, in their places.
func TestMarkedIsSeen(t *testing.T) {
	t.Parallel()
	_, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	p.Script(`document.querySelector("#m-a4 .marks").scrollIntoView({block: "center"})`)
	p.Script(`Promise.all([...document.querySelectorAll("#m-a4 image")].map((i) => { const copy = new Image(); copy.src = i.href.baseVal; return copy.decode(); }))`)
	type area struct{ X, Y, Width, Height float64 }
	at := browsertest.Eval[area](p, `(({ x, y, width, height }) => ({ x, y, width, height }))(document.querySelector("#m-a4 .marked").getBoundingClientRect())`)
	if at.Width < 200 || at.Width > 240 || at.Height < 120 || at.Height > 160 {
		t.Fatalf("it is drawn at %+v", at)
	}
	shot, err := png.Decode(bytes.NewReader(p.Shot()))
	if err != nil {
		t.Fatal(err)
	}
	red := func(x, y int) bool { // of a picture of 640 by 400, which is blue
		r, _, b, _ := shot.At(int(at.X+float64(x)*at.Width/640), int(at.Y+float64(y)*at.Height/400)).RGBA()
		return r > b
	}
	for what, c := range map[string]struct {
		at   image.Point
		want bool
	}{
		"the picture": {image.Pt(40, 200), false}, "a point": {image.Pt(120, 90), true}, "what is painted": {image.Pt(320, 200), true},
		"the edge of a box": {image.Pt(380, 100), true}, "outside of what is painted": {image.Pt(240, 200), false},
	} {
		if got := red(c.at.X, c.at.Y); got != c.want {
			t.Errorf("%s: marked is %v", what, got)
		}
	}
	if words := browsertest.Eval[string](p, `document.querySelector("#m-a4 .marks").textContent`); !strings.Contains(words, "Marked on harbour.png · points: 2 · boxes: 1 · painted") {
		t.Errorf("it is shown as %q", words)
	}
}
