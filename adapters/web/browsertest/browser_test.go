package browsertest_test

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"atelier/adapters/web/browsertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestFaults checks that faults in a page are reported, and nothing else.
func TestFaults(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	pages := map[string]struct{ body, want string }{
		"/quiet":     {`<script src="/script">console.log("all is well")</script>`, ""},
		"/console":   {`<script src="/script">console.error("it", {a: 1}, "fails")</script>`, "error: \"it\""},
		"/throws":    {`<script src="/script">nothing.there()</script>`, "nothing is not defined"},
		"/promise":   {`<script src="/script">Promise.reject(new Error("nobody listens"))</script>`, "nobody listens"},
		"/style":     {`<p style="color: red">red</p>`, "Content Security Policy"},
		"/inline":    {`<script>console.log("in the page")</script>`, "Content Security Policy"},
		"/missing":   {`<img src="/none.png">`, "404"},
		"/elsewhere": {`<img src="` + other.URL + `/x.png">`, "a request to another host: " + other.URL},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; img-src *")
		page, ok := pages[r.URL.Path]
		from, isScript := strings.CutPrefix(r.URL.RequestURI(), "/script?")
		var body string
		switch {
		case ok:
			body = `<!doctype html><title>t</title><link rel="icon" href="/icon.svg"><body>` + strings.Replace(page.body, `"/script"`, `"/script?`+r.URL.Path+`"`, 1)
		case isScript:
			_, body, _ = strings.Cut(pages[from].body, ">")
			body, _, _ = strings.Cut(body, "<")
			w.Header().Set("Content-Type", "text/javascript")
		case r.URL.Path == "/icon.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			body = `<svg xmlns="http://www.w3.org/2000/svg"/>`
		default:
			http.NotFound(w, r)
			return
		}
		if _, err := io.WriteString(w, body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	b := browsertest.Start(t)
	for path, c := range pages {
		t.Run(path[1:], func(t *testing.T) {
			p := b.Page(t, browsertest.Look{})
			p.Open(server.URL + path)
			p.Wait(`document.readyState === "complete"`)
			faults := p.Faults()
			p.Expect(c.want)
			if c.want == "" && len(faults) > 0 || c.want != "" && !strings.Contains(strings.Join(faults, "\n"), c.want) {
				t.Errorf("it noticed %q", faults)
			}
			p.Expect("404") // that the other host has no picture either
		})
	}
}

// A page is shown as it is asked to be, and takes what hands do.
func TestLookAndHands(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		language := r.Header.Get("Accept-Language")
		if _, err := io.WriteString(w, `<!doctype html><html lang="`+html.EscapeString(language)+`"><title>t</title><link rel="icon" href="data:,">
			<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><input autofocus><textarea></textarea>`); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	p := browsertest.Start(t).Page(t, browsertest.Look{Width: 390, Height: 844, Scale: 2, Dark: true, Touch: true, Language: "zh-CN"})
	p.Open(server.URL)
	got := browsertest.Eval[string](p, `[innerWidth, devicePixelRatio, matchMedia("(prefers-color-scheme: dark)").matches, matchMedia("(pointer: coarse)").matches, document.documentElement.lang].join()`)
	if got != "390,2,true,true,zh-CN" {
		t.Error(got)
	}
	p.Script(`for (const name of ["click", "wheel", "touchmove"]) addEventListener(name, (e) => (window.heard ??= []).push(name), { passive: true })`)
	p.Click(browsertest.At{X: 200, Y: 600})
	p.Wheel(browsertest.At{X: 200, Y: 600}, 10)
	p.Touch([]browsertest.At{{X: 50, Y: 500}, {X: 80, Y: 500}}, []browsertest.At{{X: 150, Y: 500}, {X: 120, Y: 500}})
	p.Wait(`["click", "wheel", "touchmove"].every((name) => window.heard?.includes(name))`)
	p.Script(`document.querySelector("input").focus()`)
	p.Key("hands")
	if got := browsertest.Eval[string](p, `document.querySelector("input").value`); got != "hands" {
		t.Errorf("it typed %q", got)
	}
	// A page that takes Enter for itself, and is done before its character comes.
	p.Script(`document.querySelector("textarea").focus(); document.querySelector("textarea").addEventListener("keydown", (e) => e.key === "Enter" && e.preventDefault())`)
	p.Key("a\rb")
	if got := browsertest.Eval[string](p, `document.querySelector("textarea").value`); got != "ab" {
		t.Errorf("it typed %q", got)
	}
	if !strings.HasPrefix(string(p.Shot()), "\x89PNG") {
		t.Error("the screenshot is no PNG")
	}
}

// TestScreenshotsMakeTheirFolder where BROWSER_SHOTS names one that is not there.
func TestScreenshotsMakeTheirFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "shots")
	t.Setenv("BROWSER_SHOTS", folder)
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	p := browsertest.Start(t).Page(t, browsertest.Look{Width: 200, Height: 200})
	p.Expect("404")
	p.Open(server.URL)
	p.Screenshot("page")
	if b, err := os.ReadFile(filepath.Join(folder, "page.png")); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
		t.Errorf("the screenshot: %v", err)
	}
}
