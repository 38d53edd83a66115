package paper

import (
	"context"
	"image/color"
	"io"
	"math"

	"codeberg.org/go-pdf/fpdf"
)

// Place is the position of a stamp on a page.
type Place int

// Positions of a stamp: small at the bottom or top centre, or large, grey and translucent from corner to corner.
const (
	Foot Place = iota
	Head
	Across
)

// Page is a page of the stamped document, in points. Without a text it stays blank.
type Page struct {
	Width, Height float64
	Text          string
}

const (
	stampSize   = 10  // font size of a small stamp, in points
	stampMargin = 22  // from the edge to the middle of its letters
	acrossShare = 0.7 // of the diagonal
	mostAcross  = 150 // points
	acrossInk   = 110 // grey, of 255
	acrossAlpha = 0.35
)

// Stamps writes a document with only the stamps, to be overlaid on the document with these pages. If ink is nil,
// small stamps are black and large ones grey.
func Stamps(ctx context.Context, w io.Writer, pages []Page, at Place, ink *color.NRGBA) error {
	s := &sheet{Fpdf: fpdf.New("P", "pt", "A4", ""), ctx: ctx}
	s.SetMargins(0, 0, 0)
	s.SetAutoPageBreak(false, 0)
	s.fixed()
	for _, p := range pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.AddPageFormat("P", fpdf.SizeType{Wd: p.Width, Ht: p.Height})
		if p.Text != "" {
			s.stamp(p, writable(p.Text), at, ink)
		}
	}
	return s.end(w)
}

func (s *sheet) stamp(p Page, text string, at Place, ink *color.NRGBA) {
	if at == Across {
		s.SetTextColor(acrossInk, acrossInk, acrossInk)
	}
	if ink != nil {
		s.SetTextColor(int(ink.R), int(ink.G), int(ink.B))
	}
	if at == Across {
		s.stampAcross(p, text)
		return
	}
	s.SetFont(plain, "", stampSize)
	if wide := s.GetStringWidth(text); wide > p.Width*0.9 {
		s.SetFontSize(stampSize * p.Width * 0.9 / wide)
	}
	y := p.Height - stampMargin + stampSize/2
	if at == Head {
		y = stampMargin + stampSize/2
	}
	s.Text((p.Width-s.GetStringWidth(text))/2, y, text)
}

func (s *sheet) stampAcross(p Page, text string) {
	s.SetFont(plain, "B", 100)
	size := min(mostAcross, 100*acrossShare*math.Hypot(p.Width, p.Height)/max(s.GetStringWidth(text), 1))
	s.SetFontSize(size)
	s.SetAlpha(acrossAlpha, "Normal")
	s.TransformBegin()
	s.TransformRotate(math.Atan2(p.Height, p.Width)*180/math.Pi, p.Width/2, p.Height/2)
	s.Text((p.Width-s.GetStringWidth(text))/2, p.Height/2+size*0.35, text)
	s.TransformEnd()
}
