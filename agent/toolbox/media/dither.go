package media

import (
	"context"
	"image"
	"image/color"
	"math"
)

// dither draws the picture in the colours of the palette with Floyd–Steinberg error diffusion. Pixels
// that are more than half transparent take the palette's first colour and spread no error.
func dither(ctx context.Context, src *image.NRGBA, palette color.Palette) (*image.Paletted, error) {
	out := image.NewPaletted(src.Rect, palette)
	n := newNearest(palette)
	width := src.Rect.Dx()
	// Errors of this row and the next, in sixteenths, with a margin at both ends.
	here, next := make([][3]int32, width+2), make([][3]int32, width+2)
	for y := range src.Rect.Dy() {
		if err := Stopped(ctx); err != nil {
			return nil, err
		}
		for x := range width {
			p := src.Pix[y*src.Stride+4*x : y*src.Stride+4*x+4]
			if p[3] < 128 {
				continue
			}
			var want [3]int32
			for c := range 3 {
				want[c] = min(max(int32(p[c])+(here[x+1][c]+8)>>4, 0), 255)
			}
			i := n.find(want)
			out.Pix[y*out.Stride+x] = i
			for c := range 3 {
				e := want[c] - n.colours[i][c]
				here[x+2][c] += 7 * e
				next[x][c] += 3 * e
				next[x+1][c] += 5 * e
				next[x+2][c] += e
			}
		}
		here, next = next, here
		clear(next)
	}
	return out, nil
}

// nearest finds the nearest palette colour, with a cache for colours that differ by less than 4 per
// channel, so that the time hardly depends on the palette's size.
type nearest struct {
	colours [][3]int32
	first   int // index of the first opaque colour
	known   []int16
}

const cubeBits = 6 // bits per channel

func newNearest(palette color.Palette) *nearest {
	n := &nearest{known: make([]int16, 1<<(3*cubeBits))}
	for i := range n.known {
		n.known[i] = -1
	}
	for i, c := range palette {
		r, g, b, a := c.RGBA() // palette colours are either opaque or fully transparent
		if a == 0 {
			n.first = i + 1
		}
		n.colours = append(n.colours, [3]int32{int32(r >> 8), int32(g >> 8), int32(b >> 8)})
	}
	return n
}

func (n *nearest) find(c [3]int32) uint8 {
	const drop = 8 - cubeBits
	key := (c[0]>>drop)<<(2*cubeBits) | (c[1]>>drop)<<cubeBits | c[2]>>drop
	if n.known[key] < 0 {
		least := int32(math.MaxInt32)
		for i := n.first; i < len(n.colours); i++ {
			var sum int32
			for k := range 3 {
				d := c[k] - n.colours[i][k]
				sum += d * d
			}
			if sum < least {
				least, n.known[key] = sum, int16(i)
			}
		}
	}
	return uint8(n.known[key])
}
