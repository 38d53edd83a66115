package web

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
)

// TestChannelInBrowser is an end-to-end test in a browser: a request with a picture, progress, an answer with a
// picture and a page, a choice, and the deletion of the thread.
func TestChannelInBrowser(t *testing.T) {
	t.Parallel()
	media := newFiles()
	c := newChannel(t, newMemory(), media)
	ctx, events, address := listened(t, c)
	p := browsertest.Start(t).Page(t, browsertest.Look{})

	p.Open(address + "/")
	drop(p, "photo.txt")
	p.Wait(`document.querySelector(".chip .chip-state")?.textContent === "3 B"`)
	write(p, "Find the <b>edges</b>.")
	enter(p, "")
	asked := <-events
	if asked.Message == nil || asked.Message.Text != "Find the <b>edges</b>." || len(asked.Message.Files) != 1 {
		t.Fatalf("received %+v", asked)
	}
	p.Wait(`location.pathname.startsWith("/t/") && document.querySelectorAll("#messages article").length === 1`)

	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Acknowledge(ctx, asked.Message.Ref, adapters.Seen))
	progress := adapters.Progress{Thread: asked.Thread, Request: asked.Message.Ref.ID, Title: "The edges", Steps: []adapters.ProgressStep{{Key: "1", Text: "find edges", State: adapters.StepRunning}}}
	at, err := c.Report(ctx, "p", adapters.MessageRef{}, progress)
	must(err)
	p.Wait(`document.querySelector(".progress .step.running")`)
	progress.Ended, progress.Steps[0].State, progress.Steps[0].Took = true, adapters.StepDone, time.Second
	_, err = c.Report(ctx, "p", at, progress)
	must(err)
	must(media.Put(ctx, "threads/x/edges.png", bytes.NewReader(square(t))))
	must(media.Put(ctx, "threads/x/page.html", strings.NewReader("<!doctype html><title>x</title><h1>The harbour</h1>")))
	reply := adapters.Reply{
		Thread: asked.Thread, AnswerTo: asked.Message.Ref, Text: "Here are the **edges**.", Choices: []adapters.Choice{{ID: "one", Text: "softer"}},
		Files: []adapters.Attachment{
			{Name: "edges-1.png", Type: "image/png", Alt: "edges", Size: int64(len(square(t))), Handle: "threads/x/edges.png"},
			{Name: "page-1.html", Type: "text/html", Size: 51, Handle: "threads/x/page.html"},
		},
	}
	answer, err := c.Send(ctx, "k", reply)
	must(err)
	must(c.Offer(ctx, answer, 1))
	must(c.Acknowledge(ctx, asked.Message.Ref, adapters.Done))
	p.Wait(`document.querySelector(".bot img")?.naturalWidth === 64 && document.querySelector(".bot strong")?.textContent === "edges"`)
	p.Wait(`document.querySelector(".choice:not([disabled])")`)
	p.Screenshot("channel")
	click(p, ".choice")
	chosen := <-events
	if r := chosen.Reaction; r == nil || r.Number != 1 || r.Choice != "one" || r.On.Key() != answer.Key() {
		t.Errorf("a choice arrived as %+v", chosen)
	}
	p.Wait(`document.querySelector(".choice").getAttribute("aria-pressed") === "true"`)
	click(p, ".choice")
	if back := <-events; back.Kind != adapters.ReactionRemoved {
		t.Errorf("the withdrawn choice arrived as %+v", back)
	}

	// A hidden tab that awaits nothing gives its connection back, and catches up when it is shown.
	p.Script(`window.ended = 0; EventSource.prototype.close = new Proxy(EventSource.prototype.close, {apply: (f, of) => (window.ended++, f.call(of))})`)
	p.Script(`window.away = true; Object.defineProperty(document, "hidden", {get: () => window.away}); document.dispatchEvent(new Event("visibilitychange"))`)
	p.Wait(`window.ended === 1`)
	p.Expect("[object Event]") // htmx logs that the connection was opened anew
	_, err = c.Send(ctx, "l", adapters.Reply{Thread: asked.Thread, Text: "Meanwhile."})
	must(err)
	p.Script(`window.away = false; document.dispatchEvent(new Event("visibilitychange"))`)
	p.Wait(`document.querySelector("#messages").textContent.includes("Meanwhile.")`)

	click(p, "#forget")
	p.Wait(`document.getElementById("ask").open`)
	click(p, "#ask-yes")
	p.Wait(`location.pathname === "/" && !document.querySelector("#threads a")`)
}

// square is a PNG of 64 by 64 pixels.
func square(t *testing.T) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range 64 {
		m.SetGray(i, i, color.Gray{Y: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
