package point //nolint:testpackage // the pages are looked into

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
)

func browseRotated(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	// Stored as 60 by 40 with a red patch; displayed rotated by 90 degrees.
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
}

func browseLoad(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{})
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
}

func browseSizes(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
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
}

func browseDone(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, browsertest.Look{Language: "zh-CN"})
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
}

func browseGone(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	m := marker{t, b.Page(t, browsertest.Look{})}
	m.Expect("410")
	g := testGrant()
	g.Handle = "media/none"
	m.Open(mustLink(t, p.links, g))
	if said := browsertest.Eval[string](m.Page, `document.querySelector("main").textContent`); !strings.Contains(said, goneSentence) {
		t.Errorf("of one that is gone it says %q", said)
	}
	g.Handle = "media/broken"
	p.mu.Lock()
	p.pictures[g.Handle] = p.pictures["media/3f2a"][:40]
	p.mu.Unlock()
	m.Open(mustLink(t, p.links, g))
	m.Wait(theMarker + `.parts?.status.textContent === "The picture cannot be shown."`)
	if !browsertest.Eval[bool](m.Page, `document.querySelector('[data-part="done"]').disabled`) {
		t.Error("one that is broken can be done with")
	}
}

func browseLooks(t *testing.T, b *browsertest.Browser, p *place) { //nolint:thelper // a case of TestBrowser
	for name, look := range map[string]browsertest.Look{
		"desktop-light": {}, "desktop-dark": {Dark: true},
		"phone-light": {Width: 390, Height: 844, Scale: 2, Touch: true}, "phone-dark": {Width: 390, Height: 844, Scale: 2, Touch: true, Dark: true, Language: "zh"},
	} {
		m := onPicture(t, b, p, p.pictures["media/3f2a"], 640, 400, look)
		m.Script(`(async () => {
			const m = ` + theMarker + `;
			m.doc.mask.stroke({ x: 400, y: 280 }, { x: 560, y: 320 }, 60, true);
			await m.load({ points: [{ x: 100, y: 80 }, { x: 180, y: 120, exclude: true }], boxes: [{ xmin: 250, ymin: 60, xmax: 480, ymax: 200 }], mask: await m.doc.mask.png() });
			m.mode = "paint";
			await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
		})()`)
		m.Screenshot(name)
	}
}

// rotated returns a JPEG that is displayed rotated by 90 degrees, by EXIF orientation 6.
func rotated(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	return []byte("\xff\xd8" + exif + b.String()[2:])
}

// redOn returns the centre of the red area on the screen.
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
