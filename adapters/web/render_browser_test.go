package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/find"
	"atelier/adapters/web/page"
	"atelier/adapters/web/receive"
	"atelier/adapters/web/request"
)

// stage serves the sample pages, and accepts what their scripts send.
type stage struct {
	t       *testing.T
	pages   *page.Renderer
	view    func(language string) page.View
	events  chan string
	posted  chan post
	streams chan string // from where the streams were asked for
	visited chan string // the paths of the pages, after the first
	refuse  chan string // sentences with which the next posts are refused
}

// post is what a page sent.
type post struct {
	path string
	form url.Values
	body []byte
}

func newStage(t *testing.T, view page.View) (*stage, string) {
	t.Helper()
	s := &stage{t: t, pages: mustPages(t), events: make(chan string, 8), posted: make(chan post, 32), visited: make(chan string, 8), streams: make(chan string, 32), refuse: make(chan string, 8)}
	s.view = func(language string) page.View { view.Language = language; return view }
	m := http.NewServeMux()
	m.Handle("/static/", s.pages.Static())
	m.HandleFunc("GET /{$}", s.page)
	m.HandleFunc("GET /t/{thread}", s.page)
	m.HandleFunc("GET /t/{thread}/gallery", s.page)
	m.HandleFunc("GET /tools", func(w http.ResponseWriter, r *http.Request) {
		if !r.URL.Query().Has("q") {
			s.page(w, r)
			return
		}
		all := sampleTools().Tools.Tools
		s.answer(w, func(b io.Writer) error {
			return s.pages.Tools(b, "en", page.ListOf(r.URL.Query().Get("q"), find.Tools(all, r.URL.Query().Get("q")), all))
		})
	})
	m.HandleFunc("GET /tools/edge_detection", func(w http.ResponseWriter, _ *http.Request) {
		s.answer(w, func(b io.Writer) error { return s.pages.Tool(b, "en", sampleTools().Tools.Tools[0]) })
	})
	m.HandleFunc("GET /find", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, func(b io.Writer) error {
			found := sampleFound().Found
			found.Threads[0].Excerpt = "looked for " + r.URL.Query().Get("q")
			return s.pages.Found(b, r.Header.Get("Accept-Language"), *found)
		})
	})
	m.HandleFunc("POST /t/{thread}/rename", s.take)
	m.HandleFunc("GET /t/t1/messages/a8/draft", func(w http.ResponseWriter, _ *http.Request) {
		request.WriteJSON(w, http.StatusOK, receive.Draft{
			Text: "Now a cartoon of it, please.", Reply: "a3",
			Files: []receive.DraftFile{{ID: "u1", Name: "harbour.png", Size: 12, Kind: "image", URL: "/picture.png"}},
			Marks: []receive.DraftMark{{Pointing: receive.Pointing{File: "u1", Width: 640, Height: 400, Points: []adapters.Point{{X: 1, Y: 2}}}, Name: "harbour.png", URL: "/picture.png"}},
		})
	})
	m.HandleFunc("GET /t/t1/events", s.stream)
	m.HandleFunc("GET /events", s.stream)
	m.HandleFunc("GET /t/t1/messages/{id}/work", func(w http.ResponseWriter, r *http.Request) {
		work := sampleWork()
		s.answer(w, func(b io.Writer) error { return s.pages.Work(b, r.Header.Get("Accept-Language"), &work) })
	})
	m.HandleFunc("POST /t/{thread}/files", s.takeFile)
	m.HandleFunc("DELETE /t/{thread}/files/{id}", s.take)
	m.HandleFunc("POST /t/{thread}/messages", s.take)
	m.HandleFunc("POST /t/{thread}/messages/{id}/act", s.take)
	m.HandleFunc("POST /t/{thread}/forget", s.take)
	m.HandleFunc("GET /up/picture.png", drawn(640, 400))
	m.HandleFunc("GET /picture.png", drawn(640, 400))
	m.HandleFunc("GET /wide.png", drawn(900, 200))
	m.HandleFunc("GET /painted.png", painted(640, 400))
	m.HandleFunc("GET /page.html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")
		s.answer(w, func(b io.Writer) error {
			_, err := io.WriteString(b, "<!doctype html><title>x</title><h1>The harbour</h1><p>It was built long ago.")
			return err
		})
	})
	m.HandleFunc("GET /none.mp4", drawn(1, 1))
	m.HandleFunc("GET /none.mp3", drawn(1, 1))
	server := httptest.NewServer(hardened(t, m))
	t.Cleanup(server.Close)
	return s, server.URL
}

func (s *stage) page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Referer() != "" {
		s.visited <- r.URL.Path
	}
	s.answer(w, func(b io.Writer) error { return s.pages.Page(b, s.view(r.Header.Get("Accept-Language"))) })
}

// answer writes rendered HTML. A client that stops reading has left the page.
func (s *stage) answer(w io.Writer, render func(io.Writer) error) {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		s.t.Error(err)
	}
	_, _ = b.WriteTo(w) //nolint:errcheck // see above
}

// stream sends what the test puts into events; "" cuts it off.
func (s *stage) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	s.streams <- r.URL.RawQuery + " " + r.Header.Get("Last-Event-ID")
	for http.NewResponseController(w).Flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case e := <-s.events:
			if e == "" {
				panic(http.ErrAbortHandler)
			}
			s.answer(w, func(b io.Writer) error { _, err := io.WriteString(b, e); return err })
		}
	}
}

// take records what a page sent, unless it is rejected.
func (s *stage) take(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.t.Error(err)
	}
	s.posted <- post{path: r.Method + " " + r.URL.Path, form: r.PostForm}
	select {
	case sentence := <-s.refuse:
		w.WriteHeader(http.StatusServiceUnavailable)
		s.answer(w, func(b io.Writer) error { return s.pages.Failure(b, "en", sentence) })
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// takeFile takes an upload.
func (s *stage) takeFile(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.posted <- post{path: r.Method + " " + r.URL.Path, form: r.URL.Query(), body: body}
	select {
	case sentence := <-s.refuse:
		request.WriteJSON(w, http.StatusServiceUnavailable, map[string]string{"error": sentence})
	default:
		name := r.URL.Query().Get("name")
		request.WriteJSON(w, http.StatusOK, map[string]any{
			"id": "up-" + name, "name": name, "size": len(body), "type": "image/png", "kind": "image", "url": "/up/picture.png", "width": 640, "height": 400,
		})
	}
}

// send puts an event into the stream.
func (s *stage) send(name, html string) {
	s.events <- "event: " + name + "\ndata: " + strings.ReplaceAll(html, "\n", "\ndata: ") + "\n\n"
}

func drawn(width, height int) http.HandlerFunc {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.Set(x, y, color.RGBA{uint8(40 + x*120/width), uint8(90 + y*90/height), uint8(160 - y*60/height), 255})
		}
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, picture) //nolint:errcheck // whoever does not read on has gone
	}
}

// painted returns a mask that is black except for its centre.
func painted(width, height int) http.HandlerFunc {
	mask := image.NewGray(image.Rect(0, 0, width, height))
	for y := height * 2 / 5; y < height*3/5; y++ {
		for x := width * 2 / 5; x < width*3/5; x++ {
			mask.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, mask) //nolint:errcheck // whoever does not read on has gone
	}
}

func mustPages(tb testing.TB) *page.Renderer {
	tb.Helper()
	p, err := page.New()
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// TestLooks opens each page as people see it. $BROWSER_SHOTS is a folder for screenshots.
func TestLooks(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	desktop, phone := browsertest.Look{}, browsertest.Look{Width: 390, Height: 844, Scale: 2, Touch: true}
	narrow := browsertest.Look{Width: 360, Height: 740, Touch: true}
	for name, c := range map[string]struct {
		view page.View
		look browsertest.Look
		path string
	}{
		"thread": {sampleThread(), desktop, "/t/t1"}, "empty": {sampleEmpty(), desktop, "/"}, "tools": {sampleTools(), desktop, "/"},
		"thread-phone": {sampleThread(), phone, "/t/t1"}, "empty-phone": {sampleEmpty(), phone, "/"}, "tools-phone": {sampleTools(), narrow, "/"},
		"tool": {sampleTool(), desktop, "/"}, "tools-found": {sampleToolsFound(), desktop, "/"}, "tools-found-phone": {sampleToolsFound(), narrow, "/"},
		"gallery": {sampleGallery(), desktop, "/"}, "operations": {sampleOperationsPage(), desktop, "/"}, "operations-phone": {sampleOperationsPage(), narrow, "/"}, "found": {sampleFound(), desktop, "/"}, "found-phone": {sampleFound(), phone, "/"},
		"missing": {func() page.View { v := samplePage(); v.Missing = "This thread was deleted."; return v }(), desktop, "/"},
	} {
		for _, dark := range []bool{false, true} {
			look := c.look
			look.Dark, look.Language = dark, "en"
			if dark && c.look.Touch {
				look.Language = "zh-Hans"
			}
			if dark {
				name += "-dark"
			}
			t.Run(name, func(t *testing.T) {
				_, address := newStage(t, c.view)
				p := b.Page(t, look)
				p.Expect("404") // of a file that is gone
				p.Open(address + c.path)
				p.Wait(`document.querySelector("#theme").textContent.trim() !== "" && (!document.querySelector("#messages") || document.querySelector("#scroll").scrollTop > 0)`)
				if wide := browsertest.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
					t.Errorf("the page is %d pixels too wide", wide)
				}
				p.Screenshot(name)
				if c.view.Thread == nil {
					return
				}
				p.Script(`document.querySelector("#scroll").scrollTo(0, 0)`)
				p.Screenshot(name + "-top")
				p.Script(`(() => { const d = document.querySelector("#m-a3 .work"); d.open = true; d.scrollIntoView({block: "start"}); })()`)
				p.Wait(`document.querySelector("#m-a3 svg.drawing")`)
				p.Script(`document.querySelector("#m-a3 .choices").scrollIntoView({block: "start"})`)
				p.Screenshot(name + "-work")
				p.Script(`document.querySelector("#m-a6").scrollIntoView({block: "start"})`)
				p.Screenshot(name + "-files")
			})
		}
	}
}

// drop drops files onto the page.
func drop(p *browsertest.Page, names ...string) {
	for _, name := range names {
		p.Script(fmt.Sprintf(`(() => { const d = new DataTransfer(); d.items.add(new File(["abc"], %q, {type: "image/png"}));
			for (const name of ["dragenter", "drop"]) document.body.dispatchEvent(new DragEvent(name, {dataTransfer: d, bubbles: true, cancelable: true})); })()`, name))
	}
}

// write fills the message's field, and presses a key there.
func write(p *browsertest.Page, text string) {
	p.Script(fmt.Sprintf(`(() => { const t = document.getElementById("text"); t.focus(); t.value = %q; t.dispatchEvent(new Event("input", {bubbles: true})); })()`, text))
}

func enter(p *browsertest.Page, more string) {
	p.Script(`document.getElementById("text").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true` + more + `}))`)
}

func click(p *browsertest.Page, selector string) {
	p.Script(fmt.Sprintf(`document.querySelector(%q).click()`, selector))
}

func (s *stage) next(t *testing.T) post {
	t.Helper()
	select {
	case p := <-s.posted:
		return p
	case <-t.Context().Done():
		t.Fatal("the page sent nothing")
	}
	return post{}
}
