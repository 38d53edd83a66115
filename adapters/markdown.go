package adapters

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Block is a line of a paragraph, a list item, a quoted line, or a code block.
type Block struct {
	Kind BlockKind
	// Indent is the nesting level of a list item, from 0.
	Indent int
	// Marker is that of a list item: "-", or "1." and so on.
	Marker string
	// Spans are the content of every block but code.
	Spans []Span
	// Code and Language are those of a code block.
	Code, Language string
}

// BlockKind is the kind of a block.
type BlockKind int

// The kinds of blocks.
const (
	Line  BlockKind = iota // an empty one stands between paragraphs
	Item                   // of a list
	Quote                  // a quoted line
	Code
)

// Span is a piece of a line in one style.
type Span struct {
	Text               string
	Bold, Italic, Code bool
	URL                string // target of a link, http or https
}

// Parse parses the small Markdown in which replies are written. Every text is valid: anything not listed here is
// shown literally, and an adapter escapes what its platform would interpret.
//
//   - A line is a line: breaks are kept, and an empty line separates paragraphs.
//   - "- " or "* " at the beginning of a line makes it a list item, and so do "1. " to
//     "999. "; each two spaces before that nest it deeper.
//   - "> " at the beginning of a line makes it a quote.
//   - A line of 3 to 8 backquotes, with no other backquote after them, opens a code block. The
//     first word after them is its language, if it consists of at most 32 of A–Z a–z 0–9 + - # . _;
//     the rest of the line is not shown. Spaces and a list marker may precede them; the list item
//     is then empty. The block ends at the end of the text or at a line of at least as many
//     backquotes and nothing else, indented by at most 3 spaces more. The indent of the opening
//     fence is removed from the lines of code, as far as they have it.
//   - Within a line, but not across lines: `code`; **bold**; *italic*, without a letter or digit
//     next to it outside; [text](https://…), without spaces or parentheses in the URL. Bold,
//     italic and links may contain each other and code. Each is at most 2,048 bytes long.
//   - A backslash before an ASCII punctuation mark makes it literal.
//
// There are no headings, tables, pictures, rules, underscores for emphasis, or HTML.
func Parse(text string) []Block {
	text = tidy(text)
	var blocks []Block
	var code strings.Builder // of the last block; a builder, so that a long block is not copied for each line
	for _, l := range lines(text) {
		s := text[l.start:l.end]
		switch l.kind {
		case openLine:
			if l.fence.item != "" {
				blocks = append(blocks, prose(l.fence.item))
			}
			blocks = append(blocks, Block{Kind: Code, Language: l.fence.language})
			code.Reset()
		case codeLine:
			code.WriteString(l.fence.content(s))
			code.WriteByte('\n')
			blocks[len(blocks)-1].Code = code.String()
		case closeLine:
		case proseLine:
			blocks = append(blocks, prose(s))
		}
	}
	for i := range blocks {
		blocks[i].Code = strings.TrimSuffix(blocks[i].Code, "\n")
	}
	return blocks
}

// tidy replaces invalid UTF-8 and normalizes line ends to line feeds.
func tidy(text string) string {
	return strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), string(utf8.RuneError))
}

// prose parses a line outside of code.
func prose(s string) Block {
	content := strings.TrimLeft(s, " ")
	indent := len(s) - len(content)
	if marker := listMarker(content); marker != "" {
		b := Block{Kind: Item, Indent: indent / 2, Marker: marker, Spans: spans(content[len(marker)+1:], Span{})}
		if marker == "*" {
			b.Marker = "-"
		}
		return b
	}
	if s == ">" {
		return Block{Kind: Quote}
	}
	if quoted, ok := strings.CutPrefix(s, "> "); ok {
		return Block{Kind: Quote, Spans: spans(quoted, Span{})}
	}
	return Block{Kind: Line, Spans: spans(s, Span{})}
}

// listMarker returns the marker that makes a line a list item, without the space after it, or "".
func listMarker(s string) string {
	marker, _, ok := strings.Cut(s[:min(len(s), len("999. "))], " ")
	switch number, dotted := strings.CutSuffix(marker, "."); {
	case !ok:
		return ""
	case marker == "-" || marker == "*":
		return marker
	case dotted && number != "" && len(number) <= 3 && strings.Trim(number, "0123456789") == "":
		return marker
	}
	return ""
}

// spans parses the content of a line that already has a style.
func spans(s string, style Span) []Span {
	var all []Span
	ends := closings{line: s}
	var last strings.Builder // the last span, if it has this style
	plain := func(text string) {
		if n := len(all); n == 0 || !all[n-1].is(style) {
			all = append(all, style)
			last.Reset()
		}
		last.WriteString(text)
		all[len(all)-1].Text = last.String()
	}
	for at := 0; at < len(s); {
		if s[at] == '\\' && at+1 < len(s) && isPunctuation(s[at+1]) {
			plain(s[at+1 : at+2])
			at += 2
			continue
		}
		if inner, within, length := ends.marked(at, style); length > 0 {
			if within.Code {
				within.Text = inner
				all = append(all, within)
			} else {
				all = append(all, spans(inner, within)...)
			}
			at += length
			continue
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		plain(s[at : at+size])
		at += size
	}
	return all
}

// is reports whether a span has that style.
func (s Span) is(style Span) bool {
	style.Text = s.Text
	return s == style
}

// isAddress reports whether s is a URL that people may be sent to.
func isAddress(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`()<>|"`, r) }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

func endsInWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func beginsWithWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isPunctuation(c byte) bool { return c > ' ' && c < 0x7f && !isWord(c) }

// Escape escapes a text, such as a file name or a quotation, so that [Parse] reads it literally. The result may
// also stand within a line.
func Escape(text string) string {
	var b strings.Builder
	fresh := true // only spaces on the line so far
	for i := range len(text) {
		c := text[i]
		number := c == '.' && i > 0 && '0' <= text[i-1] && text[i-1] <= '9'
		if strings.IndexByte("\\`*[]", c) >= 0 || fresh && (c == '-' || c == '>') || number {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		fresh = c == '\n' || c == '\r' || fresh && c == ' '
	}
	return b.String()
}
