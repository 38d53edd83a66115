package native

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"atelier/agent/toolbox/media"
)

// boldFont is read once; it is embedded, so an error would be one of the build.
var boldFont = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(gobold.TTF) })

// lettering is a text set in lines of a bold face of that size in pixels.
type lettering struct {
	face  font.Face
	size  float64
	lines []string
}

const leading = 1.2 // the distance of lines, in sizes

// setText breaks a text into lines that fit into width and height, in the largest size
// from at most to least pixels. In the smallest size it may be taller than asked.
func setText(text string, width, height int, most, least float64) (lettering, error) {
	f, err := boldFont()
	if err != nil {
		return lettering{}, err
	}
	for size := most; ; size = max(size*0.85, least) {
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			return lettering{}, fmt.Errorf("set the font to a size of %.1f: %w", size, err)
		}
		l := lettering{face: face, size: size, lines: wrap(face, text, width)}
		if size <= least || l.width() <= width && l.height() <= height {
			return l, nil
		}
	}
}

// wrap fills lines with as many words as fit; a word that is too long for a line
// stands alone, and the size must shrink for it.
func wrap(face font.Face, text string, width int) []string {
	var lines []string
	for paragraph := range strings.Lines(text) {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			longer := strings.TrimSpace(line + " " + word)
			if line != "" && font.MeasureString(face, longer).Ceil() > width {
				lines = append(lines, line)
				longer = word
			}
			line = longer
		}
		lines = append(lines, line)
	}
	return lines
}

func (l lettering) width() int {
	widest := 0
	for _, line := range l.lines {
		widest = max(widest, font.MeasureString(l.face, line).Ceil())
	}
	return widest
}

func (l lettering) height() int { return int(math.Ceil(float64(len(l.lines)) * l.size * leading)) }

// draw writes the lines into the box: align is -1 for left, 0 for centred, 1 for right.
// Every letter has an outline of that many pixels, so that it can be read on any ground.
func (l lettering) draw(ctx context.Context, dst *image.NRGBA, box image.Rectangle, align int, ink, outline color.Color, border int) error {
	baseline := float64(box.Min.Y) + l.size*0.9
	for i, line := range l.lines {
		if err := media.Stopped(ctx); err != nil {
			return err
		}
		room := box.Dx() - font.MeasureString(l.face, line).Ceil()
		at := fixed.P(box.Min.X+room*(align+1)/2, int(math.Round(baseline+float64(i)*l.size*leading)))
		d := font.Drawer{Face: l.face, Dot: at}
		ends, _ := d.BoundString(line)
		area := image.Rect(ends.Min.X.Floor(), ends.Min.Y.Floor(), ends.Max.X.Ceil(), ends.Max.Y.Ceil())
		letters := image.NewAlpha(area.Inset(-border - 1).Intersect(dst.Rect))
		d.Dst, d.Src = letters, image.Opaque
		d.DrawString(line)
		if border > 0 {
			rim, err := widened(ctx, letters, border)
			if err != nil {
				return err
			}
			draw.DrawMask(dst, rim.Rect, image.NewUniform(outline), image.Point{}, rim, rim.Rect.Min, draw.Over)
		}
		draw.DrawMask(dst, letters.Rect, image.NewUniform(ink), image.Point{}, letters, letters.Rect.Min, draw.Over)
	}
	return nil
}

// widened is the mask with a rim of that many pixels: the mask shifted all around. As
// many directions are enough as leave no step of half a pixel between them, because
// what lies within the rim is covered by the letter.
func widened(ctx context.Context, mask *image.Alpha, border int) (*image.Alpha, error) {
	out := image.NewAlpha(mask.Rect)
	radius := float64(border)
	directions := int(math.Ceil(math.Pi / math.Acos(1-0.5/max(radius, 1))))
	for k := range max(directions, 8) {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(max(directions, 8)))
		shift := image.Pt(int(math.Round(radius*cos)), int(math.Round(radius*sin)))
		area := mask.Rect.Add(shift).Intersect(out.Rect)
		err := media.InBands(ctx, area.Dy(), media.BandRows(area.Dx()), func(from, to int) {
			for y := area.Min.Y + from; y < area.Min.Y+to; y++ {
				to := out.Pix[out.PixOffset(area.Min.X, y):][:area.Dx()]
				for i, a := range mask.Pix[mask.PixOffset(area.Min.X-shift.X, y-shift.Y):][:area.Dx()] {
					to[i] = max(to[i], a)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// writable tells whether the font has every letter of the text.
func writable(text string) bool {
	f, err := boldFont()
	if err != nil {
		return false
	}
	var buf sfnt.Buffer
	for _, r := range text {
		if r == '\n' || r == ' ' || r == '\t' || r == '\r' {
			continue
		}
		if g, err := f.GlyphIndex(&buf, r); err != nil || g == 0 {
			return false
		}
	}
	return true
}
