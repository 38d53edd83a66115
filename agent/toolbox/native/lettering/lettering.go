// Package lettering fits text into a part of a picture.
//
// Guarantees:
//   - Letters are as large as fits, within limits.
//   - Drawing stops soon after its context ends.
package lettering

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
)

// Text is a text broken into lines, in a bold face of the given size in pixels.
type Text struct {
	face  font.Face
	Size  float64
	lines []string
}

const leading = 1.2 // line height, in sizes

// Set breaks a text into lines that fit into width and height, at the largest size between most and
// least pixels. At the smallest size it may be too tall.
func Set(text string, width, height int, most, least float64) (Text, error) {
	for size := most; ; size = max(size*0.85, least) {
		face, err := canvas.NewFace(canvas.Bold, size)
		if err != nil {
			return Text{}, err
		}
		l := Text{face: face, Size: size, lines: wrap(face, text, width)}
		if size <= least || l.Width() <= width && l.Height() <= height {
			return l, nil
		}
	}
}

// wrap fills lines with as many words as fit. A word that is too long gets a line of its own, and the
// size must shrink for it.
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

// Width returns the width of the longest line, in pixels.
func (l Text) Width() int {
	widest := 0
	for _, line := range l.lines {
		widest = max(widest, font.MeasureString(l.face, line).Ceil())
	}
	return widest
}

// Height returns the height of all lines, in pixels.
func (l Text) Height() int { return int(math.Ceil(float64(len(l.lines)) * l.Size * leading)) }

// Draw writes the lines into the box; align is -1 for left, 0 for centre, 1 for right. Letters have an
// outline of border pixels, so that they are readable on any background.
func (l Text) Draw(ctx context.Context, dst *image.NRGBA, box image.Rectangle, align int, ink, outline color.Color, border int) error {
	baseline := float64(box.Min.Y) + l.Size*0.9
	for i, line := range l.lines {
		if err := media.Stopped(ctx); err != nil {
			return err
		}
		room := box.Dx() - font.MeasureString(l.face, line).Ceil()
		at := fixed.P(box.Min.X+room*(align+1)/2, int(math.Round(baseline+float64(i)*l.Size*leading)))
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

// widened dilates the mask by border pixels: it is the union of the mask shifted in all directions.
// The steps between directions are below half a pixel; the inside is covered by the letter anyway.
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
