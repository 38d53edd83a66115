package web

import (
	"bytes"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/page"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Expect("503")
	p.Open(address + "/t/t1")

	s.refuse <- "The disk is full."
	drop(p, "photo <b>.png")
	p.Wait(`document.querySelector(".chip.failed .chip-state")?.textContent === "The disk is full."`)
	first := s.next(t)
	if first.path != "POST /t/t1/files" || first.form.Get("name") != "photo <b>.png" || string(first.body) != "abc" {
		t.Error(first)
	}
	write(p, "What is <this>?")
	enter(p, "")
	p.Wait(`document.getElementById("trouble").textContent.startsWith("Some files")`)
	p.Screenshot("composer-failed")
	click(p, ".chip-again")
	s.next(t)
	p.Wait(`document.querySelector(".chip:not(.failed) .chip-state")?.textContent === "3 B"`)

	p.Open(address + "/t/t1") // as after a reload
	p.Wait(`document.querySelector(".chip .chip-name")?.textContent === "photo <b>.png" && document.getElementById("text").value === "What is <this>?"`)
	p.Screenshot("composer")

	enter(p, ", isComposing: true")
	enter(p, ", shiftKey: true")
	s.refuse <- "Try again in a moment."
	enter(p, "")
	tried := s.next(t)
	p.Wait(`document.getElementById("trouble").textContent === "Try again in a moment."`)
	click(p, "#send")
	again := s.next(t)
	p.Wait(`document.getElementById("text").value === "" && !document.querySelector(".chip")`)
	if id := tried.form.Get("id"); !chat.ValidID.MatchString(id) || again.form.Get("id") != id {
		t.Errorf("first %v, then %v", tried.form, again.form)
	}
	if tried.form.Get("text") != "What is <this>?" || tried.form.Get("file") != "up-photo <b>.png" || tried.path != "POST /t/t1/messages" {
		t.Error(tried)
	}

	click(p, `#m-a3 [data-reply]`)
	s.refuse <- "No."
	write(p, "one")
	enter(p, "")
	one := s.next(t)
	p.Wait(`document.getElementById("trouble").textContent === "No."`)
	write(p, "two")
	enter(p, "")
	two := s.next(t)
	if one.form.Get("reply_to") != "a3" || two.form.Get("reply_to") != "a3" || one.form.Get("id") == two.form.Get("id") {
		t.Errorf("another text is the same message: %v %v", one.form, two.form)
	}
	p.Wait(`!document.getElementById("text").readOnly`)

	drop(p, "gone.png")
	s.next(t)
	p.Wait(`document.querySelector(".chip-state")?.textContent === "3 B"`)
	click(p, ".chip-remove")
	if gone := s.next(t); gone.path != "DELETE /t/t1/files/up-gone.png" {
		t.Error(gone)
	}
	enter(p, "")
	p.Wait(`document.getElementById("trouble").textContent === "Write something, or attach a file."`)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleEmpty())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/")
	click(p, ".example-own")
	p.Wait(`document.getElementById("text").value === "Show me the edges of this picture" && document.getElementById("hint").textContent.includes("Attach a picture")`)
	p.Screenshot("example")
	drop(p, "a.png")
	s.next(t)
	p.Wait(`document.getElementById("hint").hidden && document.querySelector(".chip-state").textContent === "3 B"`)
	enter(p, "")
	if sent := s.next(t); sent.path != "POST /t/fresh0000000000000/messages" {
		t.Error(sent)
	}
	if to := <-s.visited; to != "/t/fresh0000000000000" {
		t.Error(to)
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	click(p, `#m-a3 [data-mark]`)
	p.Wait(`document.querySelector("#marking picture-marker")?.marks`)
	click(p, "#marking-use")
	p.Wait(`document.getElementById("marking-trouble").textContent === "Mark something first."`)
	p.Script(`(async () => {
		const c = new OffscreenCanvas(640, 400), g = c.getContext("2d");
		g.fillRect(0, 0, 640, 400); g.fillStyle = "#fff"; g.fillRect(200, 100, 90, 60);
		const mask = await c.convertToBlob({type: "image/png"});
		await document.querySelector("picture-marker").load({width: 640, height: 400, points: [{x: 12, y: 34}, {x: 5, y: 6, exclude: true}], boxes: [{xmin: 300, ymin: 20, xmax: 500, ymax: 220}], mask});
	})()`)
	p.Screenshot("marking")
	click(p, "#marking-use")
	if mask := s.next(t); mask.form.Get("for") != "mask" || !bytes.HasPrefix(mask.body, []byte("\x89PNG")) {
		t.Error(mask.form)
	}
	p.Wait(`document.querySelector(".chip-state")?.textContent === "points: 2, boxes: 1, painted"`)
	p.Wait(`document.querySelector(".chip .marked image")?.getAttribute("href") === "/picture.png" && document.querySelectorAll(".chip .marked-point").length === 2`)
	if box := browsertest.Eval[string](p, `(({ x, y, width, height }) => [x, y, width, height].map((v) => v.baseVal.value).join())(document.querySelector(".chip .marked-box"))`); box != "300,20,200,200" {
		t.Errorf("the chip draws the box %s", box)
	}
	p.Screenshot("marked")
	enter(p, "")
	p.Wait(`document.getElementById("trouble").textContent.startsWith("Say what")`)
	write(p, "remove this")
	enter(p, "")
	want := `[{"picture":"harbour-3f2a.edge-91bc.png","width":640,"height":400,"points":[{"x":12,"y":34},{"x":5,"y":6,"exclude":true}],` +
		`"boxes":[{"xmin":300,"ymin":20,"xmax":500,"ymax":220}],"mask":"up-mask.png"}]`
	if sent := s.next(t); sent.form.Get("marks") != want {
		t.Error(sent.form.Get("marks"))
	}
}

// Streamed changes are inserted, and unchanged elements are left alone.
func TestStreamPage(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	all := sampleMessages()
	html := func(m ...page.Message) string {
		return rendered(t, func(b *bytes.Buffer) error { return s.pages.Messages(b, "en", m) })
	}
	p.Script(`(() => { const d = document.querySelector("#m-a3 .work"); d.open = true; window.video = document.querySelector("video");
		window.touched = 0; new MutationObserver((all) => touched += all.length).observe(document.getElementById("m-a4"), {subtree: true, childList: true, attributes: true, characterData: true}); })()`)
	p.Wait(`document.querySelector("#m-a3 svg.drawing")`)
	p.Script(`document.getElementById("scroll").scrollTo(0, 0)`)
	p.Script(`new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))`)

	changed, film := all[2], all[5]
	changed.Choices[0].Pressed = 7
	film.Text = markup.Markdown("A *film*, and more.")
	added := page.Message{ID: "b1", At: noon, Text: markup.Markdown("Here **it** is.")}
	s.send("message", html(all[3], changed, film))
	s.send("message", html(added))
	p.Wait(`document.getElementById("m-b1") && document.querySelector("#m-a3 .pressed")?.textContent === "chosen: 7"`)
	for what, holds := range map[string]string{
		"what is the same is left alone": `touched === 0`,
		"the drawing stays open":         `document.querySelector("#m-a3 .work").open && document.querySelector("#m-a3 svg.drawing") !== null`,
		"a film goes on":                 `window.video === document.querySelector("video") && document.querySelector("#m-a6 .text em").textContent === "film"`,
		"nothing is twice":               `document.querySelectorAll("#m-a3").length === 1 && document.querySelectorAll("#messages > *").length === 10`,
		"it is announced":                `document.getElementById("announce").textContent === "New answer: Here it is."`,
		"the reader is not moved":        `document.getElementById("scroll").scrollTop === 0 && !document.getElementById("to-end").hidden`,
		"times are local":                `/^\w+ \d+/.test(document.querySelector("#m-b1 time").textContent)`,
	} {
		if !browsertest.Eval[bool](p, holds) {
			t.Errorf("it does not hold that %s", what)
		}
	}
	click(p, "#to-end")
	p.Wait(`document.getElementById("to-end").hidden && document.getElementById("scroll").scrollTop > 0`)

	progress := all[8]
	steps := *progress.Progress
	steps.Steps = append([]adapters.ProgressStep(nil), steps.Steps...)
	steps.Steps[1].State = adapters.StepDone
	progress.Progress = &steps
	s.send("message", html(progress))
	p.Wait(`document.querySelectorAll("#m-a9 .step.done").length === 2`)
	s.send("threads", rendered(t, func(b *bytes.Buffer) error {
		return s.pages.Threads(b, "en", []page.ThreadLine{{ID: "t9", Title: "Only one", At: noon}})
	}))
	p.Wait(`document.querySelectorAll("#threads li").length === 1 && document.querySelector("#threads bdi").textContent === "Only one"`)
	s.send("gone", "t1")
	if to := <-s.visited; to != "/" {
		t.Error(to)
	}
}

// A page whose connection was cut recovers, and says so if that takes a while.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Expect("ERR_INCOMPLETE_CHUNKED_ENCODING")
	p.Expect("[object Event]") // so htmx notes it
	p.Open(address + "/t/t1")
	p.Script(`Object.defineProperty(document, "hidden", {get: () => true, configurable: true})`)
	s.events <- "retry: 10\nid: 57\nevent: message\ndata: " + strings.ReplaceAll(rendered(t, func(b *bytes.Buffer) error {
		return s.pages.Messages(b, "en", []page.Message{{ID: "b1", At: noon, Text: markup.Plain("hello")}})
	}), "\n", "\ndata: ") + "\n\n"
	p.Wait(`document.title.startsWith("(1) ") && document.querySelector("[sse-connect]").getAttribute("sse-connect") === "/t/t1/events?after=57"`)
	if from := <-s.streams; from != "after=41 " {
		t.Error(from)
	}
	p.Script(`window.opened = window.told = 0;
		document.querySelector("[sse-connect]").addEventListener("htmx:sseOpen", () => opened++);
		new MutationObserver(() => told++).observe(document.getElementById("connection"), {attributes: true, childList: true});`)
	s.events <- "" // cuts it
	if from := <-s.streams; from != "after=41 57" {
		t.Error(from)
	}
	p.Wait(`opened === 1`)
	if browsertest.Eval[int](p, `told`) > 0 {
		t.Error("a step that ends at once is shown")
	}
	p.Script(`window.setTimeout = ((later) => (f, ms) => later(f, ms === 3000 ? 0 : ms))(window.setTimeout)`) // a while has passed
	s.events <- "retry: 500\n\n"
	s.events <- ""
	if from := <-s.streams; from != "after=41 57" {
		t.Error(from)
	}
	p.Wait(`document.getElementById("connection").className === "banner found"`)
	p.Wait(`document.getElementById("connection").hidden`)
	p.Script(`delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))`)
	p.Wait(`!document.title.startsWith("(")`)
}

func TestActs(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{Width: 390, Height: 844, Touch: true})
	p.Expect("503")
	p.Open(address + "/t/t1")
	p.Wait(`window.htmx && document.querySelector("#theme").textContent.trim() !== ""`)
	s.refuse <- "Not now."
	click(p, `#m-a3 .act[hx-vals*=again]`)
	tried := s.next(t)
	p.Wait(`document.querySelector(".toast")?.textContent === "Not now."`)
	click(p, `#m-a3 .act[hx-vals*=again]`)
	again := s.next(t)
	if tried.path != "POST /t/t1/messages/a3/act" || tried.form.Get("sign") != "again" || !chat.ValidID.MatchString(tried.form.Get("id")) ||
		again.form.Get("id") != tried.form.Get("id") {
		t.Error(tried, again)
	}
	click(p, `#m-a3 .choice[data-key="1"]`)
	if c := s.next(t).form; c.Get("sign") != "choose" || c.Get("number") != "1" || c.Has("back") {
		t.Error(c)
	}
	click(p, `#m-a3 .choice[data-key="2"]`)
	if c := s.next(t).form; c.Get("number") != "2" || c.Get("back") != "true" {
		t.Error(c)
	}
	click(p, `#m-a3 [data-act=remove]`)
	p.Wait(`document.getElementById("ask").open`)
	p.Screenshot("ask")
	click(p, "#ask-yes")
	if c := s.next(t).form; c.Get("sign") != "remove" {
		t.Error(c)
	}
	click(p, "#menu")
	p.Wait(`document.getElementById("main").inert && getComputedStyle(document.getElementById("side")).visibility === "visible"`)
	p.Script(`Promise.all(document.getElementById("side").getAnimations().map((a) => a.finished.catch(() => {})))`)
	p.Screenshot("menu")
	click(p, "#side-close")
	p.Wait(`!document.getElementById("main").inert`)
	click(p, "#m-a1 [data-large]")
	p.Wait(`document.querySelector("#large img")?.complete`)
	p.Screenshot("large")
	if alt := browsertest.Eval[string](p, `document.querySelector("#large img").alt`); !strings.HasPrefix(alt, "The harbour") {
		t.Error(alt)
	}
	click(p, "#large [autofocus]")
	click(p, "#forget")
	p.Wait(`document.getElementById("ask").open`)
	click(p, "#ask-yes")
	if f := s.next(t); f.path != "POST /t/t1/forget" {
		t.Error(f)
	}
	if to := <-s.visited; to != "/" {
		t.Error(to)
	}
}
