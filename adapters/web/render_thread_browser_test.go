package web

import (
	"bytes"
	"testing"

	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/page"
)

// TestRenamePage renames a thread on its page, which says why it cannot, and shows the title that comes.
func TestRenamePage(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Expect("503")
	p.Open(address + "/t/t1")
	click(p, "#rename-open")
	p.Wait(`document.getElementById("rename").open && document.getElementById("rename-title").value === "Edges of the harbour picture"`)
	p.Screenshot("rename")
	p.Script(`document.getElementById("rename-title").value = "Harbour"`)
	s.refuse <- "Not now."
	click(p, "#rename .primary")
	p.Wait(`document.getElementById("rename-trouble").textContent === "Not now."`)
	s.next(t)
	click(p, "#rename .primary")
	if sent := s.next(t); sent.path != "POST /t/t1/rename" || sent.form.Get("title") != "Harbour" {
		t.Error(sent)
	}
	p.Wait(`!document.getElementById("rename").open`)
	s.send("threads", rendered(t, func(b *bytes.Buffer) error {
		return s.pages.Threads(b, "en", []page.ThreadLine{{ID: "t1", Title: "Harbour", At: noon, Open: true}})
	}))
	p.Wait(`document.querySelector(".thread-name").textContent === "Harbour" && document.title === "Harbour · Atelier"`)
}

// TestFinder searches by Ctrl-K, and opens a result with the keyboard.
func TestFinder(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleThread())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	p.Script(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`)
	p.Wait(`document.getElementById("finder").open && document.activeElement.id === "finder-q" && document.querySelector("#finder-found a")`)
	p.Key("harbour")
	p.Wait(`document.querySelector(".found-excerpt")?.textContent === "looked for harbour"`)
	p.Screenshot("finder")
	p.Key("\u0301") // the down arrow
	p.Wait(`document.activeElement.matches("#finder-found a")`)
	p.Script(`document.getElementById("finder-q").value = "harbours"; document.getElementById("finder-q").dispatchEvent(new Event("input"))`)
	p.Wait(`document.querySelector(".found-excerpt")?.textContent === "looked for harbours" && document.activeElement.matches("#finder-found a")`)
	p.Key("\r")
	if to := <-s.visited; to != "/t/t2" {
		t.Error(to)
	}
}

// TestGalleryPage shows results, reports one that is gone, and uses one in its thread.
func TestGalleryPage(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleGallery())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Expect("404")
	p.Open(address + "/t/t1/gallery")
	p.Wait(`document.querySelector(".lost")?.textContent === "This file no longer exists." && document.querySelector(".picture img")?.complete`)
	p.Screenshot("gallery")
	s.view = func(string) page.View { return sampleThread() }
	click(p, `[data-use="bot-00000000000000000000000000000000.0"]`)
	if to := <-s.visited; to != "/t/t1" {
		t.Error(to)
	}
	p.Wait(`document.querySelector(".chip-name")?.textContent === "harbour-3f2a.edge-91bc.png"`)
}

// sampleGallery has results, of which one is gone.
func sampleGallery() page.View {
	v := samplePage()
	all := sampleMessages()
	v.Gallery = &page.Gallery{Thread: "t1", Title: v.Title, More: true}
	for _, f := range append(all[2].Files, all[5].Files...) {
		f.Mark = ""
		v.Gallery.Results = append(v.Gallery.Results, page.Result{File: f, Message: "/t/t1#m-a3", At: noon})
	}
	gone := v.Gallery.Results[0]
	gone.URL, gone.Use = "/gone.png", "bot-00000000000000000000000000000000.9"
	v.Gallery.Results = append(v.Gallery.Results, gone)
	return v
}

func sampleFound() page.View {
	v := samplePage()
	v.Found = &page.Found{Query: "harbour", Threads: []page.FoundThread{
		{ThreadLine: page.ThreadLine{ID: "t2", Title: "Edges", At: noon, Picture: "/picture.png"}, Message: "a3", Excerpt: "looked for harbour"},
	}, Tools: sampleTools().Tools.Tools[:2]}
	return v
}

// TestEditLast edits the last message with the up key, and sends it again.
func TestEditLast(t *testing.T) {
	t.Parallel()
	v := sampleThread()
	for i := range v.Thread.Messages {
		m := &v.Thread.Messages[i]
		m.CanEdit = m.Mine
	}
	s, address := newStage(t, v)
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/t/t1")
	if shown := browsertest.Eval[int](p, `[...document.querySelectorAll("[data-edit]")].filter((b) => b.checkVisibility()).length`); shown != 1 {
		t.Errorf("%d messages can be edited", shown)
	}
	up := func() {
		p.Script(`document.getElementById("text").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowUp", bubbles: true, cancelable: true}))`)
	}
	write(p, "something")
	up() // moves in what is written
	write(p, "")
	up()
	p.Wait(`document.getElementById("text").value === "Now a cartoon of it, please." && !document.getElementById("editing").hidden && document.querySelectorAll(".chip").length === 2`)
	p.Screenshot("editing")
	p.Script(`document.getElementById("text").dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true, cancelable: true}))`)
	p.Wait(`document.getElementById("editing").hidden && document.getElementById("text").value === "" && !document.querySelector(".chip")`)
	click(p, `#m-a8 [data-edit]`)
	p.Wait(`!document.getElementById("editing").hidden`)
	write(p, "Now a drawing.")
	enter(p, "")
	sent := s.next(t).form
	if sent.Get("edits") != "a8" || sent.Get("text") != "Now a drawing." || sent.Get("file") != "u1" || sent.Get("reply_to") != "a3" ||
		sent.Get("marks") != `[{"file":"u1","width":640,"height":400,"points":[{"x":1,"y":2}]}]` {
		t.Error(sent)
	}
	p.Wait(`document.getElementById("editing").hidden`)
}
