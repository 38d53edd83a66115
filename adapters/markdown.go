package adapters

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Block is a paragraph's line, a line of a list, a quoted line, or a block of code.
type Block struct {
	Kind BlockKind
	// Indent is how deep a list's line stands, from 0.
	Indent int
	// Marker is that of a list's line: "-", or "1." and so on.
	Marker string
	// Spans are the content of all but code.
	Spans []Span
	// Code and Language are those of a block of code.
	Code, Language string
}

// BlockKind is what a block is.
type BlockKind int

// The kinds of blocks.
const (
	Line  BlockKind = iota // an empty one stands between paragraphs
	Item                   // of a list
	Quote                  // a quoted line
	Code
)

// Span is a piece of a line that is shown in one way.
type Span struct {
	Text               string
	Bold, Italic, Code bool
	URL                string // where a link leads, by http or https
}

// Parse reads the little Markdown in which replies are written. Every text is one: what is
// none of the following is shown as it stands, letter by letter, a make escaping what else
// would mean something to its platform.
//
//   - A line is a line: breaks are kept, an empty line stands between paragraphs.
//   - "- " or "* " at the beginning of a line makes it a list's, and so do "1. " to
//     "999. "; each two spaces before that put it deeper.
//   - "> " at the beginning of a line makes it a quoted one.
//   - A line of 3 to 8 backquotes, with no other backquote after them, begins a block of
//     code. The first word after them is its language, if it is one of at most 32 of A–Z a–z
//     0–9 + - # . _; the rest of the line is not shown. Spaces may stand before them, and
//     the marker of a list's line: that line is empty then. A line of at least as many
//     backquotes and nothing else, with at most 3 spaces more before them, or the text's
//     end, ends it. The code is without the spaces that stand before its first backquote,
//     as far as its lines have them.
//   - Within a line, but not across lines: `code`; **bold**; *italic*, where no letter or
//     digit stands next to it outside; [text](https://…), with no space or parenthesis in
//     the address. Bold, italic and links may hold each other and code. What is marked up
//     so has at most 2,048 bytes.
//   - A backslash takes its meaning from the ASCII punctuation mark that follows it.
//
// There are no headings, tables, pictures, rules, underscores for emphasis, or HTML.
func Parse(text string) []Block {
	text = tidy(text)
	var blocks []Block
	var code strings.Builder // of the last block: what is long is not copied with each line
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

// tidy makes a text UTF-8 whose lines end in line feeds.
func tidy(text string) string {
	return strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), string(utf8.RuneError))
}

// prose reads a line that is no code.
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

// listMarker is what makes a line a list's, without the space after it.
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

// spans reads the content of a line, which is shown in a style already.
func spans(s string, style Span) []Span {
	var all []Span
	ends := closings{line: s}
	var last strings.Builder // the last piece, where it is in this style
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

// is tells whether a span is shown in that style.
func (s Span) is(style Span) bool {
	style.Text = s.Text
	return s == style
}

// isAddress tells whether people may be led there.
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

// Escape gives a text, as of a file's name or a quotation, that [Parse] reads as nothing
// but this text. It is for the middle of lines too.
func Escape(text string) string {
	var b strings.Builder
	fresh := true // nothing but spaces stands on the line yet
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
