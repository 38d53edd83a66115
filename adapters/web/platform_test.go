package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
	"atelier/adapters/web/page"
	"atelier/adapters/web/upload"
)

func (p *platform) at() *Channel {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.channels {
		if c.dispatcher.IsRunning() {
			return c
		}
	}
	return p.channels[len(p.channels)-1]
}

func (p *platform) next(what string) string {
	p.id++
	return fmt.Sprintf("%s%016d", what, p.id)
}

func (p *platform) do(t *testing.T, by adapters.Person, method, target string, form url.Values, want ...int) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.serve(t, as(r, by), want...)
}

func (p *platform) serve(t *testing.T, r *http.Request, want ...int) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	p.at().Handler().ServeHTTP(w, r)
	if !slices.Contains(want, w.Code) {
		t.Fatalf("%s %s: %d %s", r.Method, r.URL.Path, w.Code, w.Body)
	}
	return w
}

func (p *platform) upload(t *testing.T, by adapters.Person, thread, name, what string, content []byte) string {
	t.Helper()
	target := "/t/" + thread + "/files?name=" + url.QueryEscape(name) + "&for=" + what
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, bytes.NewReader(content))
	var got upload.Uploaded
	if err := json.Unmarshal(p.serve(t, as(r, by), http.StatusCreated).Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got.ID
}

func withLine(blocks []adapters.Block, text string) []adapters.Block {
	return append(blocks, adapters.Block{Spans: []adapters.Span{{Text: text}}})
}

func (p *platform) file(t *testing.T, m *adapterstest.Shown, f page.File) {
	t.Helper()
	if !strings.HasPrefix(f.URL, "/") {
		m.Links = append(m.Links, f.URL)
		m.Blocks = withLine(m.Blocks, f.Note)
		return
	}
	w := p.do(t, ana, http.MethodGet, f.URL, nil, http.StatusOK, http.StatusNotFound)
	m.Files = append(m.Files, adapterstest.ShownFile{Name: f.Name, Alt: f.Alt, Note: f.Note, Content: w.Body.Bytes()})
}

func (p *platform) act(t *testing.T, by adapters.Person, on adapters.MessageRef, form url.Values) {
	t.Helper()
	p.do(t, by, http.MethodPost, "/t/"+on.Channel+"/messages/"+on.ID+"/act", form, http.StatusNoContent)
}
