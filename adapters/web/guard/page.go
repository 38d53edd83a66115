package guard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"atelier/adapters/messages"
)

//go:embed words/*.json template/*.html static
var files embed.FS

// page is the data of a page.
type page struct {
	Language string // BCP 47 tag
	Sentence string // why something was refused
	Name     string // as it was entered
	Next     string // where to go after the login
	Static   string // URL of the files that the page loads
}

// pages are the guard's own pages.
type pages struct {
	words     *messages.Catalogue
	templates *template.Template
	static    string // URL of the files that they load; it changes with their content
}

func newPages() (*pages, error) {
	words, err := fs.Sub(files, "words")
	if err != nil {
		return nil, fmt.Errorf("read the texts of prepare the login page: %w", err)
	}
	p := &pages{}
	if p.words, err = messages.New(words); err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, name := range []string{"static/login.css", "static/icon.svg"} {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the files of prepare the login page: %w", err)
		}
		sum.Write(content)
	}
	p.static = "/login/static/" + hex.EncodeToString(sum.Sum(nil)[:6]) + "/"
	p.templates, err = template.New("").Funcs(template.FuncMap{"say": p.words.Say}).ParseFS(files, "template/*.html")
	if err != nil {
		return nil, fmt.Errorf("prepare the login page: %w", err)
	}
	return p, nil
}

func (p *pages) write(w http.ResponseWriter, status int, name string, shown page) {
	shown.Static = p.static
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, shown); err != nil {
		http.Error(w, shown.Sentence, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) //nolint:errcheck // who asked is gone
}

// file serves the files that the pages load.
func (g *Guard) file(w http.ResponseWriter, r *http.Request) {
	h, _ := hostname(r.Host)
	g.harden(w.Header(), h)
	name, ok := strings.CutPrefix(r.URL.Path, g.pages.static)
	if !ok || name != "login.css" && name != "icon.svg" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeFileFS(w, r, files, "static/"+name) //nolint:gosec // one of the two
}

// language returns the supported language that the browser prefers.
func language(r *http.Request) string { return messages.Accept(r.Header.Get("Accept-Language")) }
