package discord

import (
	"strings"
	"unicode/utf8"

	"atelier/adapters"
)

// blank takes no room. It stands where Discord would take what is beside it for its own, or
// leave out a line.
const blank = "\u200b"

// render gives a reply's text in Discord's markup ("Message Formatting" of the
// documentation, and what the clients make of it).
func render(text string) string {
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
			if i > 0 { // at the very beginning Discord cuts the spaces off
				b.WriteString(strings.Repeat("  ", block.Indent))
			}
			if block.Marker != "-" { // Discord would count for itself
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
		s = blank + s // Discord cuts off what is blank
	}
	return s
}

func orBlank(s string) string {
	if strings.TrimSpace(s) == "" {
		return blank
	}
	return s
}

// renderCode writes a block of code. Discord knows no longer fences, and leaves out empty
// lines at both ends.
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
	b.WriteString("```" + language(block.Language) + "\n" + code + "\n```")
}

// language is one that Discord takes after the backquotes.
func language(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (isWord(byte(r)) || strings.ContainsRune("+-#._", r)) { //nolint:gosec // it is ASCII
			return r
		}
		return -1
	}, s)
}

// renderSpans writes the content of a line.
func renderSpans(spans []adapters.Span) string {
	w := &writer{}
	w.spans(shown(spans), adapters.Span{})
	return w.text.String()
}

// shown are the pieces that hold something to see.
func shown(spans []adapters.Span) []adapters.Span {
	var all []adapters.Span
	for _, s := range spans {
		if s.Text = printable(s.Text); s.Text != "" {
			all = append(all, s)
		}
	}
	return all
}

// writer writes a line. It knows whether what follows stands at the line's beginning, where
// more means something.
type writer struct {
	text  strings.Builder
	begun bool
	after bool // a mark-up has just ended: another may not follow at once
}

// spans writes pieces, of which the style that is open already needs no marks.
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

// styles are what a piece can be besides code.
var styles = []func(adapters.Span) adapters.Span{
	func(s adapters.Span) adapters.Span { return adapters.Span{URL: s.URL} },
	func(s adapters.Span) adapters.Span { return adapters.Span{Bold: s.Bold} },
	func(s adapters.Span) adapters.Span { return adapters.Span{Italic: s.Italic} },
}

// longest is the style, of those that begin here, that reaches over the most pieces.
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

// marked writes pieces between the marks of a style.
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
	if text != strings.TrimSpace(text) { // beside a space Discord takes no mark for one
		text = blank + text + blank
	}
	w.text.WriteString(text + mark)
	w.after = true
}

// apart keeps the marks of two pieces from being one.
func (w *writer) apart() {
	if w.after {
		w.text.WriteString(blank)
	}
	w.after = false
}

// span writes a piece, which another one may follow on the line.
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

// ends tells whether code would end the marks of the style around it: Discord looks for
// their end in code too, where no backslash helps. Such code is written as plain letters.
func ends(code string, open adapters.Span) bool {
	return open.Italic && strings.Contains(code, "*") ||
		open.Bold && strings.Contains(code, "**") ||
		open.URL != "" && strings.ContainsAny(code, "[]")
}

// escape writes letters so that none means anything to Discord. An address stays as it
// is, since Discord takes all up to the next space for a part of it; where that would be
// too much, it is kept from being taken for one.
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

// means tells whether a letter would mean something to Discord.
func (w *writer) means(s string, at int) bool {
	rest := s[at+1:]
	switch c := s[at]; c {
	case '\\', '*', '_', '~', '`', '|', '[', ']':
		return true
	case '<':
		return rest != "" && rest[0] != ' '
	case ':': // an emoji's name, or an address within what is marked up
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

// addressLength is how many bytes the address takes with which a text begins, 0 if it
// begins with none.
func addressLength(s string) int {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return 0
	}
	n := strings.IndexFunc(s, func(r rune) bool { return r == '<' || isSpace(r) })
	switch {
	case n < 0:
		return len(s)
	case s[n] == '<': // whose backslash would be a part of the address
		return 0
	}
	return n
}

func isSpace(r rune) bool { return r <= ' ' || r == 0xa0 || r == 0x2028 || r == 0x2029 || r == 0x3000 }

// printable is a text with another letter for control characters but line ends and tabs.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return utf8.RuneError
		}
		return r
	}, s)
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// plain is a plain text on one line in Discord's markup.
func plain(text string) string {
	return renderSpans([]adapters.Span{{Text: strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")}})
}
