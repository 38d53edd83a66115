package document

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/nativetest"
)

const letterhead = "# Report\n\nSome *plain* and **strong** words with `code` and a [link](https://example.org).\n\n" +
	"- one\n- two\n  1. inner\n\n```go\nfunc main() {}\n```\n\n> quoted\n\n---\n\n| a | b |\n|---|---|\n| 1 | two words |\n"

// pagesOf returns the number of pages of a document and its content streams.
func pagesOf(t *testing.T, path string) (pages int, content string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, m := range regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`).FindAllSubmatch(b, -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue // not compressed
		}
		// The data may contain "endstream".
		if _, err := io.Copy(&all, io.LimitReader(z, 1<<20)); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
	}
	return len(regexp.MustCompile(`/Type /Page\b[^s]`).FindAll(b, -1)), all.String()
}

func TestTextToPDF(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations(media.Limits{}))
	named := func(name, value string) toolbox.Value {
		return toolbox.Value{Resource: plan.Resource{Type: plan.Text, Name: name, Value: value}}
	}
	for name, c := range map[string]struct {
		given toolbox.Value
		style string
		pages int
		rules bool // whether there are lines, as in a table
	}{
		"Markdown":             {named("report.md", letterhead), "", 1, true},
		"Markdown by its word": {named("report.txt", letterhead), "as markdown", 1, true},
		"plain":                {named("report.txt", letterhead), "", 1, false},
		"plain by its word":    {named("report.md", letterhead), "plain text", 1, false},
		"long":                 {named("long.txt", strings.Repeat("A line of words.\n", 120)), "", 3, false},
		"long Markdown":        {named("long.md", strings.Repeat("A paragraph of words.\n\n", 100)), "", 4, false},
		"deep quotes":          {named("deep.md", strings.Repeat("> ", 80)+"deep "+strings.Repeat("words ", 40)), "", 1, false},
		"a wide table":         {named("wide.md", strings.Repeat("|a", 40)+"|\n"+strings.Repeat("|-", 40)+"|\n"+strings.Repeat("|b", 40)+"|\n"), "", 1, false},
		"a long word":          {named("long.md", "# "+strings.Repeat("x", 500)+"\n\n"+strings.Repeat("y", 500)), "", 1, false},
		"letters of all sorts": {named("mixed.md", "# Ü 日本 😀\n\n* x\n"), "", 1, false},
	} {
		given := nativetest.Args{"text": {c.given}}
		if c.style != "" {
			given["style"] = []toolbox.Value{nativetest.Text(c.style)}
		}
		out := w.Do("text_to_pdf", given)
		pages, content := pagesOf(t, out.Path)
		if pages != c.pages || strings.Contains(content, " re S") != c.rules {
			t.Errorf("%s: %d pages, with lines: %t", name, pages, strings.Contains(content, " re S"))
		}
		if strings.Contains(c.given.Value, "日") == out.Note.IsZero() {
			t.Errorf("%s: note %q", name, out.Note)
		}
	}
	w.Refused("text_to_pdf", nativetest.Args{"text": {nativetest.Text(" ")}}, "no text")
	w.Refused("text_to_pdf", nativetest.Args{"text": {nativetest.Text(strings.Repeat("words ", 200_000))}}, "1 MB")
}
