package web

import (
	"bytes"
	"fmt"
	"testing"

	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/page"
)

// manyResults is a thread with an answer with several pictures.
func manyResults() page.View {
	v := sampleThread()
	m := v.Thread.Messages[2]
	second := m.Files[0]
	second.Name, second.URL, second.Use = "wide.png", "/wide.png", "bot-00000000000000000000000000000000.1"
	m.Files[0].Use = "bot-00000000000000000000000000000000.0"
	m.Files, m.AllURL = []page.File{m.Files[0], second}, "/t/t1/messages/a3/all.zip"
	v.Thread.Messages[2] = m
	return v
}

// TestUseThis checks that a reused file is sent with the next message without being uploaded.
func TestUseThis(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, manyResults())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	for range 2 { // once is enough
		click(p, `#m-a3 [data-use$=".1"]`)
	}
	p.Wait(`document.querySelectorAll(".chip").length === 1 && document.querySelector(".chip-name").textContent === "wide.png"`)
	p.Open(address + "/t/t1") // as after a reload
	p.Wait(`document.querySelector(".chip img")?.getAttribute("src") === "/wide.png"`)
	p.Screenshot("use")
	click(p, `#m-a3 [data-use$=".0"]`)
	click(p, ".chip:last-child .chip-remove") // the server has nothing to take back
	p.Wait(`document.querySelectorAll(".chip").length === 1`)
	write(p, "turn it")
	enter(p, "")
	if sent := s.next(t); sent.path != "POST /t/t1/messages" || len(sent.form["file"]) != 1 || sent.form.Get("file") != "bot-00000000000000000000000000000000.1" {
		t.Error(sent)
	}
}

// TestCaptionButtonsFit checks that the buttons below a file stay within its frame on phones.
func TestCaptionButtonsFit(t *testing.T) {
	t.Parallel()
	_, address := newStage(t, sampleThread())
	b := browsertest.Start(t)
	for _, width := range []int64{360, 412} {
		p := b.Page(t, browsertest.Look{Width: width, Height: 740, Touch: true, Language: "en"})
		p.Expect("404") // of a file that is gone
		p.Open(address + "/t/t1")
		p.Wait(`document.querySelector("#m-a3 img").complete && !document.querySelector("#m-a3 [data-copy]").hidden`)
		p.Script(`document.querySelector("#m-a3 .caption").scrollIntoView({block: "end"})`)
		p.Screenshot(fmt.Sprintf("caption-%d", width))
		if beyond := browsertest.Eval[int](p, `[...document.querySelectorAll(".caption-buttons > :not([hidden])")].filter((b) =>
			b.getBoundingClientRect().right > b.closest("figure, .card").getBoundingClientRect().right).length`); beyond > 0 {
			t.Errorf("%d pixels wide, %d buttons reach beyond their file", width, beyond)
		}
	}
}

// TestLargePictures moves from picture to picture, and zooms.
func TestLargePictures(t *testing.T) {
	t.Parallel()
	_, address := newStage(t, manyResults())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	click(p, "#m-a3 [data-large]")
	const shows = `document.querySelector("#large img")?.complete && document.getElementById("large-count").textContent === `
	p.Wait(shows + `"2 / 5"`)
	p.Key("\u0303") // the right arrow
	p.Wait(shows + `"3 / 5" && document.querySelector("#large bdi").textContent === "wide.png"`)
	whole := browsertest.Eval[float64](p, `document.querySelector("#large img").getBoundingClientRect().width`)
	click(p, "#large-plus")
	click(p, "#large-plus")
	if near := browsertest.Eval[float64](p, `document.querySelector("#large img").getBoundingClientRect().width`); near < 1.9*whole {
		t.Errorf("it is shown %v and then %v pixels wide", whole, near)
	}
	p.Screenshot("large-near")
	click(p, "#large-left")
	p.Wait(shows + `"2 / 5" && document.getElementById("large-minus").ariaDisabled === "true"`)
	click(p, "#large-left")
	p.Wait(shows + `"1 / 5"`)
	click(p, "#large-left") // there is none before it
	p.Wait(shows + `"1 / 5"`)
	click(p, "#large [autofocus]")
	p.Wait(`!document.getElementById("large").open`)
}

// TestCopy copies a picture to the clipboard, in the format that all clipboards accept, and the text of an answer.
func TestCopy(t *testing.T) {
	t.Parallel()
	_, address := newStage(t, manyResults())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	p.Script(`navigator.clipboard.write = async ([item]) => { window.copied = (await item.getType("image/png")).size; }`)
	p.Wait(`!document.querySelector("#m-a3 [data-copy]").hidden`)
	click(p, `#m-a3 [data-copy]`)
	p.Wait(`window.copied > 100 && document.querySelector(".toast")?.textContent === "Copied."`)
	p.Script(`navigator.clipboard.write = () => Promise.reject(new Error("no"))`)
	click(p, `#m-a3 [data-copy]`)
	p.Wait(`document.querySelector(".toast")?.textContent.startsWith("That could not be copied.")`)
	p.Script(`navigator.clipboard.writeText = async text => { window.text = text; }`)
	click(p, `#m-a3 [data-copy-text]`)
	p.Wait(`window.text && window.text === document.querySelector("#m-a3 .text").innerText`)
}

// TestBeforeAndAfter checks that a picture is shown next to the one that it was made from.
func TestBeforeAndAfter(t *testing.T) {
	t.Parallel()
	v := manyResults()
	v.Thread.Messages[2].Files[0].Before = "/wide.png"
	_, address := newStage(t, v)
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	click(p, "#m-a1 [data-large]")
	p.Wait(`document.getElementById("large-compare").hidden`)
	click(p, "#large-right")
	click(p, "#large-compare")
	p.Wait(`[...document.querySelectorAll("#large img")].map((i) => i.complete && new URL(i.src).pathname).join() === "/wide.png,/picture.png" && document.querySelector("#large figcaption").textContent === "Before"`)
	p.Screenshot("compare")
	click(p, "#large-plus") // both are seen whole
	if n := browsertest.Eval[int](p, `document.querySelectorAll("#large img[style]").length`); n != 0 {
		t.Error("one of both is shown larger")
	}
	click(p, "#large-right") // it has no picture before it
	p.Wait(`document.querySelectorAll("#large img").length === 1`)
	click(p, "#large-left")
	click(p, "#large-compare")
	p.Wait(`document.querySelectorAll("#large img").length === 1`)
}

// TestSideBySide shows the results of one request beside each other, also by the keyboard.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	v := manyResults()
	other := v.Thread.Messages[2]
	other.ID, other.Files = "a5", []page.File{other.Files[1]}
	other.Files[0].Name, other.Files[0].URL = "thicker.png", "/painted.png"
	v.Thread.Messages = append(v.Thread.Messages, other)
	_, address := newStage(t, v)
	for name, look := range map[string]browsertest.Look{"aside": {}, "aside-phone": {Width: 390, Height: 844, Touch: true}} {
		p := browsertest.Start(t).Page(t, look)
		p.Open(address + "/t/t1")
		click(p, "#m-a1 [data-large]") // there are no others
		p.Wait(`document.getElementById("large-aside").hidden`)
		click(p, "#large-right")
		p.Wait(`!document.getElementById("large-aside").hidden`)
		p.Script(`document.getElementById("large-aside").focus()`)
		p.Key("\r")
		shown := `[...document.querySelectorAll("#large figcaption")].map((c) => c.textContent).join()`
		p.Wait(shown + ` === "harbour-3f2a.edge-91bc.png,wide.png,thicker.png" && [...document.querySelectorAll("#large img")].every((i) => i.complete)`)
		p.Screenshot(name)
		p.Script(`document.querySelector('#large [aria-current="true"]').focus()`)
		p.Key("\u0303") // the right arrow
		p.Wait(`document.activeElement.ariaCurrent === "true" && document.activeElement.nextElementSibling.textContent === "wide.png"`)
		p.Key("\r")
		p.Wait(`document.querySelectorAll("#large figure").length === 0 && document.querySelector("#large bdi").textContent === "wide.png" && document.getElementById("large-aside").ariaPressed === "false"`)
		click(p, "#large-aside")
		click(p, "#large [data-at]")
		p.Wait(`document.querySelector("#large bdi").textContent === "harbour-3f2a.edge-91bc.png"`)
	}
}

// TestNotify checks that an answer causes a system notification while the tab is hidden, if the reader wants that.
func TestNotify(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	p.Script(`(() => {
		window.told = [];
		window.Notification = class extends EventTarget {
			static permission = "default";
			static async requestPermission() { return (Notification.permission = "granted"); }
			constructor(title, { body }) { super(); told.push(title + ": " + body); }
		};
		Object.defineProperty(document, "hidden", { get: () => window.away });
	})()`)
	answer := func(id, text string) {
		s.send("message", rendered(t, func(b *bytes.Buffer) error {
			return s.pages.Messages(b, "en", []page.Message{{ID: id, At: noon, Text: markup.Plain(text)}})
		}))
		p.Wait(`document.getElementById("m-` + id + `")`)
	}
	answer("n1", "nobody asked for that")
	click(p, "#notify")
	p.Wait(`document.getElementById("notify").ariaPressed === "true" && document.getElementById("notify").textContent.trim() === "Notifications are on"`)
	answer("n2", "the reader is here")
	p.Script(`window.away = true`)
	answer("n3", "it is done")
	p.Wait(`window.told.join("|") === "Edges of the harbour picture: it is done"`)
	click(p, "#notify")
	answer("n4", "no more")
	if told := browsertest.Eval[int](p, `window.told.length`); told != 1 {
		t.Errorf("%d were shown", told)
	}
}
