package canvas

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Style is a font.
type Style int

// The fonts.
const (
	Regular Style = iota
	Bold
	Mono
)

// The fonts are embedded, so parsing cannot fail at run time unless the build is broken.
var parsed = [...]func() (*sfnt.Font, error){
	Regular: sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(goregular.TTF) }),
	Bold:    sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(gobold.TTF) }),
	Mono:    sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(gomono.TTF) }),
}

// Letters writes text in one font and size.
type Letters struct {
	face font.Face
	// Size is the height of a line without leading, in units.
	Size float64
	unit float64 // in pixels
}

// NewLetters returns letters of the given size in pixels.
func NewLetters(style Style, size float64) (Letters, error) {
	return NewLettersOf(style, size, 1)
}

// NewLettersOf returns letters of the given size for a canvas with that unit.
func NewLettersOf(style Style, size, unit float64) (Letters, error) {
	face, err := NewFace(style, size*unit)
	return Letters{face, size, unit}, err
}

// NewFace returns a font face of the given size in pixels.
func NewFace(style Style, size float64) (font.Face, error) { //nolint:ireturn // the library gives no type of its own
	f, err := parsed[style]()
	if err != nil {
		return nil, fmt.Errorf("read the font: %w", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("set the size of the font to %.1f: %w", size, err)
	}
	return face, nil
}

// Has reports whether the font has a glyph for every character of the text.
func Has(style Style, text string) bool {
	f, err := parsed[style]()
	if err != nil {
		return false
	}
	var buf sfnt.Buffer
	for _, r := range text {
		if strings.ContainsRune(" \n\t\r", r) {
			continue
		}
		if g, err := f.GlyphIndex(&buf, r); err != nil || g == 0 {
			return false
		}
	}
	return true
}

// Width returns the width of a text in units.
func (l Letters) Width(text string) float64 {
	return float64(font.MeasureString(l.face, text)) / 64 / l.unit
}

// Shorten returns the text, shortened with an ellipsis if it is wider than width.
func (l Letters) Shorten(text string, width float64) string {
	if l.Width(text) <= width {
		return text
	}
	r := []rune(text)
	low, high := 0, len(r) // bisect for the most letters that fit
	for low < high {
		middle := (low + high + 1) / 2
		if l.Width(string(r[:middle])+"…") <= width {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return strings.TrimSpace(string(r[:low])) + "…"
}

// Write writes a text, with the middle of its lower-case letters at y. align is the fraction of the
// text left of x: 0, 0.5 or 1.
func (c Canvas) Write(l Letters, text string, x, y, align float64, ink color.Color) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(ink), Face: l.face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6((x - align*l.Width(text)) * l.unit * 64), Y: fixed.Int26_6((y + l.Size*0.36) * l.unit * 64)}
	d.DrawString(text)
}
