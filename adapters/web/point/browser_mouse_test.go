package point //nolint:testpackage // the pages are looked into

import (
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
)

func browseBoxes(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{Scale: 2})
	m.mode("box")
	m.Script(theMarker + `.zoom = 1`)
	m.Drag(browsertest.Left, m.at(300, 150), m.at(350, 190), m.at(419, 239))
	m.Script(theMarker + `.zoom = 3`)
	corner := m.at(0, 0)
	m.Drag(browsertest.Middle, m.at(320, 200), browsertest.At{X: 500, Y: 300})
	if moved := m.at(0, 0); moved == corner || m.zoom() != 3 {
		t.Fatalf("at zoom %v the picture did not move from %v", m.zoom(), corner)
	}
	m.Drag(browsertest.Left, m.at(419, 239), m.at(350, 190), m.at(300, 150)) // the other way round
	want := adapters.Box{XMin: 300, YMin: 150, XMax: 420, YMax: 240}
	if diff := cmp.Diff([]adapters.Box{want, want}, m.marks().Boxes); diff != "" {
		t.Error(diff)
	}
	// Beyond the edges of the picture, it is clipped.
	m.press(`[data-part="fit"]`)
	m.Drag(browsertest.Left, m.at(600, 350), m.at(660, 420))
	if got := m.marks().Boxes; len(got) != 3 || got[2] != (adapters.Box{XMin: 600, YMin: 350, XMax: 640, YMax: 400}) {
		t.Errorf("at the edge: %v", got)
	}
	// Two clicks can replace dragging.
	m.Click(m.at(10, 20))
	m.Click(m.at(30, 50))
	if got := m.marks().Boxes; len(got) != 4 || got[3] != (adapters.Box{XMin: 10, YMin: 20, XMax: 31, YMax: 51}) {
		t.Errorf("by two clicks: %v", got)
	}
}

func browsePoints(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{})
	m.Click(m.at(0, 0))
	m.Click(m.at(639, 399))
	m.mode("exclude")
	m.Click(m.at(320, 200))
	m.Click(m.at(-20, 10)) // beside the picture
	want := marked{Width: 640, Height: 400, Points: []adapters.Point{{}, {X: 639, Y: 399}, {X: 320, Y: 200, Exclude: true}}, Boxes: []adapters.Box{}}
	if diff := cmp.Diff(want, m.marks()); diff != "" {
		t.Error(diff)
	}
	m.press(`[data-part="undo"]`)
	m.press(`[data-part="undo"]`)
	m.press(`[data-part="redo"]`)
	if diff := cmp.Diff(want.Points[:2], m.marks().Points); diff != "" {
		t.Error(diff)
	}
	m.mode("erase")
	m.Click(m.at(0, 0))
	if diff := cmp.Diff(want.Points[1:2], m.marks().Points); diff != "" {
		t.Error(diff)
	}
	m.press(`[data-part="clear"]`)
	if got := m.marks(); len(got.Points) > 0 || !browsertest.Eval[bool](m.Page, theMarker+`.empty`) {
		t.Errorf("%+v", got)
	}
}

func browseMask(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{Scale: 1.5})
	m.mode("paint")
	m.Script(theMarker + `.brush = 20`)
	m.Drag(browsertest.Left, m.at(100, 100), m.at(150, 100), m.at(200, 100))
	painted := m.mask()
	check := func(name string, img *image.Gray, x, y int, white bool) {
		t.Helper()
		if is := img.GrayAt(x, y).Y == 255; is != white {
			t.Errorf("%s: at %d,%d it is white: %v", name, x, y, is)
		}
	}
	if painted.Bounds() != image.Rect(0, 0, 640, 400) {
		t.Fatalf("the mask is %v", painted.Bounds())
	}
	// A capsule: 20 wide, with round ends, and nothing else.
	for y := range 400 {
		for x := range 640 {
			off := math.Hypot(float64(x-min(max(x, 100), 200)), float64(y-100))
			if math.Abs(off-10) > 0.01 {
				check("painted", painted, x, y, off < 10)
			}
		}
	}
	m.mode("erase")
	m.Click(m.at(150, 100))
	erased := m.mask()
	check("erased", erased, 150, 100, false)
	check("erased", erased, 150, 109, false)
	check("erased", erased, 165, 100, true)
	m.Key("z", chromedp.ModifierCtrl)
	if diff := cmp.Diff(painted.Pix, m.mask().Pix); diff != "" {
		t.Error("what was erased does not come back")
	}
	m.Key("u")
	if left := m.mask(); left != nil {
		t.Error("what was painted is not undone")
	}
	m.Key("U", chromedp.ModifierShift)
	if diff := cmp.Diff(painted.Pix, m.mask().Pix); diff != "" {
		t.Error("what was painted is not done again")
	}
}

func browseWheel(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{})
	m.Script(theMarker + `.zoom = 2`)
	at := m.at(300, 180)
	before := m.zoom()
	m.Wheel(at, -120)
	m.Wait(fmt.Sprintf("%s.zoom > %v", theMarker, before))
	if now := m.at(300, 180); math.Hypot(now.X-at.X, now.Y-at.Y) > 2 {
		t.Errorf("it was at %v, and is at %v", at, now)
	}
}
