// Package plot draws sounds as pictures: how loud they are, and which frequencies are
// heard when.
//
// Promises:
//   - It reads samples and draws pixels, and does nothing else. The same samples give the
//     same picture.
//   - A picture stands on a dark ground of its own, so that it can be read on light and on
//     dark pages alike; its axes tell the time, and the frequency where there is one.
//   - Its size and the memory that it takes do not go with the length of the sound, and the
//     time that it takes hardly does. It stops soon after its context.
package plot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"time"
)

// Samples are those of a sound of one channel: 16 bits each, signed, the lower byte first.
type Samples struct {
	From io.ReaderAt
	// Rate is how many there are a second.
	Rate int
	// Count is how many there are in all.
	Count int64
}

// ErrNoSamples is the error of a sound in which there is nothing to draw.
var ErrNoSamples = errors.New("there are no samples")

// Duration is how long the sound is.
func (s Samples) Duration() time.Duration {
	return time.Duration(float64(s.Count) / float64(s.Rate) * float64(time.Second))
}

func (s Samples) check() error {
	if s.Count <= 0 || s.Rate <= 0 {
		return ErrNoSamples
	}
	return nil
}

// read fills to with the samples from the one of that number on, from -1 to 1. Before the
// first and behind the last there is silence.
func (s Samples) read(ctx context.Context, at int64, to []float64, raw []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	clear(to)
	skip := max(-at, 0)
	n := min(int64(len(to)), s.Count-at) - skip
	if n <= 0 {
		return nil
	}
	raw = raw[:2*n]
	if _, err := s.From.ReadAt(raw, 2*(at+skip)); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read samples: %w", err)
	}
	for i := range n {
		to[skip+i] = float64(int16(binary.LittleEndian.Uint16(raw[2*i:]))) / 32768 //nolint:gosec // two's complement
	}
	return nil
}

// The colours: a dark blue ground, what is written on it, and the grid.
var (
	ground = color.NRGBA{0x0f, 0x17, 0x2a, 0xff}
	ink    = color.NRGBA{0xcb, 0xd5, 0xe1, 0xff}
	grid   = color.NRGBA{0x26, 0x33, 0x4d, 0xff}
)

// panel is a picture with an area in it for what is drawn.
type panel struct {
	*image.NRGBA

	area image.Rectangle
}

func newPanel(width, height int, area image.Rectangle) panel {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	return panel{img, area}
}

// blend lays a colour over a pixel, by how much of it is covered.
func (p panel) blend(x, y int, c color.NRGBA, cover float64) {
	if cover <= 0 || !(image.Point{X: x, Y: y}).In(p.area) {
		return
	}
	was := p.NRGBAAt(x, y)
	p.SetNRGBA(x, y, between(was, c, min(cover, 1)))
}

// between mixes two colours.
func between(a, b color.NRGBA, share float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*share + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}
