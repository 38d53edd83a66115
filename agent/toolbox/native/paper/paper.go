// Package paper typesets texts as A4 PDF documents: plain text as is, and Markdown with its headings,
// lists, tables and code. It also makes stamps, to be overlaid on the pages of another document.
//
// Guarantees:
//   - It is pure: the same text gives the same document. It loads no pictures and follows no links.
//   - Fonts are embedded, so a document looks the same everywhere. Characters missing from the fonts
//     become question marks.
package paper

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"atelier/agent/toolbox/native/canvas"
)

// Sizes in points for fonts, in millimetres for everything else.
const (
	textSize = 11
	codeSize = 9.5
	margin   = 20
	leading  = 0.5 // line height in millimetres per point
	indent   = 7
	between  = 2.5 // between paragraphs

	furthest  = 100 // maximum left margin
	narrowest = 12  // minimum width of a table column
)

// The names of the fonts.
const (
	plain = "plain"
	mono  = "mono"
)

// sheet is a document being written.
type sheet struct {
	*fpdf.Fpdf

	ctx   context.Context //nolint:containedctx // the document is written in one call
	bold  int             // number of enclosing bold elements; slant and code likewise
	slant int
	code  int
	size  float64
	link  string
}

func newSheet(ctx context.Context) *sheet {
	s := &sheet{Fpdf: fpdf.New("P", "mm", "A4", ""), ctx: ctx, size: textSize}
	s.SetMargins(margin, margin, margin)
	s.SetAutoPageBreak(true, margin)
	s.fixed()
	s.AddPage()
	return s
}

// fixed sets the fonts and, so that the same text gives the same bytes, a constant time.
func (s *sheet) fixed() {
	s.SetCatalogSort(true)
	epoch := time.Unix(0, 0).UTC()
	s.SetCreationDate(epoch)
	s.SetModificationDate(epoch)
	s.AddUTF8FontFromBytes(plain, "", goregular.TTF)
	s.AddUTF8FontFromBytes(plain, "B", gobold.TTF)
	s.AddUTF8FontFromBytes(plain, "I", goitalic.TTF)
	s.AddUTF8FontFromBytes(plain, "BI", gobolditalic.TTF)
	s.AddUTF8FontFromBytes(mono, "", gomono.TTF)
}

// Text writes a plain text, line by line.
func Text(ctx context.Context, w io.Writer, text string) error {
	s := newSheet(ctx)
	s.font()
	for line := range strings.SplitSeq(text, "\n") {
		if err := ctx.Err(); err != nil {
			return err
		}
		if strings.TrimSpace(line) == "" {
			s.Ln(s.height())
			continue
		}
		s.MultiCell(0, s.height(), writable(line), "", "L", false)
	}
	return s.end(w)
}

func (s *sheet) end(w io.Writer) error {
	if err := s.Output(w); err != nil {
		return fmt.Errorf("write a document: %w", err)
	}
	return nil
}

// font sets the font for the enclosing elements.
func (s *sheet) font() {
	style := ""
	if s.bold > 0 {
		style += "B"
	}
	if s.slant > 0 {
		style += "I"
	}
	if s.code > 0 {
		s.SetFont(mono, "", s.size*codeSize/textSize)
		return
	}
	s.SetFont(plain, style, s.size)
}

// height returns the line height.
func (s *sheet) height() float64 { return s.size * leading }

// words writes a piece of a paragraph.
func (s *sheet) words(text string) {
	s.font()
	if text = writable(text); s.link != "" {
		s.SetTextColor(29, 78, 216)
		s.WriteLinkString(s.height(), text, s.link)
		s.SetTextColor(0, 0, 0)
		return
	}
	s.Write(s.height(), text)
}

// writable replaces characters missing from the fonts.
func writable(text string) string {
	if canvas.Has(canvas.Regular, text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r > 0xFFFF || !canvas.Has(canvas.Regular, string(r)) {
			return '?'
		}
		return r
	}, text)
}
