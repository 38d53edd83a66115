package convert

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"atelier/adapters"
)

// blank is a zero-width space. It separates characters that Discord would interpret together, and keeps lines that
// Discord would drop.
const blank = "\u200b"

// Render converts a text to Discord's markup ("Message Formatting" in its documentation, and what the clients make
// of it).
func Render(text string) string {
	var b strings.Builder
	for i, block := range adapters.Parse(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch block.Kind {
		case adapters.Code:
			renderCode(&b, block)
		case adapters.Quote:
			b.WriteString("> " + orBlank(renderSpans(block.Spans)))
		case adapters.Item:
			if i > 0 { // Discord trims the spaces of the first line
				b.WriteString(strings.Repeat("  ", block.Indent))
			}
			if block.Marker != "-" { // Discord would renumber it
				b.WriteString(strings.TrimSuffix(block.Marker, ".") + `\. ` + renderSpans(block.Spans))
				continue
			}
			b.WriteString("- " + orBlank(renderSpans(block.Spans)))
		case adapters.Line:
			b.WriteString(renderSpans(block.Spans))
		}
	}
	s := strings.TrimRight(b.String(), " \t\n")
	if strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "\n") {
		s = blank + s // Discord trims space
	}
	return s
}

func orBlank(s string) string {
	if strings.TrimSpace(s) == "" {
		return blank
	}
	return s
}

// renderCode writes a code block. Discord has no longer fences, and drops empty lines at both ends.
func renderCode(b *strings.Builder, block adapters.Block) {
	code := printable(block.Code)
	for strings.Contains(code, "``") {
		code = strings.ReplaceAll(code, "``", "`"+blank+"`")
	}
	if strings.HasPrefix(code, "\n") || code == "" {
		code = blank + code
	}
	if last := code[strings.LastIndexByte(code, '\n')+1:]; strings.TrimSpace(last) == "" || strings.HasSuffix(code, "`") {
		code += blank
	}
	b.WriteString("```" + notLanguage.ReplaceAllString(block.Language, "") + "\n" + code + "\n```")
}

// notLanguage matches characters that Discord does not accept in the language of a code block.
var notLanguage = regexp.MustCompile(`[^0-9A-Za-z+\-#._]`)

// renderSpans returns the content of a line.
func renderSpans(spans []adapters.Span) string {
	var visible []adapters.Span
	for _, s := range spans {
		if s.Text = printable(s.Text); s.Text != "" {
			visible = append(visible, s)
		}
	}
	w := &writer{}
	w.spans(visible, adapters.Span{})
	return w.text.String()
}

// writer writes a line.
type writer struct {
	text  strings.Builder
	begun bool // at the beginning of a line more characters have a meaning
	after bool // a style has just ended, so another may not follow directly
}

// spans writes spans. The open style needs no marks.
func (w *writer) spans(all []adapters.Span, open adapters.Span) {
	for len(all) > 0 {
		style, n := longest(all, open)
		if n == 0 {
			w.span(all[0], open, len(all) > 1)
			all = all[1:]
			continue
		}
		w.marked(all[:n], open, style)
		all = all[n:]
	}
}

// styles select one style of a span.
var styles = []func(adapters.Span) adapters.Span{
	func(s adapters.Span) adapters.Span { return adapters.Span{URL: s.URL} },
	func(s adapters.Span) adapters.Span { return adapters.Span{Bold: s.Bold} },
	func(s adapters.Span) adapters.Span { return adapters.Span{Italic: s.Italic} },
}

// longest returns the style that begins here and covers the most spans.
func longest(all []adapters.Span, open adapters.Span) (style adapters.Span, most int) {
	for _, of := range styles {
		s := of(all[0])
		if s == (adapters.Span{}) || of(open) == s {
			continue
		}
		n := 1
		for n < len(all) && of(all[n]) == s {
			n++
		}
		if n > most {
			style, most = s, n
		}
	}
	return style, most
}

// marked writes spans between the marks of a style.
func (w *writer) marked(all []adapters.Span, open, style adapters.Span) {
	w.apart()
	mark := "**"
	switch {
	case style.URL != "":
		open.URL = style.URL
		w.text.WriteString("[")
		w.begun = true
		inner := &writer{begun: true}
		inner.spans(all, open)
		w.text.WriteString(orBlank(inner.text.String()) + "](" + strings.NewReplacer("(", "%28", ")", "%29", `\`, "%5C").Replace(style.URL) + ")")
		w.after = false
		return
	case style.Italic:
		open.Italic, mark = true, "*"
	default:
		open.Bold = true
	}
	w.begun = true
	w.text.WriteString(mark)
	w.after = false
	inner := &writer{begun: true}
	inner.spans(all, open)
	text := inner.text.String()
	if text != strings.TrimSpace(text) { // Discord ignores marks beside spaces
		text = blank + text + blank
	}
	w.text.WriteString(text + mark)
	w.after = true
}

// apart separates the marks of two styles.
func (w *writer) apart() {
	if w.after {
		w.text.WriteString(blank)
	}
	w.after = false
}

// span writes a span; followed means that another one follows on the line.
func (w *writer) span(s, open adapters.Span, followed bool) {
	if s.Code && !ends(s.Text, open) {
		w.apart()
		w.begun = true
		w.text.WriteString("`" + s.Text + "`")
		w.after = true
		return
	}
	w.after = false
	w.escape(s.Text, open != adapters.Span{}, followed)
}

// ends reports whether code would end the style around it: Discord looks for the end in code too, and ignores
// backslashes there. Such code is written as plain text.
func ends(code string, open adapters.Span) bool {
	return open.Italic && strings.Contains(code, "*") ||
		open.Bold && strings.Contains(code, "**") ||
		open.URL != "" && strings.ContainsAny(code, "[]")
}

// escape writes a text literally. A URL stays unchanged if it ends where Discord's clients end it, at the next
// space; otherwise it is broken up.
func (w *writer) escape(s string, styled, followed bool) {
	for at := 0; at < len(s); {
		n := addressLength(s[at:])
		if styled && strings.ContainsAny(s[at:at+n], "*_~|`[]()\\") || followed && at+n == len(s) {
			n = 0
		}
		if n > 0 {
			w.text.WriteString(s[at : at+n])
			w.begun = true
			at += n
			continue
		}
		c := s[at]
		if w.means(s, at) {
			w.text.WriteByte('\\')
		}
		w.text.WriteByte(c)
		if digit := c >= '0' && c <= '9'; c != ' ' && c != '\t' && !digit {
			w.begun = true
		}
		at++
	}
}

// means reports whether Discord would interpret a character.
func (w *writer) means(s string, at int) bool {
	rest := s[at+1:]
	switch c := s[at]; c {
	case '\\', '*', '_', '~', '`', '|', '[', ']':
		return true
	case '<':
		return rest != "" && rest[0] != ' '
	case ':': // the name of an emoji, or an address in styled text
		end := strings.IndexByte(rest, ':')
		return strings.HasPrefix(rest, "//") || end > 0 && end < 64 && strings.Trim(rest[:end], shortcode) == ""
	case '@':
		return strings.HasPrefix(rest, "everyone") || strings.HasPrefix(rest, "here")
	case '#', '>', '-', '+':
		return !w.begun
	case '.':
		return !w.begun && at > 0 && s[at-1] >= '0' && s[at-1] <= '9'
	}
	return false
}

const shortcode = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-~"

// addressLength returns the length of the URL at the beginning of a text, in bytes.
func addressLength(s string) int {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return 0
	}
	n := strings.IndexFunc(s, func(r rune) bool { return r == '<' || isSpace(r) })
	switch {
	case n < 0:
		return len(s)
	case s[n] == '<': // its backslash would become part of the address
		return 0
	}
	return n
}

func isSpace(r rune) bool { return r <= ' ' || r == 0xa0 || r == 0x2028 || r == 0x2029 || r == 0x3000 }

// printable replaces control characters other than line ends and tabs.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return utf8.RuneError
		}
		return r
	}, s)
}

// plain returns a plain text on one line, in Discord's markup.
func plain(text string) string {
	return renderSpans([]adapters.Span{{Text: strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")}})
}
