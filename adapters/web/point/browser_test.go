package point //nolint:testpackage // it serves what is embedded

import (
	"html/template"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"testing"

	"atelier/adapters/web/browsertest"
)

func TestBrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	p := b.Page(t, browsertest.Look{})
	page := template.Must(Parse(template.New("")))
	template.Must(page.New("page").Parse(`<!doctype html><html lang=en><head><meta name="viewport" content="width=device-width"><title>t</title><link rel=icon href="/x.png"><link rel=stylesheet href="/static/point.css"><script type=module src="/static/point.js"></script></head><body>{{template "marker" .}}</body></html>`))
	mux := http.NewServeMux()
	mux.Handle("/static/", http.StripPrefix("/static/", http.FileServerFS(Static())))
	mux.HandleFunc("/x.png", func(w http.ResponseWriter, r *http.Request) {
		img := image.NewRGBA(image.Rect(0, 0, 640, 400))
		for y := range 400 {
			for x := range 640 {
				img.Set(x, y, color.RGBA{uint8(x / 3), uint8(y / 2), 120, 255})
			}
		}
		_ = png.Encode(w, img)
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
		if err := page.ExecuteTemplate(w, "page", Marker{Src: "/x.png"}); err != nil {
			t.Error(err)
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	p.Open(s.URL + "/")
	p.Wait(`document.querySelector("picture-marker").marks`)
	p.Screenshot("first")
	t.Log(browsertest.Eval[string](p, `JSON.stringify(document.querySelector("picture-marker").marks)+document.querySelector("picture-marker").zoom`))
}
