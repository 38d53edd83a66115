package adapters

import (
	"strings"
	"unicode/utf8"
)

// The longest opening line of a code block: so much must fit beside its content.
const (
	minFence, maxFence = 3, 8
	maxLanguage        = 32
)

// moreIndent is how many spaces more than a code block's first line its last one may have.
const moreIndent = 3

// fence is how a code block begins.
type fence struct {
	item     string // the list's marker that stands before it on its line, with what is before that
	indent   int    // how far it stands from the line's beginning
	marks    string // the backquotes
	language string
}

// openingFence reads a line as the beginning of a code block.
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

// closes tells whether a line ends the code block.
func (f fence) closes(line string) bool {
	marks := strings.TrimLeft(line, " ")
	if len(line)-len(marks) > f.indent+moreIndent {
		return false
	}
	marks = strings.TrimRight(marks, " \t")
	return len(marks) >= len(f.marks) && strings.Trim(marks, "`") == ""
}

// content is a line of the code block without the indent that all of it has.
func (f fence) content(line string) string {
	n := 0
	for n < min(f.indent, len(line)) && line[n] == ' ' {
		n++
	}
	return line[n:]
}

// notLast is put before a line of code that would end its block.
var notLast = strings.Repeat(" ", moreIndent+1)

func (f fence) opening() string { return f.marks + f.language + "\n" }

// lineKind is what a line is to a code block.
type lineKind int

const (
	proseLine lineKind = iota // outside of one
	openLine
	codeLine
	closeLine
)

// line is a line of a text: text[start:end], without what ends it.
type line struct {
	start, end int
	kind       lineKind
	fence      *fence // of the code block that it belongs to, nil outside of one
	block      int    // the index of that block's first line
}

// lines cuts a text at its line feeds. There is at least one line.
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

// plainFences gives a text whose code blocks begin and end with no more than they need, at
// the very beginning of a line of their own.
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
