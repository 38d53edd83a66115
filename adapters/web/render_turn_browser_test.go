package web

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/page"
)

// A message with marks must say what to do with them, even if the picture comes with it; a picture alone needs no
// text.
func TestMarksNeedWords(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	drop(p, "mine.png")
	s.next(t)
	p.Wait(`document.querySelector(".chip-state")?.textContent === "3 B"`)
	click(p, ".chip-mark")
	p.Wait(`document.querySelector("#marking picture-marker")?.marks`)
	p.Script(`document.querySelector("picture-marker").load({width: 640, height: 400, points: [{x: 12, y: 34}], boxes: []})`)
	click(p, "#marking-use")
	p.Wait(`document.querySelectorAll(".chip").length === 2`)
	enter(p, "")
	p.Wait(`document.getElementById("trouble").textContent === "Say what to do with the marked part."`)
	click(p, ".chip:last-child .chip-remove")
	p.Wait(`document.querySelectorAll(".chip").length === 1`)
	enter(p, "")
	if sent := s.next(t); sent.path != "POST /t/t1/messages" || sent.form.Get("file") != "up-mine.png" || sent.form.Has("marks") {
		t.Error(sent)
	}
}

// A reader at the end stays there when messages arrive, and one who scrolled up is left alone.
func TestStaysAtTheEnd(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	const atEnd = `(() => { const { scrollHeight, scrollTop, clientHeight } = document.getElementById("scroll"); return scrollHeight - scrollTop - clientHeight < 2; })()`
	p.Wait(atEnd)
	// The conversation grows between our scrolling to the end and the scroll event.
	p.Script(`new Promise((done) => {
		const scroll = document.getElementById("scroll");
		addEventListener("scroll", () => {
			const more = document.createElement("p");
			more.id = "more";
			more.textContent = "more\n".repeat(200);
			more.setAttribute("class", "tall");
			document.getElementById("messages").append(more);
			done();
		}, { capture: true, once: true });
		const first = document.createElement("p");
		first.textContent = "first";
		document.getElementById("messages").append(first);
	})`)
	p.Script(`new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))`)
	p.Wait(atEnd)
	for i := range 12 {
		s.send("message", rendered(t, func(b *bytes.Buffer) error {
			return s.pages.Messages(b, "en", []page.Message{{ID: fmt.Sprintf("c%d", i), At: noon, Text: markup.Plain("one\ntwo\nthree\nfour\nfive\nsix"), Files: sampleMessages()[0].Files}})
		}))
	}
	p.Wait(`document.getElementById("m-c11")?.querySelector("img").complete && ` + atEnd)
	click(p, "#m-a3 .work summary") // what opens before the end does not lead away from it
	p.Wait(`document.querySelector("#m-a3 svg.drawing") && ` + atEnd)

	p.Script(`document.getElementById("scroll").scrollBy(0, -400)`)
	p.Wait(`!` + atEnd)
	p.Script(`new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))`)
	before := browsertest.Eval[float64](p, `document.getElementById("scroll").scrollTop`)
	s.send("message", rendered(t, func(b *bytes.Buffer) error {
		return s.pages.Messages(b, "en", []page.Message{{ID: "last", At: noon, Text: markup.Plain("last")}})
	}))
	p.Wait(`document.getElementById("m-last") && !document.getElementById("to-end").hidden`)
	if after := browsertest.Eval[float64](p, `document.getElementById("scroll").scrollTop`); after != before {
		t.Errorf("who reads was moved from %v to %v", before, after)
	}
}

// A reader at the end follows an answer that comes when the progress becomes so small that everything fits the window, which
// moves the conversation to its top.
func TestFollowsAnswerAfterProgress(t *testing.T) {
	t.Parallel()
	view := sampleThread()
	view.Thread.Messages = nil
	s, address := newStage(t, view)
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	told := func(id string, lines int) string {
		return strings.TrimSpace(rendered(t, func(b *bytes.Buffer) error {
			return s.pages.Messages(b, "en", []page.Message{{ID: id, At: noon, Text: markup.Plain(strings.Repeat("line\n", lines))}})
		}))
	}
	const atEnd = `(() => { const { scrollHeight, scrollTop, clientHeight } = document.getElementById("scroll"); return scrollHeight - scrollTop - clientHeight < 2; })()`
	s.send("message", told("p1", 40))
	p.Wait(`document.getElementById("m-p1") && ` + atEnd)
	p.Script(`new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))`)
	// Both events arrive before the browser tells that it has moved the conversation.
	p.Script(fmt.Sprintf(`new Promise((done) => {
		const scroll = document.getElementById("scroll");
		for (const data of [%q, %q]) {
			const event = new CustomEvent("htmx:sseBeforeMessage", { detail: { type: "message", data }, cancelable: true });
			document.querySelector("[sse-connect]").dispatchEvent(event);
			scroll.scrollTop = Math.min(scroll.scrollTop, scroll.scrollHeight - scroll.clientHeight);
		}
		scroll.dispatchEvent(new Event("scroll"));
		requestAnimationFrame(() => requestAnimationFrame(done));
	})`, told("p1", 1), told("p2", 60)))
	p.Wait(`document.getElementById("m-p2") && ` + atEnd)
}

// A button that replaces another one does not inherit its action.
func TestReplyAfterStop(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	tell := func(m page.Message) {
		s.send("message", rendered(t, func(b *bytes.Buffer) error { return s.pages.Messages(b, "en", []page.Message{m}) }))
	}
	asked := page.Message{ID: "b1", By: "Mina", Mine: true, At: noon, Text: markup.Plain("a cartoon"), Status: adapters.Seen, CanStop: true, ActURL: "/t/t1/messages/b1/act"}
	tell(asked)
	p.Wait(`document.querySelectorAll("#m-b1 .act").length === 2`)
	asked.CanStop, asked.Status = false, adapters.Done
	tell(asked)
	p.Wait(`document.querySelectorAll("#m-b1 .act").length === 1`)
	click(p, "#m-b1 [data-reply]")
	p.Wait(`!document.getElementById("reply-to").hidden`)
	write(p, "and larger")
	enter(p, "")
	if sent := s.next(t); sent.path != "POST /t/t1/messages" || sent.form.Get("reply_to") != "b1" {
		t.Errorf("Reply was taken as %v", sent)
	}
}
