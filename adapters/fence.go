package adapters

import (
	"strings"
	"unicode/utf8"
)

// Limits on the opening line of a code block, which must fit into a message beside the content.
const (
	minFence, maxFence = 3, 8
	maxLanguage        = 32
)

// moreIndent is how many more spaces than the opening line the closing line of a code block may have.
const moreIndent = 3

// fence is the opening line of a code block.
type fence struct {
	item     string // list marker before the fence on its line, with leading spaces
	indent   int    // column at which the backquotes begin
	marks    string // the backquotes
	language string
}

// openingFence parses a line as the opening of a code block.
func openingFence(line string) (fence, bool) {
	var f fence
	rest := strings.TrimLeft(line, " ")
	if marker := listMarker(rest); marker != "" {
		rest = rest[len(marker)+1:]
		f.item = line[:len(line)-len(rest)]
		rest = strings.TrimLeft(rest, " ")
	}
	info := strings.TrimLeft(rest, "`")
	f.indent, f.marks = len(line)-len(rest), rest[:len(rest)-len(info)]
	if len(f.marks) < minFence || len(f.marks) > maxFence || strings.Contains(info, "`") {
		return f, false
	}
	if f.language = strings.TrimLeft(info, " \t"); strings.ContainsAny(f.language, " \t") {
		f.language = f.language[:strings.IndexAny(f.language, " \t")]
	}
	if !isLanguage(f.language) {
		f.language = ""
	}
	return f, true
}

func isLanguage(s string) bool { return len(s) <= maxLanguage && !strings.ContainsFunc(s, notLanguage) }

func notLanguage(r rune) bool {
	return r >= utf8.RuneSelf || !isWord(byte(r&0x7f)) && !strings.ContainsRune("+-#._", r)
}

// Verbatim returns Markdown that shows a text as it is: in a code block, which keeps its columns, or escaped if it
// has lines that people read better wrapped, those over the given number of characters.
func Verbatim(text string, longest int) string {
	text = strings.Trim(tidy(text), "\n")
	marks := strings.Repeat("`", minFence)
	for strings.Contains(text, marks) {
		marks += "`"
	}
	for l := range strings.Lines(text) {
		if utf8.RuneCountInString(l) > longest {
			return Escape(text)
		}
	}
	if len(marks) > maxFence {
		return Escape(text)
	}
	return marks + "\n" + text + "\n" + marks
}

// closes reports whether a line ends the code block.
func (f fence) closes(line string) bool {
	marks := strings.TrimLeft(line, " ")
	if len(line)-len(marks) > f.indent+moreIndent {
		return false
	}
	marks = strings.TrimRight(marks, " \t")
	return len(marks) >= len(f.marks) && strings.Trim(marks, "`") == ""
}

// content returns a line of the code block without the block's indent.
func (f fence) content(line string) string {
	n := 0
	for n < min(f.indent, len(line)) && line[n] == ' ' {
		n++
	}
	return line[n:]
}

// notLast is the prefix for a line of code that would otherwise end its block.
var notLast = strings.Repeat(" ", moreIndent+1)

func (f fence) opening() string { return f.marks + f.language + "\n" }

// lineKind is the role of a line in a code block.
type lineKind int

const (
	proseLine lineKind = iota // outside a code block
	openLine
	codeLine
	closeLine
)

// line is a line of a text: text[start:end], without the line feed.
type line struct {
	start, end int
	kind       lineKind
	fence      *fence // of its code block, nil outside one
	block      int    // index of the block's first line
}

// lines splits a text at line feeds. It returns at least one line.
func lines(text string) []line {
	var all []line
	var open *fence
	block := 0
	for at := 0; at <= len(text); {
		l := line{start: at, end: len(text)}
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			l.end = at + n
		}
		s := text[l.start:l.end]
		if open != nil {
			l.fence, l.block, l.kind = open, block, codeLine
			if open.closes(s) {
				l.kind, open = closeLine, nil
			}
		} else if f, ok := openingFence(s); ok {
			open, block = &f, len(all)
			l.fence, l.block, l.kind = open, block, openLine
		}
		all = append(all, l)
		at = l.end + 1
	}
	return all
}

// plainFences normalizes the code blocks of a text: fences stand at the beginning of a line of their own, with
// nothing but backquotes and the language.
func plainFences(text string) string {
	var b strings.Builder
	for i, l := range lines(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch l.kind {
		case openLine:
			if l.fence.item != "" {
				b.WriteString(l.fence.item + "\n")
			}
			b.WriteString(strings.TrimSuffix(l.fence.opening(), "\n"))
		case closeLine:
			b.WriteString(l.fence.marks)
		case codeLine:
			b.WriteString(l.fence.content(text[l.start:l.end]))
		case proseLine:
			b.WriteString(text[l.start:l.end])
		}
	}
	return b.String()
}
