package document

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/paper"
	"atelier/agent/toolbox/native/prose"
)

// maxPrinted is the maximum length of a text to print, in bytes: about 300 pages.
const maxPrinted = 1 << 20

// textToPDF prints a text as a PDF. Text from a Markdown file is formatted as Markdown unless the call
// has another style.
func textToPDF(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text := strings.ReplaceAll(c.Text("text"), "\t", "    ")
	text = strings.Trim(prose.Clean(text), "\n")
	switch {
	case strings.TrimSpace(text) == "":
		return toolbox.Output{}, operation.Problem("There is no text to print. Please write it in the message or attach it.")
	case len(text) > maxPrinted:
		return toolbox.Output{}, operation.Problem("The text is longer than 1 MB. Please give a shorter one.")
	}
	style, _ := toolbox.Param[string](c, "style")
	if style == "" {
		style = "plain"
		if vs := c.Args["text"]; len(vs) > 0 && strings.HasSuffix(strings.ToLower(vs[0].Name+vs[0].File), ".md") {
			style = "markdown"
		}
	}
	set := paper.Text
	if style == "markdown" {
		set = paper.Markdown
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "text.pdf"), About: plan.Say("the text as a document")}
	if !canvas.Has(canvas.Regular, text) {
		out.Note = plan.Say("Some characters are missing from the font and appear as question marks.")
	}
	err := operation.Create(out.Path, func(w io.Writer) error { return set(ctx, w, text) })
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("write a document: %w", err)
	}
	return out, nil
}
