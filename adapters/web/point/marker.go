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

// Static returns the files of the picture marker and the pointing page, for one folder. Load point.js as a module,
// and point.css.
func Static() fs.FS { return below(static, "static") }

// Words returns the translations of this package, for messages.New.
func Words() fs.FS { return below(words, "words") }

// Parse adds the template "marker", the markup of the picture marker; its data is a [Marker].
func Parse(t *template.Template) (*template.Template, error) {
	t, err := t.ParseFS(templates, "templates/marker.html")
	if err != nil {
		return nil, fmt.Errorf("parse the template of the picture marker: %w", err)
	}
	return t, nil
}

// Marker is the data of the template "marker".
type Marker struct {
	// Src is the URL of the picture. It is empty if a script sets it.
	Src string
	// Words translates a sentence to the language of the page; nil is English.
	Words func(format string, args ...any) string
}

// Say translates a sentence to the language of the page.
func (m Marker) Say(format string, args ...any) string {
	if m.Words == nil {
		return fmt.Sprintf(format, args...)
	}
	return m.Words(format, args...)
}

// below returns a folder of the embedded files.
func below(files embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // the folder exists
	}
	return sub
}
