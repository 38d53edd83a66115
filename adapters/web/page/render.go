// Package page renders the pages in the reader's language, and serves their static files.
package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"

	"golang.org/x/text/language"

	"atelier/adapters/messages"
	"atelier/adapters/web/drawing"
	"atelier/adapters/web/point"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed words/*.json
var wordFiles embed.FS

// Renderer renders pages and pieces of them. It is safe for concurrent use.
type Renderer struct {
	hash    string // of all static files; part of their path
	assets  map[string]asset
	Words   *messages.Catalogue
	matcher language.Matcher
	spoken  []*template.Template // one per language of the matcher
	tags    []string             // their BCP 47 tags
}

// New parses the embedded templates, words and static files.
func New() (*Renderer, error) {
	folder, err := fs.Sub(wordFiles, "words")
	if err != nil {
		return nil, fmt.Errorf("read the page's texts: %w", err)
	}
	words, err := messages.New(folder, point.Words())
	if err != nil {
		return nil, err
	}
	p := &Renderer{Words: words, tags: []string{messages.English, messages.SimplifiedChinese}}
	if p.assets, p.hash, err = loadAssets(); err != nil {
		return nil, err
	}
	tags := make([]language.Tag, len(p.tags))
	for i, tag := range p.tags {
		tags[i] = language.Make(tag)
		t, err := point.Parse(template.New("pages").Funcs(p.funcs(tag)))
		if err == nil {
			t, err = t.ParseFS(templateFiles, "templates/*.html")
		}
		if err != nil {
			return nil, fmt.Errorf("parse the page's templates: %w", err)
		}
		p.spoken = append(p.spoken, t)
	}
	p.matcher = language.NewMatcher(tags)
	return p, nil
}

// Page writes a whole page.
func (p *Renderer) Page(w io.Writer, v View) error {
	if v.Static == "" {
		v.Static = p.Folder()
	}
	return p.write(w, v.Language, "page", v)
}

// Messages writes message elements, which replace those with the same ids in a page.
func (p *Renderer) Messages(w io.Writer, tag string, v []Message) error {
	return p.write(w, tag, "messages", v)
}

// Threads writes the list of threads.
func (p *Renderer) Threads(w io.Writer, tag string, v []ThreadLine) error {
	return p.write(w, tag, "threads", v)
}

// Tools writes the list of tools.
func (p *Renderer) Tools(w io.Writer, tag string, v ToolList) error {
	return p.write(w, tag, "tool-lists", v)
}

// Tool writes the details of a tool.
func (p *Renderer) Tool(w io.Writer, tag string, v Tool) error {
	return p.write(w, tag, "tool", v)
}

// Found writes the result of a search.
func (p *Renderer) Found(w io.Writer, tag string, v Found) error {
	return p.write(w, tag, "found", v)
}

// Work writes how an answer was made, as a drawing and a list; nil means unknown.
func (p *Renderer) Work(w io.Writer, tag string, v *drawing.Work) error {
	if v == nil {
		return p.write(w, tag, "unknown-work", nil)
	}
	return p.write(w, tag, "work", drawing.Draw(*v))
}

// Failure writes a sentence, already translated, that says what went wrong.
func (p *Renderer) Failure(w io.Writer, tag, sentence string) error {
	return p.write(w, tag, "failure", sentence)
}

// language returns the index of the closest language, English if there is none.
func (p *Renderer) language(tag string) int {
	wanted, err := language.Parse(tag)
	if err != nil {
		return 0
	}
	_, i, _ := p.matcher.Match(wanted)
	return i
}

// write renders a template in the language closest to the tag.
func (p *Renderer) write(w io.Writer, tag, name string, v any) error {
	if err := p.spoken[p.language(tag)].ExecuteTemplate(w, name, v); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	return nil
}
