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

// fence is how a code block begins.
type fence struct {
	marks    string // the backquotes
	language string
}

// openingFence reads a line as the beginning of a code block.
func openingFence(line string) (fence, bool) {
	language := strings.TrimLeft(line, "`")
	marks := line[:len(line)-len(language)]
	language = strings.TrimRight(language, " \t")
	ok := len(marks) >= minFence && len(marks) <= maxFence && len(language) <= maxLanguage && !strings.ContainsFunc(language, notLanguage)
	return fence{marks, language}, ok
}

func notLanguage(r rune) bool {
	return r >= utf8.RuneSelf || !isWord(byte(r&0x7f)) && !strings.ContainsRune("+-#._", r)
}

// closes tells whether a line ends the code block.
func (f fence) closes(line string) bool {
	line = strings.TrimRight(line, " \t")
	return len(line) >= len(f.marks) && strings.Trim(line, "`") == ""
}

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

// plainFences gives a text whose code blocks begin and end with no more than they need.
func plainFences(text string) string {
	var b strings.Builder
	for i, l := range lines(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch l.kind {
		case openLine:
			b.WriteString(strings.TrimSuffix(l.fence.opening(), "\n"))
		case closeLine:
			b.WriteString(l.fence.marks)
		default:
			b.WriteString(text[l.start:l.end])
		}
	}
	return b.String()
}

// Fence makes a text a code block, whatever the text holds. The language may be "".
func Fence(language, text string) string {
	f := fence{marks: strings.Repeat("`", minFence), language: language}
	if len(language) > maxLanguage || strings.ContainsFunc(language, notLanguage) {
		f.language = ""
	}
	content := strings.Split(strings.TrimSuffix(tidy(text), "\n"), "\n")
	for i, l := range content {
		for len(f.marks) < maxFence && f.closes(l) {
			f.marks += "`"
		}
		if f.closes(l) {
			content[i] = " " + l // a line of so many backquotes is shown with a space before it
		}
	}
	return f.opening() + strings.Join(content, "\n") + "\n" + f.marks
}
