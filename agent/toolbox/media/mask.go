package media

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/exif"
)

// MaxParts is the maximum number of parts of a mask.
const MaxParts = 255

// Mask assigns each pixel to a part: 0 is the background, i+1 is part i. The parts are in the order of
// the corresponding list of [plan.Part].
type Mask struct {
	Width, Height int
	Parts         int     // number of parts, including empty ones
	Index         []uint8 // row by row, Width × Height
}

// NewMask returns an empty mask.
func NewMask(width, height, parts int) *Mask {
	return &Mask{Width: width, Height: height, Parts: parts, Index: make([]uint8, width*height)}
}

// At returns the index at a pixel: 0 for the background and outside, i+1 for part i.
func (m *Mask) At(x, y int) int {
	if x < 0 || y < 0 || x >= m.Width || y >= m.Height {
		return 0
	}
	return int(m.Index[y*m.Width+x])
}

// Only returns a mask of the given parts, in that order; unknown parts are empty.
func (m *Mask) Only(parts ...int) *Mask {
	out := NewMask(m.Width, m.Height, len(parts))
	var to [MaxParts + 1]uint8
	for i, p := range parts {
		if p >= 0 && p < MaxParts && i < MaxParts {
			to[p+1] = uint8(i + 1)
		}
	}
	for i, p := range m.Index {
		out.Index[i] = to[p]
	}
	return out
}

// ReadMask reads a mask. A paletted PNG with a black first colour and a coloured palette has one part
// per further colour. Any other picture is a single part: its bright (luminance of at least 128),
// opaque pixels.
func ReadMask(ctx context.Context, path string, l Limits) (*Mask, error) {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return nil, err
	}
	raw, s, err := f.raw(ctx, l)
	if err != nil {
		return nil, err
	}
	if p, ok := raw.(*image.Paletted); ok && f.kind.mime == "image/png" && hasParts(p.Palette) {
		return fromPalette(p), nil
	}
	img, err := converted(ctx, raw)
	if err != nil {
		return nil, err
	}
	img, err = Oriented(ctx, img, exif.Orientation(s.EXIF))
	if err != nil {
		return nil, err
	}
	return fromLuminance(img), nil
}

// hasParts distinguishes a palette of parts from greyscale: WriteMask never uses grey for several parts.
func hasParts(p color.Palette) bool {
	grey := true
	for i, c := range p {
		r, g, b, _ := c.RGBA()
		if i == 0 && r|g|b != 0 {
			return false
		}
		grey = grey && r == g && g == b
	}
	return !grey
}

func fromPalette(p *image.Paletted) *Mask {
	b := p.Bounds()
	m := NewMask(b.Dx(), b.Dy(), len(p.Palette)-1)
	for y := range m.Height {
		copy(m.Index[y*m.Width:(y+1)*m.Width], p.Pix[y*p.Stride:])
	}
	return m
}

func fromLuminance(img *image.NRGBA) *Mask {
	m := NewMask(img.Rect.Dx(), img.Rect.Dy(), 1)
	for i := range m.Index {
		c := img.Pix[4*i : 4*i+4]
		light := (299*int(c[0]) + 587*int(c[1]) + 114*int(c[2]) + 500) / 1000 * int(c[3]) / 255
		if light >= 128 {
			m.Index[i] = 1
		}
	}
	return m
}

// WriteMask writes a mask as a PNG that [ReadMask] restores exactly: a single part is white on black,
// several parts have distinct colours.
func WriteMask(ctx context.Context, path string, m *Mask) error {
	if m.Parts < 1 || m.Parts > MaxParts || len(m.Index) != m.Width*m.Height {
		return &plan.Fault{
			Sentence: plan.Say("A mask must have between 1 and 255 parts."),
			Err:      errors.New("wrong number of mask parts or pixels"),
		}
	}
	palette := color.Palette{color.Black}
	for i := range m.Parts {
		palette = append(palette, partColour(i, m.Parts))
	}
	img := &image.Paletted{Pix: m.Index, Stride: m.Width, Rect: image.Rect(0, 0, m.Width, m.Height), Palette: palette}
	for _, p := range m.Index {
		if int(p) > m.Parts {
			return &plan.Fault{Sentence: plan.Say("The mask is damaged."), Err: errors.New("mask index out of range")}
		}
	}
	return writeFile(ctx, path, func(w io.Writer) error { return png.Encode(w, img) })
}

// partColour steps around the hue circle by the golden angle, so that consecutive parts differ most,
// and changes the lightness after each turn.
func partColour(i, parts int) color.Color {
	if parts == 1 {
		return color.White
	}
	const goldenAngle = 137.50776
	hue := math.Mod(float64(i)*goldenAngle, 360) / 60
	value := []float64{1, 0.75, 0.55}[i/12%3]
	low := []float64{0.15, 0.4, 0}[i/36%3] * value
	channel := func(offset float64) uint8 {
		k := math.Mod(hue+offset, 6)
		t := max(0, min(1, min(k, 4-k)))
		return uint8(math.Round(255 * (value - (value-low)*t)))
	}
	return color.RGBA{R: channel(5), G: channel(3), B: channel(1), A: 255}
}
