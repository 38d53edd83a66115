package web

import (
	"bytes"
	"io"
	"testing"

	"atelier/adapters/web/browsertest"
)

// TestSpeakInBrowser checks that a recording is sent without text, with its attachments and the message replied
// to; that it can be discarded; and that people without a microphone are told.
func TestSpeakInBrowser(t *testing.T) {
	t.Parallel()
	c := newChannel(t, newMemory(), newFiles())
	ctx, events, address := listened(t, c)
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	const there, recording = `!document.getElementById("speak").hidden`, `!document.getElementById("speaking").hidden`
	const heard = `document.querySelector("#speaking time").textContent !== "0:00"`

	p.Open(address + "/")
	p.Wait(there)
	write(p, "blur it")
	p.Wait(`document.getElementById("speak").hidden`)
	p.Script(`{ const text = document.getElementById("text"); text.value = ""; text.dispatchEvent(new Event("input")); }`)
	p.Wait(there)

	click(p, "#speak")
	p.Wait(recording)
	click(p, "#speaking button")
	p.Wait(`document.getElementById("speaking").hidden && document.getElementById("chips").children.length === 0`)

	drop(p, "photo.txt")
	p.Wait(`document.querySelector(".chip .chip-state")?.textContent === "3 B"`)
	click(p, "#speak")
	p.Wait(recording + " && " + heard + ` && document.getElementById("text").readOnly`)
	p.Screenshot("speaking")
	click(p, "#speak")
	e := <-events
	if m := e.Message; m == nil || m.Text != "" || len(m.Files) != 2 || m.Files[0].Voice || !m.Files[1].Voice || m.Files[1].Type != "audio/webm" {
		t.Fatalf("received %+v", e.Message)
	}
	r, err := c.Fetch(ctx, e.Message.Files[1])
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil || !bytes.Contains(b, []byte("A_OPUS")) {
		t.Errorf("the recording has %d bytes, %v", len(b), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	p.Wait(`location.pathname.startsWith("/t/") && document.querySelectorAll("#messages article").length === 1`)
	p.Screenshot("spoken")

	p.Wait(there)
	click(p, "#speak")
	p.Wait(recording + " && " + heard)
	enter(p, "") // sends it too
	if e := <-events; e.Message == nil || len(e.Message.Files) != 1 || !e.Message.Files[0].Voice {
		t.Fatalf("the second arrived as %+v", e.Message)
	}

	p.Script(`navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"))`)
	p.Wait(there)
	click(p, "#speak")
	p.Wait(`document.getElementById("trouble").textContent.startsWith("The microphone cannot be used.") && document.getElementById("speaking").hidden`)
}
