package point

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
)

//go:embed static/*
var static embed.FS

//go:embed templates/*.html
var templates embed.FS

//go:embed words/*.json
var words embed.FS

// Static are the files of the picture marker and the pointing page, for one folder. Load point.js as a
// module, and point.css.
func Static() fs.FS { return below(static, "static") }

// Words are the translated sentences of this package, for phrase.New.
func Words() fs.FS { return below(words, "words") }

// Parse adds the template "marker", the markup of the picture marker, given a [Marker].
func Parse(t *template.Template) (*template.Template, error) {
	t, err := t.ParseFS(templates, "templates/marker.html")
	if err != nil {
		return nil, fmt.Errorf("the template of the picture marker: %w", err)
	}
	return t, nil
}

// Marker is what the template "marker" is given.
type Marker struct {
	// Src is the address of the picture. It is left empty where a script sets it.
	Src string
	// Words tells a sentence of that format in the language of the page; nil is English.
	Words func(format string, args ...any) string
}

// Say is the sentence in the language of the page.
func (m Marker) Say(format string, args ...any) string {
	if m.Words == nil {
		return fmt.Sprintf(format, args...)
	}
	return m.Words(format, args...)
}

// below is a folder of what is embedded.
func below(files embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // the folder's name is a good one
	}
	return sub
}
