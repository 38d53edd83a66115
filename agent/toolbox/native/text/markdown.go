package text

import (
	"bytes"
	"context"
	_ "embed" // the page
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

//go:embed page.html.tmpl
var pageText string

// page is a web page that needs no other file.
var page = template.Must(template.New("page").Parse(pageText))

// markdownToHTML writes a Markdown text as a web page. HTML in the text is left out, since it could hold scripts.
func markdownToHTML(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	source, err := prose.Need(c, plan.Say("turn into a web page"))
	if err != nil {
		return toolbox.Output{}, err
	}
	var body, whole bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(source), &body); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The Markdown could not be read."), Err: err}
	}
	title, _, _ := strings.Cut(strings.TrimSpace(source), "\n")
	err = page.Execute(&whole, struct {
		Title string
		Body  template.HTML
	}{strings.TrimSpace(strings.Trim(title, "#*_ ")), template.HTML(body.String())}) //nolint:gosec // goldmark escapes the text, and drops HTML
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The web page could not be written."), Err: err}
	}
	return toolbox.Output{Value: whole.String()}, nil
}
