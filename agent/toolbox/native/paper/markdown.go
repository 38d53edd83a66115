package paper

import (
	"context"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// headings are the font sizes of headings by level.
var headings = [...]float64{1: 22, 2: 17, 3: 14, 4: 12.5, 5: 11.5, 6: 11}

// Markdown writes a Markdown text as a PDF.
func Markdown(ctx context.Context, w io.Writer, source string) error {
	s := newSheet(ctx)
	m := marked{sheet: s, source: []byte(source)}
	parser := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify)).Parser()
	m.blocks(parser.Parse(text.NewReader(m.source)))
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.end(w)
}

// marked is a Markdown text being written.
type marked struct {
	*sheet

	source []byte
	lists  int // nesting depth of lists
}

// blocks writes the child blocks of a node.
func (m *marked) blocks(of ast.Node) {
	for n := of.FirstChild(); n != nil && m.ctx.Err() == nil; n = n.NextSibling() {
		m.block(n)
	}
}

func (m *marked) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		m.heading(n)
	case *ast.List:
		m.list(n)
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		m.listing(n)
	case *ast.Blockquote:
		m.indented(func() {
			m.slant++
			m.blocks(n)
			m.slant--
		})
	case *ast.ThematicBreak:
		m.Ln(between)
		width, _ := m.GetPageSize()
		m.Line(margin, m.GetY(), width-margin, m.GetY())
		m.Ln(2 * between)
	case *extast.Table:
		m.table(n)
	default: // a paragraph, or the text of a list item
		m.inline(n)
		m.Ln(m.height())
		if m.lists == 0 || n.Kind() == ast.KindParagraph {
			m.Ln(between)
		}
	}
}

func (m *marked) heading(n *ast.Heading) {
	was := m.size
	m.size = headings[n.Level]
	if m.GetY() > margin {
		m.Ln(m.height() / 2)
	}
	if _, page := m.GetPageSize(); m.GetY() > page-margin-3*m.height() { // not alone at the bottom of a page
		m.AddPage()
	}
	m.bold++
	m.inline(n)
	m.bold--
	m.Ln(m.height() + between/2)
	m.size = was
}

// left returns the left margin.
func (m *marked) left() float64 {
	left, _, _, _ := m.GetMargins() //nolint:dogsled // it returns all four
	return left
}

// indented writes blocks with a larger left margin.
func (m *marked) indented(write func()) {
	left := m.left()
	inner := min(left+indent, furthest)
	m.SetLeftMargin(inner)
	m.SetX(inner)
	write()
	m.SetLeftMargin(left)
	m.SetX(left)
}

func (m *marked) list(n *ast.List) {
	m.lists++
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "•"
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + "."
			number++
		}
		m.SetX(m.left())
		m.font()
		m.Cell(indent, m.height(), mark)
		m.indented(func() { m.blocks(item) })
	}
	m.lists--
	if m.lists == 0 {
		m.Ln(between)
	}
}

// listing writes the lines of a block verbatim, on grey.
func (m *marked) listing(n ast.Node) {
	m.code++
	m.font()
	m.code--
	m.SetFillColor(241, 245, 249)
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		line := strings.TrimRight(string(at.Value(m.source)), "\r\n")
		if line == "" {
			line = " "
		}
		m.MultiCell(0, m.height(), writable(strings.ReplaceAll(line, "\t", "    ")), "", "L", true)
	}
	m.Ln(between)
}

// table writes a table with columns of equal width.
func (m *marked) table(n *extast.Table) {
	width, page := m.GetPageSize()
	left, _, right, _ := m.GetMargins()
	columns := max(1, len(n.Alignments))
	wide := (width - left - right) / float64(columns)
	if wide < narrowest {
		m.rows(n)
		return
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if row.Kind() == extast.KindTableHeader {
			m.bold++
		}
		m.font()
		var cells [][]string
		tallest := 1
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			lines := m.SplitText(writable(words(cell, m.source)), wide-2)
			cells = append(cells, lines)
			tallest = max(tallest, len(lines))
		}
		high := float64(tallest)*m.height() + 1
		if m.GetY()+high > page-margin {
			m.AddPage()
		}
		top := m.GetY()
		for i, lines := range cells {
			m.Rect(left+float64(i)*wide, top, wide, high, "D")
			for k, line := range lines {
				m.SetXY(left+float64(i)*wide, top+0.5+float64(k)*m.height())
				m.CellFormat(wide, m.height(), line, "", 0, "L", false, 0, "")
			}
		}
		m.SetXY(left, top+high)
		if row.Kind() == extast.KindTableHeader {
			m.bold--
		}
	}
	m.Ln(between)
}

// rows writes a table that is too wide for the page, one line per row.
func (m *marked) rows(n *extast.Table) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, words(cell, m.source))
		}
		m.words(strings.Join(cells, " | "))
		m.Ln(m.height())
	}
	m.Ln(between)
}

// words returns the text within a node.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Value(source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.AutoLink:
			b.Write(c.Label(source))
		default:
			b.WriteString(words(c, source))
		}
	}
	return b.String()
}

// inline writes the inline children of a node.
func (m *marked) inline(of ast.Node) {
	for n := of.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			m.words(string(n.Value(m.source)))
			switch {
			case n.HardLineBreak():
				m.Ln(m.height())
			case n.SoftLineBreak():
				m.words(" ")
			}
		case *ast.String:
			m.words(string(n.Value))
		case *ast.Emphasis:
			count := &m.slant
			if n.Level > 1 {
				count = &m.bold
			}
			*count++
			m.inline(n)
			*count--
		case *ast.CodeSpan:
			m.code++
			m.inline(n)
			m.code--
		case *ast.Link:
			m.link = address(string(n.Destination))
			m.inline(n)
			m.link = ""
		case *ast.AutoLink:
			m.link = address(string(n.URL(m.source)))
			m.words(string(n.Label(m.source)))
			m.link = ""
		default: // pictures become their description
			m.inline(n)
		}
	}
}

// address returns the link if it is a web or mail address, else "".
func address(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	return link
}
