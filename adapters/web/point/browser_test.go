package point //nolint:testpackage // the pages are looked into

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"testing"

	"atelier/adapters/web/browsertest"
)

// marker is the picture marker of a page.
type marker struct {
	t *testing.T
	*browsertest.Page
}

// onPicture opens the marking page of a picture.
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

// at returns the centre of a pixel of the picture on the screen, once the layout is done.
func (m marker) at(x, y int) browsertest.At {
	m.t.Helper()
	return browsertest.Eval[browsertest.At](m.Page, fmt.Sprintf(`(async () => {
		for (let i = 0; i < 2; i++) await new Promise((next) => requestAnimationFrame(next)); // it follows its room
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

// mask returns the painted mask, or nil.
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

// Marking in a real browser.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	p := newPlace(t)
	p.pages.addresses.most, p.pages.posts.most = 1000, 1000
	for _, c := range []struct {
		name string
		test func(*testing.T, *browsertest.Browser, *place)
	}{
		{"a box is the same at any zoom", browseBoxes},
		{"points", browsePoints},
		{"a painted mask", browseMask},
		{"by keyboard alone", browseKeyboard},
		{"where the eye sees them", browseRotated},
		{"by touch", browseTouch},
		{"the wheel zooms at the mouse", browseWheel},
		{"marks to go on with", browseLoad},
		{"large and tiny pictures", browseSizes},
		{"done", browseDone},
		{"a picture that is gone", browseGone},
		{"looks", browseLooks},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, b, p) })
	}
}
