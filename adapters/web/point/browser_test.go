package point //nolint:testpackage // the pages are looked into

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
)

// marker is the picture marker of a page.
type marker struct {
	t *testing.T
	*browsertest.Page
}

// onPicture opens the pointing page of a picture.
func onPicture(t *testing.T, b *browsertest.Browser, p *place, picture []byte, width, height int, look browsertest.Look) marker {
	t.Helper()
	g := testGrant()
	g.Handle, g.Width, g.Height = "media/"+t.Name(), width, height
	p.mu.Lock()
	p.pictures[g.Handle] = picture
	p.mu.Unlock()
	m := marker{t, b.Page(t, look)}
	m.Open(mustLink(t, p.links, g))
	m.Script(`customElements.whenDefined("picture-marker").then(() => document.querySelector("picture-marker").ready)`)
	return m
}

const theMarker = `document.querySelector("picture-marker")`

// at is the middle of a pixel of the picture on the screen.
func (m marker) at(x, y int) browsertest.At {
	m.t.Helper()
	return browsertest.Eval[browsertest.At](m.Page, fmt.Sprintf(`(() => {
		const m = %s, box = m.parts.stage.getBoundingClientRect();
		const place = (at, offset) => offset + (at + 0.5) * m.zoom;
		return { x: box.left + 1 + place(%d, m.view.x), y: box.top + 1 + place(%d, m.view.y) };
	})()`, theMarker, x, y))
}

func (m marker) mode(mode string) {
	m.t.Helper()
	m.press(`input[value="` + mode + `"]`)
}

// press clicks on a part of the page.
func (m marker) press(selector string) {
	m.t.Helper()
	m.Click(browsertest.Eval[browsertest.At](m.Page, `(() => {
		const box = document.querySelector(`+"`"+selector+"`"+`).getBoundingClientRect();
		return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
	})()`))
}

func (m marker) marks() marked {
	m.t.Helper()
	var got marked
	if err := json.Unmarshal([]byte(browsertest.Eval[string](m.Page, `JSON.stringify(`+theMarker+`.marks)`)), &got); err != nil {
		m.t.Fatal(err)
	}
	return got
}

// mask is the painted mask; nil is none.
func (m marker) mask() *image.Gray {
	m.t.Helper()
	text := browsertest.Eval[string](m.Page, `(async () => {
		const { mask } = await `+theMarker+`.export();
		if (!mask) return "";
		const bytes = new Uint8Array(await mask.arrayBuffer());
		return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
	})()`)
	if text == "" {
		return nil
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		m.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		m.t.Fatal(err)
	}
	gray, ok := img.(*image.Gray)
	if !ok {
		m.t.Fatalf("the mask is a %T", img)
	}
	return gray
}

func (m marker) zoom() float64 {
	m.t.Helper()
	return browsertest.Eval[float64](m.Page, theMarker+`.zoom`)
}

func (m marker) status() string {
	m.t.Helper()
	return browsertest.Eval[string](m.Page, theMarker+`.parts.status.textContent`)
}

// Pointing in a real browser.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	p := newPlace(t)
	p.pages.addresses.most, p.pages.posts.most = 1000, 1000
	picture := p.pictures["media/3f2a"]

	t.Run("a box is the same at any zoom", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{Scale: 2})
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
		// Beyond the edges of the picture it ends with them.
		m.press(`[data-part="fit"]`)
		m.Drag(browsertest.Left, m.at(600, 350), m.at(660, 420))
		if got := m.marks().Boxes; len(got) != 3 || got[2] != (adapters.Box{XMin: 600, YMin: 350, XMax: 640, YMax: 400}) {
			t.Errorf("at the edge: %v", got)
		}
		// Two clicks do in the place of dragging.
		m.Click(m.at(10, 20))
		m.Click(m.at(30, 50))
		if got := m.marks().Boxes; len(got) != 4 || got[3] != (adapters.Box{XMin: 10, YMin: 20, XMax: 31, YMax: 51}) {
			t.Errorf("by two clicks: %v", got)
		}
	})

	t.Run("points", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{})
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
	})

	t.Run("a painted mask", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{Scale: 1.5})
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
	})

	t.Run("by keyboard alone", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{})
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
		// The toolbar and Done are reached by the tab key.
		m.Key(kb.Tab + kb.Tab)
		m.Script(theMarker + `.querySelector("input:checked").focus()`)
		m.Key(kb.Tab)
		if got := browsertest.Eval[string](m.Page, `document.activeElement.dataset.part`); got != "undo" {
			t.Errorf("after the modes comes %q", got)
		}
	})

	t.Run("where the eye sees them", func(t *testing.T) {
		// Stored as 60 by 40 with a red patch; shown turned by a quarter.
		stored := image.NewRGBA(image.Rect(0, 0, 60, 40))
		for i := range stored.Pix {
			stored.Pix[i] = 255
		}
		for y := 24; y < 32; y++ {
			for x := 8; x < 16; x++ {
				stored.Set(x, y, color.RGBA{255, 0, 0, 255})
			}
		}
		m := onPicture(t, b, p, rotated(t, stored), 40, 60, browsertest.Look{})
		seen := redOn(t, m)
		m.Click(seen)
		m.mode("paint")
		m.Script(theMarker + `.brush = 3`)
		m.Click(seen)
		got := m.marks()
		if got.Width != 40 || got.Height != 60 || len(got.Points) != 1 {
			t.Fatalf("%+v", got)
		}
		// Orientation 6 shows the stored (x, y) at (height-1-y, x).
		if at := got.Points[0]; at.X < 8 || at.X > 15 || at.Y < 8 || at.Y > 15 {
			t.Errorf("the mark is at %v", at)
		}
		painted := m.mask()
		if painted.Bounds() != image.Rect(0, 0, 40, 60) || painted.GrayAt(got.Points[0].X, got.Points[0].Y).Y != 255 {
			t.Errorf("the mask is %v", painted.Bounds())
		}
		before := len(p.taken())
		m.press(`[data-part="done"]`)
		m.Wait(`!document.querySelector(".end").hidden`)
		if len(p.taken()) != before+1 || p.taken()[before].Mark.Width != 40 {
			t.Errorf("%d events", len(p.taken())-before)
		}
	})

	t.Run("by touch", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{Width: 390, Height: 844, Scale: 2, Touch: true})
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
	})

	t.Run("the wheel zooms at the mouse", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{})
		m.Script(theMarker + `.zoom = 2`)
		at := m.at(300, 180)
		before := m.zoom()
		m.Wheel(at, -120)
		m.Wait(fmt.Sprintf("%s.zoom > %v", theMarker, before))
		if now := m.at(300, 180); math.Hypot(now.X-at.X, now.Y-at.Y) > 2 {
			t.Errorf("it was at %v, and is at %v", at, now)
		}
	})

	t.Run("marks to go on with", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{})
		m.Script(`(async () => {
			const m = ` + theMarker + `;
			m.mode = "paint";
			m.doc.mask.stroke({ x: 20, y: 30 }, { x: 333, y: 222 }, 41, true);
			await m.load({ points: [{ x: 1, y: 2 }, { x: 3, y: 4, exclude: true }], boxes: [{ xmin: 1, ymin: 2, xmax: 3, ymax: 4 }], mask: await m.doc.mask.png() });
		})()`)
		before := m.mask()
		m.Script(`(async () => { const m = ` + theMarker + `, all = await m.export(); m.clear(); await m.load(all); })()`)
		if diff := cmp.Diff(before.Pix, m.mask().Pix); diff != "" || before.GrayAt(20, 30).Y != 255 {
			t.Error("the mask has changed")
		}
		if got := m.marks(); len(got.Points) != 2 || !got.Points[1].Exclude || len(got.Boxes) != 1 {
			t.Errorf("%+v", got)
		}
		if refused := browsertest.Eval[string](m.Page, theMarker+`.load({ width: 5, height: 5 }).then(() => "", (e) => e.name)`); refused != "RangeError" {
			t.Errorf("marks of another size: %q", refused)
		}
	})

	t.Run("large and tiny pictures", func(t *testing.T) {
		large := onPicture(t, b, p, encode(t, image.NewPaletted(image.Rect(0, 0, 8192, 8192), color.Palette{color.White, color.Black})), 8192, 8192, browsertest.Look{})
		large.mode("paint")
		large.Drag(browsertest.Left, large.at(100, 100), large.at(8000, 8000))
		large.Click(large.at(8191, 0))
		before := len(p.taken())
		large.press(`[data-part="done"]`)
		large.Wait(`!document.querySelector(".end").hidden || document.querySelector(".alert").textContent`)
		if len(p.taken()) != before+1 || p.taken()[before].Mark.Mask == nil {
			t.Errorf("the large one: %s", browsertest.Eval[string](large.Page, `document.querySelector(".alert").textContent`))
		}
		tiny := onPicture(t, b, p, encode(t, gradient(8, 8)), 8, 8, browsertest.Look{})
		tiny.Click(tiny.at(0, 0))
		tiny.Click(tiny.at(7, 7))
		tiny.mode("box")
		tiny.Drag(browsertest.Left, tiny.at(2, 3), tiny.at(2, 3), tiny.at(5, 3))
		want := marked{Width: 8, Height: 8, Points: []adapters.Point{{}, {X: 7, Y: 7}}, Boxes: []adapters.Box{{XMin: 2, YMin: 3, XMax: 6, YMax: 4}}}
		if diff := cmp.Diff(want, tiny.marks()); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("done", func(t *testing.T) {
		m := onPicture(t, b, p, picture, 640, 400, browsertest.Look{Language: "zh-CN"})
		m.press(`[data-part="done"]`)
		if said := browsertest.Eval[string](m.Page, `document.querySelector(".alert").textContent`); !strings.HasPrefix(said, "还没有任何标记") {
			t.Errorf("of nothing it says %q", said)
		}
		m.Click(m.at(5, 6))
		before := len(p.taken())
		p.mu.Lock()
		p.refusal = adapters.ErrRateLimited
		p.mu.Unlock()
		m.Expect("503")
		m.press(`[data-part="done"]`)
		m.Wait(`document.querySelector(".alert").textContent.startsWith("暂时")`)
		p.mu.Lock()
		p.refusal = nil
		p.mu.Unlock()
		m.press(`[data-part="done"]`)
		m.Wait(`!document.querySelector(".end").hidden`)
		if len(p.taken()) != before+1 || !cmp.Equal(p.taken()[before].Mark.Points, []adapters.Point{{X: 5, Y: 6}}) {
			t.Errorf("%+v", p.taken()[before:])
		}
		if got := browsertest.Eval[string](m.Page, `document.activeElement.textContent`); got != "标记已收到" {
			t.Errorf("the focus is on %q", got)
		}
		m.press(`[data-part="again"]`)
		if got := m.marks(); len(got.Points) > 0 {
			t.Errorf("to mark something else it begins with %+v", got)
		}
	})

	t.Run("a picture that is gone", func(t *testing.T) {
		m := marker{t, b.Page(t, browsertest.Look{})}
		m.Expect("410")
		g := testGrant()
		g.Handle = "media/none"
		m.Open(mustLink(t, p.links, g))
		m.Wait(theMarker + `.parts?.status.textContent === "The picture cannot be shown."`)
		if !browsertest.Eval[bool](m.Page, `document.querySelector('[data-part="done"]').disabled`) {
			t.Error("it can be done with")
		}
	})

	t.Run("looks", func(t *testing.T) {
		for name, look := range map[string]browsertest.Look{
			"desktop-light": {}, "desktop-dark": {Dark: true},
			"phone-light": {Width: 390, Height: 844, Scale: 2, Touch: true}, "phone-dark": {Width: 390, Height: 844, Scale: 2, Touch: true, Dark: true, Language: "zh"},
		} {
			m := onPicture(t, b, p, picture, 640, 400, look)
			m.Script(`(async () => {
				const m = ` + theMarker + `;
				m.doc.mask.stroke({ x: 400, y: 280 }, { x: 560, y: 320 }, 60, true);
				await m.load({ points: [{ x: 100, y: 80 }, { x: 180, y: 120, exclude: true }], boxes: [{ xmin: 250, ymin: 60, xmax: 480, ymax: 200 }], mask: await m.doc.mask.png() });
				await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
			})()`)
			m.Screenshot(name)
		}
	})
}

// rotated is a JPEG that is to be shown turned by a quarter, as by EXIF's orientation 6.
func rotated(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	return []byte("\xff\xd8" + exif + b.String()[2:])
}

// redOn is the middle of what is red on the screen.
func redOn(t *testing.T, m marker) browsertest.At {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(m.Shot()))
	if err != nil {
		t.Fatal(err)
	}
	var sum, n browsertest.At
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); r > 0xc000 && g < 0x5000 && b < 0x5000 {
				sum.X, sum.Y, n.X = sum.X+float64(x), sum.Y+float64(y), n.X+1
			}
		}
	}
	if n.X == 0 {
		t.Fatal("nothing on the screen is red")
	}
	return browsertest.At{X: sum.X / n.X, Y: sum.Y / n.X}
}
