package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"atelier/adapters/web/browsertest"
	"atelier/bot/clitest"
)

// talk is a person's conversation in the browser.
type talk struct {
	*browsertest.Page

	t       *testing.T
	answers int // so many of the bot's were waited for
}

// sits opens the web page.
func sits(t *testing.T, b *browsertest.Browser, at *clitest.Open) *talk {
	t.Helper()
	k := &talk{Page: b.Page(t, browsertest.Look{}), t: t}
	k.Open(at.Address)
	k.Wait(`document.getElementById("composer")`)
	return k
}

// attach chooses a file, and waits until it is uploaded.
func (k *talk) attach(path string) {
	k.t.Helper()
	k.Do(chromedp.SetUploadFiles("#files", []string{path}))
	k.Wait(`document.querySelector("#chips .chip-mark:not([hidden])")`)
}

// says writes a request and sends it.
func (k *talk) says(wish string) {
	k.t.Helper()
	k.Script(`document.getElementById("text").focus()`)
	k.Key(wish)
	k.Key("\r")
	k.Wait(`location.pathname.startsWith("/t/") && document.getElementById("text")?.value === ""`)
}

// answered waits for one more answer with a file, and returns that as a picture.
func (k *talk) answered() image.Image {
	k.t.Helper()
	k.answers++
	const shown = `[...document.querySelectorAll("article.bot:not(.progress) .files")].map((f) => f.querySelector("img"))`
	k.Wait(fmt.Sprintf(`%s.length >= %d`, shown, k.answers))
	k.Wait(fmt.Sprintf(`((img) => { img.scrollIntoView(); return img.complete && img.naturalWidth; })(%s[%d])`, shown, k.answers-1))
	content := browsertest.Eval[string](k.Page, fmt.Sprintf(`fetch(%s[%d].src).then((r) => r.arrayBuffer())
		.then((b) => btoa(Array.from(new Uint8Array(b), (c) => String.fromCharCode(c)).join("")))`, shown, k.answers-1))
	b, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		k.t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		k.t.Fatal(err)
	}
	return img
}

// marks opens the dialog of the first picture that has the button, and draws in it.
func (k *talk) marks(button, mode string, draw func(at func(x, y int) browsertest.At)) {
	k.t.Helper()
	k.Script(`((b) => { b.scrollIntoView(); b.click(); })(document.querySelector("` + button + `"))`)
	const marker = `document.querySelector("#marking picture-marker")`
	k.Wait(marker + `?.marks`)
	k.Script(`document.querySelector('#marking input[value="` + mode + `"]').click()`)
	k.Wait(marker + `.mode === "` + mode + `"`)
	draw(func(x, y int) browsertest.At {
		return browsertest.Eval[browsertest.At](k.Page, fmt.Sprintf(`(async () => {
			for (let i = 0; i < 2; i++) await new Promise((next) => requestAnimationFrame(next)); // it follows its room
			const m = %s, box = m.parts.stage.getBoundingClientRect(), place = (at, offset) => offset + (at + 0.5) * m.zoom;
			return { x: box.left + 1 + place(%d, m.view.x), y: box.top + 1 + place(%d, m.view.y) };
		})()`, marker, x, y))
	})
	k.Screenshot("marking-" + mode)
	k.Script(`document.getElementById("marking-use").click()`)
	k.Wait(`!document.getElementById("marking").open && document.querySelector("#chips .chip")`)
}

// chequered returns a picture in which all places look different.
func chequered(t *testing.T, width, height int) (path string, img *image.NRGBA) {
	t.Helper()
	img = image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(y), uint8(x/256*16 + y/256), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "squares.png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, img
}

// TestBrowser does what a newcomer does: upload a picture, ask for its edges, choose an alternative, and mark a
// place.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	o := clitest.OpenWeb(t, t.TempDir(), "127.0.0.1:0")
	path, original := chequered(t, 900, 600)
	k := sits(t, b, o)
	k.Script(`window.seen = new Set(); new MutationObserver(() => {
		for (const s of document.querySelectorAll("article.progress .step")) seen.add(s.className);
	}).observe(document.body, { childList: true, subtree: true, attributes: true })`)

	k.attach(path)
	k.Screenshot("attached")
	k.says("find the edges in this picture")
	edges := k.answered()
	if edges.Bounds() != original.Bounds() {
		t.Errorf("the edges are %v", edges.Bounds())
	}

	k.says("give me a smaller preview picture of squares.png")
	k.answered()
	k.Wait(`document.querySelector(".choice:not([disabled])")`)
	k.Screenshot("answered")
	k.Script(`document.querySelector(".choice:not([disabled])").click()`)
	another := k.answered()
	if another.Bounds().Dx() >= 900 {
		t.Errorf("another way gave %v", another.Bounds())
	}
	if n := browsertest.Eval[int](k.Page, `document.querySelectorAll(".choice[aria-pressed=true]").length`); n != 1 {
		t.Errorf("%d ways are shown as chosen", n)
	}

	k.marks("button.mark", "box", func(at func(x, y int) browsertest.At) {
		k.Drag(browsertest.Left, at(120, 80), at(200, 200), at(419, 279))
	})
	k.says("crop to this")
	exactly(t, "the crop", k.answered(), original.SubImage(image.Rect(120, 80, 420, 280)))

	k.marks("button.mark", "paint", func(at func(x, y int) browsertest.At) {
		k.Script(`document.querySelector("#marking picture-marker").brush = 60`)
		k.Drag(browsertest.Left, at(300, 300), at(400, 300), at(500, 300))
	})
	k.says("keep only the marked part")
	cut := k.answered()
	if cut.Bounds() != original.Bounds() {
		t.Fatalf("the cut-out is %v", cut.Bounds())
	}
	for y := range 600 {
		for x := range 900 {
			inside := y > 275 && y < 325 && x > 300 && x < 500
			outside := y < 265 || y > 335 || x < 265 || x > 535
			got := color.NRGBAModel.Convert(cut.At(x, y))
			if _, _, _, alpha := got.RGBA(); inside && got != original.At(x, y) || outside && alpha != 0 {
				t.Fatalf("at %d,%d it is %v", x, y, got)
			}
		}
	}
	k.Script(`document.querySelector("details.work").open = true`)
	k.Wait(`document.querySelector("details.work svg.drawing")`)
	k.Script(`document.querySelector("details.work").scrollIntoView()`)
	k.Screenshot("work")
	thread := browsertest.Eval[string](k.Page, `location.href`)
	for _, look := range []struct {
		name string
		browsertest.Look
	}{
		{"desktop-light", browsertest.Look{}}, {"desktop-dark", browsertest.Look{Dark: true}},
		{"phone-light", browsertest.Look{Width: 390, Height: 844, Scale: 2, Touch: true}},
		{"phone-dark", browsertest.Look{Width: 390, Height: 844, Scale: 2, Touch: true, Dark: true}},
	} {
		p := b.Page(t, look.Look)
		for name, address := range map[string]string{"thread": thread, "empty": o.Address, "tools": o.Address + "/tools"} {
			p.Open(address)
			p.Wait(`document.readyState === "complete"`)
			p.Wait(`[...document.images].every((i) => i.loading === "lazy" || i.complete)`)
			if browsertest.Eval[bool](p, `document.documentElement.scrollWidth > innerWidth`) {
				t.Errorf("%s of %s is wider than the window", name, look.name)
			}
			p.Screenshot(name + "-" + look.name)
		}
	}
}

// TestBrowserMarksWhereTheEyeSees crops a photo that a phone has stored rotated, and that is marked before it is
// sent.
func TestBrowserMarksWhereTheEyeSees(t *testing.T) {
	t.Parallel()
	stored := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for y := range 300 {
		for x := range 400 {
			stored.Set(x, y, color.White)
			if x >= 40 && x < 120 && y >= 200 && y < 280 { // is shown from (20, 40) to (100, 120)
				stored.Set(x, y, color.RGBA{255, 0, 0, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, stored, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	const turned = "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	path := filepath.Join(t.TempDir(), "phone.jpg")
	if err := os.WriteFile(path, []byte("\xff\xd8"+turned+b.String()[2:]), 0o600); err != nil {
		t.Fatal(err)
	}
	k := sits(t, browsertest.Start(t), clitest.OpenWeb(t, t.TempDir(), "127.0.0.1:0"))
	k.attach(path)
	k.marks(".chip-mark", "box", func(at func(x, y int) browsertest.At) {
		k.Drag(browsertest.Left, at(20, 40), at(99, 119))
	})
	k.says("crop to this")
	crop := k.answered()
	if crop.Bounds() != image.Rect(0, 0, 80, 80) {
		t.Fatalf("the crop is %v", crop.Bounds())
	}
	for y := 4; y < 76; y++ {
		for x := 4; x < 76; x++ {
			if r, g, b, _ := crop.At(x, y).RGBA(); r < 0xe000 || g > 0x2800 || b > 0x2800 {
				t.Fatalf("at %d,%d it is %v", x, y, crop.At(x, y))
			}
		}
	}
}

// TestBrowserSeesProgressAndARestart begins a long request, ends the program meanwhile, and starts it again: the
// page stays.
func TestBrowserSeesProgressAndARestart(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	data := t.TempDir()
	o := clitest.OpenWeb(t, data, "127.0.0.1:0")
	path, _ := chequered(t, 1200, 800)
	k := sits(t, b, o)
	k.attach(path)
	k.says("upscale this picture twice, then find its edges, then blur the result, then rotate that by 90 degrees")
	k.Wait(`document.querySelector("article.progress .step.running")`)
	k.Screenshot("progress")
	k.Expect("ERR_") // while nobody serves
	k.Expect("[object Event]")
	o.End()
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	again := clitest.OpenWeb(t, data, o.Address[len("http://"):])
	if img := k.answered(); img.Bounds() != image.Rect(0, 0, 1600, 2400) {
		t.Errorf("it made %v\n%s", img.Bounds(), again.Log)
	}
	k.Wait(`!document.querySelector(".step.running")`)
}

// exactly checks that two pictures are equal, pixel by pixel.
func exactly(t *testing.T, name string, got, want image.Image) {
	t.Helper()
	at := want.Bounds().Min
	if d := cmp.Diff(want.Bounds().Size(), got.Bounds().Size()); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			a, b := color.NRGBAModel.Convert(want.At(at.X+x, at.Y+y)), color.NRGBAModel.Convert(got.At(x, y))
			if a != b {
				t.Fatalf("%s: at %d,%d it is %v and not %v", name, x, y, b, a)
			}
		}
	}
}
