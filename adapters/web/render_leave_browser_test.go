package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/page"
)

// While a thread is being deleted its page says so, and it cannot be deleted twice.
func TestDeleting(t *testing.T) {
	t.Parallel()
	_, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	p.Script(`window.fetch = (to, { headers }) => new Promise((done) => { window.sent = headers; window.answer = done; })`)
	click(p, "#forget")
	click(p, "#ask-yes")
	p.Wait(`window.answer && document.getElementById("forget").disabled && document.getElementById("deleting").textContent === "Deleting …"`)
	p.Screenshot("deleting")
	if from := browsertest.Eval[string](p, `sent["HX-Current-URL"]`); from != address+"/t/t1" {
		t.Errorf("who must log in is led back to %q", from)
	}
	p.Script(`answer(new Response('<p role="alert">Not now.</p>', { status: 503 }))`)
	p.Wait(`!document.getElementById("forget").disabled && document.getElementById("deleting").textContent === "" && document.querySelector(".toast").textContent === "Not now."`)
}

// Leaving the dialog of marks does not lose them without a question.
func TestMarksAreNotLost(t *testing.T) {
	t.Parallel()
	_, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	open := func(id string) string { return `document.getElementById("` + id + `").open` }
	begin := func() {
		click(p, `#m-a3 [data-mark]`)
		p.Wait(open("marking") + ` && document.querySelector("#marking picture-marker")?.marks`)
	}
	const escape = "\x1b"
	begin()
	p.Key(escape) // nothing is lost
	p.Wait(`!` + open("marking"))
	begin()
	p.Script(`document.querySelector("picture-marker").load({width: 640, height: 400, points: [{x: 12, y: 34}]})`)
	p.Script(`(() => { window.answers = 0; document.getElementById("ask").addEventListener("close", () => answers++); })()`)
	for i := range 3 { // a browser closes a dialog by itself when it was kept open before
		p.Key(escape)
		p.Wait(open("ask") + ` && document.getElementById("ask-what").textContent === "Discard your marks?"`)
		p.Key(escape)
		p.Wait(fmt.Sprintf("answers === %d", i+1))
	}
	if !browsertest.Eval[bool](p, open("marking")+` && document.querySelector("picture-marker").marks.points.length === 1`) {
		t.Fatal("what was marked is lost")
	}
	click(p, "#marking-close")
	p.Wait(open("ask"))
	click(p, "#ask-yes")
	p.Wait(`!` + open("marking") + ` && !document.querySelector(".chip")`)
}

// Only people who may delete a thread are offered to. People who are let in without a session are shown by name
// too, unless the name is a machine's.
func TestPageIsForWhoReadsIt(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	b := browse(t, c)
	b.is(b.write("message00000000001", "do it"), http.StatusAccepted)
	for who, c := range map[*browser]struct{ can, named bool }{b: {true, false}, b.of("bob"): {false, true}} {
		page := who.get("/t/" + thread1).Body.String()
		if got := strings.Contains(page, `id="forget"`); got != c.can {
			t.Errorf("%s can delete: %v", who.by.ID, got)
		}
		if c.named && !strings.Contains(page, "<bdi>"+who.by.Name+"</bdi></p>") {
			t.Errorf("%s is not named", who.by.ID)
		}
	}
	v := samplePage()
	v.CanLeave, v.Me = false, adapters.Person{ID: "local", Admin: true}
	if page := rendered(t, func(w *bytes.Buffer) error { return c.pages.Page(w, v) }); strings.Contains(page, "side-who") {
		t.Error("who has no name is named")
	}
}

// A stopped request is not shown as failed.
func TestStoppedIsShown(t *testing.T) {
	t.Parallel()
	html := rendered(t, func(b *bytes.Buffer) error {
		return mustPages(t).Messages(b, "en", []page.Message{{ID: "a", By: "Mina", At: noon, Status: "cancelled"}})
	})
	if !strings.Contains(html, "#i-stop") || !strings.Contains(html, `title="Stopped"`) || strings.Contains(html, "did not work") {
		t.Error(html)
	}
}
