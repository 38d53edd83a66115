package point //nolint:testpackage // the pages are looked into

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
)

func browseKeyboard(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{})
	m.Script(theMarker + `.parts.stage.focus()`)
	shift := chromedp.ModifierShift
	m.Key(strings.Repeat(kb.ArrowRight, 3), shift)
	m.Key(kb.ArrowDown, shift)
	m.Key(kb.Enter)
	if got := m.marks().Points; len(got) != 1 || got[0] != (adapters.Point{X: 323, Y: 201}) {
		t.Errorf("a point: %v", got)
	}
	if said := m.status(); said != "Point set at 323, 201." {
		t.Errorf("it says %q", said)
	}
	m.Key("3" + kb.Enter)
	m.Key(strings.Repeat(kb.ArrowLeft, 5)+strings.Repeat(kb.ArrowUp, 4), shift)
	m.Key(kb.Enter)
	if got := m.marks().Boxes; len(got) != 1 || got[0] != (adapters.Box{XMin: 318, YMin: 197, XMax: 324, YMax: 202}) {
		t.Errorf("a box: %v", got)
	}
	m.Key(kb.Enter + kb.Escape + kb.Home + kb.PageUp) // a box begun and given up
	m.Key("4")
	m.Script(theMarker + `.brush = 1`)
	m.Key(kb.Enter)
	m.Key(strings.Repeat(kb.ArrowRight, 2), shift)
	m.Key(kb.Enter)
	painted := m.mask()
	for x, want := range []uint8{255, 255, 255, 0} {
		if got := painted.GrayAt(x, 0).Y; got != want {
			t.Errorf("painted at %d: %d", x, got)
		}
	}
	m.Key("5" + kb.Enter + kb.Enter)
	if m.mask().GrayAt(2, 0).Y != 0 || m.mask().GrayAt(1, 0).Y != 255 {
		t.Error("it erases something else than the pixel at the cross-hair")
	}
	before := m.zoom()
	m.Key("++")
	if m.zoom() <= before {
		t.Errorf("the zoom is %v, and was %v", m.zoom(), before)
	}
	m.Key("0")
	if m.zoom() != before || len(m.marks().Boxes) != 1 {
		t.Errorf("the zoom is %v, and was %v", m.zoom(), before)
	}
	// The toolbar and Done can be reached with the tab key.
	m.Key(kb.Tab + kb.Tab)
	m.Script(theMarker + `.querySelector("input:checked").focus()`)
	m.Key(kb.Tab)
	if got := browsertest.Eval[string](m.Page, `document.activeElement.dataset.part`); got != "undo" {
		t.Errorf("after the modes comes %q", got)
	}
}

func browseTouch(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{Width: 390, Height: 844, Scale: 2, Touch: true})
	m.Touch([]browsertest.At{m.at(320, 200)})
	if got := m.marks().Points; len(got) != 1 || got[0] != (adapters.Point{X: 320, Y: 200}) {
		t.Errorf("a tap: %v", got)
	}
	before, from, to := m.zoom(), m.at(280, 200), m.at(360, 200)
	m.Touch([]browsertest.At{from, {X: from.X - 30, Y: from.Y}, {X: from.X - 60, Y: from.Y}}, []browsertest.At{to, {X: to.X + 30, Y: to.Y}, {X: to.X + 60, Y: to.Y}})
	if m.zoom() < 2*before || len(m.marks().Points) != 1 {
		t.Errorf("two fingers: zoom %v, before %v, %v", m.zoom(), before, m.marks())
	}
	m.Script(theMarker + `.fit()`)
	m.Script(theMarker + `.mode = "box"`)
	m.Touch([]browsertest.At{m.at(100, 100), m.at(150, 150), m.at(199, 179)})
	if got := m.marks().Boxes; len(got) != 1 || got[0] != (adapters.Box{XMin: 100, YMin: 100, XMax: 200, YMax: 180}) {
		t.Errorf("a box: %v", got)
	}
	if wide := browsertest.Eval[float64](m.Page, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %v wide", wide)
	}
	small := browsertest.Eval[string](m.Page, `[...document.querySelectorAll("button, label, summary, input[type=range]")]
		.filter((e) => e.checkVisibility() && (e.getBoundingClientRect().width < 44 || e.getBoundingClientRect().height < 44)).map((e) => e.outerHTML).join()`)
	if small != "" {
		t.Errorf("too small to be touched: %s", small)
	}
}
