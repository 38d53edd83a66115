// Package markup renders texts, names and sizes.
package markup

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"atelier/adapters"
)

// Markdown renders the Markdown of [adapters.Parse] as HTML. Texts are escaped, and links are http or https.
func Markdown(markdown string) template.HTML {
	var b strings.Builder
	blocks := adapters.Parse(markdown)
	for len(blocks) > 0 {
		n := 1
		switch blocks[0].Kind {
		case adapters.Code:
			b.WriteString(`<pre tabindex="0"><code>` + escape(blocks[0].Code) + `</code></pre>`)
		case adapters.Item:
			n = run(blocks)
			list(&b, blocks[:n])
		case adapters.Quote:
			n = run(blocks)
			b.WriteString(`<blockquote>`)
			lines(&b, blocks[:n])
			b.WriteString(`</blockquote>`)
		case adapters.Line:
			if n = run(blocks); len(blocks[0].Spans) > 0 {
				lines(&b, blocks[:n])
			}
		}
		blocks = blocks[n:]
	}
	return template.HTML(b.String()) //nolint:gosec // all of it is escaped above
}

// Plain renders a text literally, line by line.
func Plain(text string) template.HTML {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = strings.Trim(strings.ToValidUTF8(text, "\uFFFD"), "\n")
	if text == "" {
		return ""
	}
	return template.HTML(`<p>` + strings.ReplaceAll(escape(text), "\n", "<br>") + `</p>`) //nolint:gosec // it is escaped
}

// run returns how many of the first blocks belong together.
func run(blocks []adapters.Block) int {
	n := 1
	for n < len(blocks) && blocks[n].Kind == blocks[0].Kind &&
		(blocks[0].Kind != adapters.Line || len(blocks[0].Spans) > 0 && len(blocks[n].Spans) > 0) {
		n++
	}
	return n
}

// lines renders lines as a paragraph, with their line breaks.
func lines(b *strings.Builder, blocks []adapters.Block) {
	b.WriteString(`<p>`)
	for i, block := range blocks {
		if i > 0 {
			b.WriteString(`<br>`)
		}
		inline(b, block.Spans)
	}
	b.WriteString(`</p>`)
}

// list renders the items of a list. Deeper items become lists within the item before them.
func list(b *strings.Builder, items []adapters.Block) {
	tag := `ul`
	if items[0].Marker != "-" {
		tag = `ol`
	}
	b.WriteString(`<` + tag)
	if start := strings.TrimSuffix(items[0].Marker, "."); tag == `ol` && start != "1" {
		b.WriteString(` start="` + escape(start) + `"`)
	}
	b.WriteString(`>`)
	for i := 0; i < len(items); {
		b.WriteString(`<li>`)
		inline(b, items[i].Spans)
		deeper := i + 1
		for deeper < len(items) && items[deeper].Indent > items[0].Indent {
			deeper++
		}
		if deeper > i+1 {
			list(b, items[i+1:deeper])
		}
		b.WriteString(`</li>`)
		i = deeper
	}
	b.WriteString(`</` + tag + `>`)
}

// inline renders the spans of a line.
func inline(b *strings.Builder, spans []adapters.Span) {
	for _, s := range spans {
		var closing string
		open := func(tag, attributes string) {
			b.WriteString(`<` + tag + attributes + `>`)
			closing = `</` + tag + `>` + closing
		}
		if s.URL != "" {
			open(`a`, ` href="`+escape(s.URL)+`" rel="noopener noreferrer" target="_blank"`)
		}
		if s.Bold {
			open(`strong`, ``)
		}
		if s.Italic {
			open(`em`, ``)
		}
		if s.Code {
			open(`code`, ``)
		}
		b.WriteString(escape(s.Text) + closing)
	}
}

// escape escapes a text for HTML.
func escape(text string) string { return template.HTMLEscapeString(text) }

// Name replaces control characters in a name, including those of text direction, which can show "gnp.exe" as
// "exe.png".
func Name(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Size formats a number of bytes for people.
func Size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_500:
		return fmt.Sprintf("%.3g kB", float64(n)/1e3)
	case n < 999_500_000:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.3g GB", float64(n)/1e9)
}
