// Package vision finds structure in pictures: edges (Canny), straight lines (Hough), and surface
// normals from depth maps.
//
// Guarantees:
//   - It is pure and deterministic: the same pixels give the same result.
//   - Everything stops within about a row after its context ends, with the context's error.
//   - Memory is a small multiple of the picture's pixels, and time is about linear in them.
package vision

import (
	"context"
	"fmt"
	"image"
	"math"
)

// weakest is the minimum gradient of an edge, even in flat pictures: a step of about ten grey levels,
// more than noise and JPEG artifacts.
const weakest = 20

// Edges returns Canny's edge map, white (255) on black: the picture is smoothed, the gradient is
// thinned to its ridges, and ridges are kept if they are strong or connected to strong ones. The
// thresholds are derived from the picture.
func Edges(ctx context.Context, img *image.NRGBA) (*image.Gray, error) {
	_, edges, err := edgesOf(ctx, img)
	return edges, err
}

// edgesOf also returns the gradient.
func edgesOf(ctx context.Context, img *image.NRGBA) (gradient, *image.Gray, error) {
	g, err := gradientOf(ctx, img)
	if err != nil {
		return g, nil, err
	}
	ridges, err := g.thin(ctx)
	if err != nil {
		return g, nil, err
	}
	low, high := thresholds(ridges)
	edges, err := trace(ctx, ridges, g.width, g.height, low, high)
	return g, edges, err
}

// Luminance returns the picture in greyscale, on white where it is transparent.
func Luminance(ctx context.Context, img *image.NRGBA) (*image.Gray, error) {
	out := image.NewGray(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range out.Rect.Dy() {
		if err := stopped(ctx); err != nil {
			return nil, err
		}
		row := img.Pix[y*img.Stride:]
		for x := range out.Rect.Dx() {
			p := row[4*x : 4*x+4]
			light := (19595*uint32(p[0]) + 38470*uint32(p[1]) + 7471*uint32(p[2]) + 1<<15) >> 16
			a := uint32(p[3])
			out.Pix[y*out.Stride+x] = uint8((light*a + 255*(255-a) + 127) / 255)
		}
	}
	return out, nil
}

func stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("look at a picture: %w", err)
	}
	return nil
}

// smooth applies a Gaussian with sigma 1.4 and five taps, repeating border pixels.
func smooth(ctx context.Context, img *image.Gray) (*image.Gray, error) {
	kernel := [5]int{28, 61, 78, 61, 28} // of 256
	pass := func(src *image.Gray, dx, dy int) (*image.Gray, error) {
		w, h := src.Rect.Dx(), src.Rect.Dy()
		out := image.NewGray(src.Rect)
		for y := range h {
			if err := stopped(ctx); err != nil {
				return nil, err
			}
			for x := range w {
				sum := 128
				for k, weight := range kernel {
					xx := min(max(x+(k-2)*dx, 0), w-1)
					yy := min(max(y+(k-2)*dy, 0), h-1)
					sum += weight * int(src.Pix[yy*src.Stride+xx])
				}
				out.Pix[y*out.Stride+x] = uint8(sum >> 8)
			}
		}
		return out, nil
	}
	img, err := pass(img, 1, 0)
	if err != nil {
		return nil, err
	}
	return pass(img, 0, 1)
}

// gradient holds the Sobel derivatives, row by row.
type gradient struct {
	width, height int
	dx, dy        []int16
}

// gradientOf returns the gradient of the picture's smoothed luminance.
func gradientOf(ctx context.Context, picture *image.NRGBA) (gradient, error) {
	img, err := Luminance(ctx, picture)
	if err != nil {
		return gradient{}, err
	}
	if img, err = smooth(ctx, img); err != nil {
		return gradient{}, err
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	g := gradient{w, h, make([]int16, w*h), make([]int16, w*h)}
	for y := range h {
		if err := stopped(ctx); err != nil {
			return gradient{}, err
		}
		above := img.Pix[max(y-1, 0)*img.Stride:]
		row := img.Pix[y*img.Stride:]
		below := img.Pix[min(y+1, h-1)*img.Stride:]
		for x := range w {
			l, r := max(x-1, 0), min(x+1, w-1)
			a, b, c := int16(above[l]), int16(above[x]), int16(above[r])
			d, f := int16(row[l]), int16(row[r])
			p, q, s := int16(below[l]), int16(below[x]), int16(below[r])
			g.dx[y*w+x] = c + 2*f + s - a - 2*d - p
			g.dy[y*w+x] = p + 2*q + s - a - 2*b - c
		}
	}
	return g, nil
}

// strength returns the magnitude of the gradient; 0 outside the picture.
func (g gradient) strength(x, y int) float64 {
	if x < 0 || y < 0 || x >= g.width || y >= g.height {
		return 0
	}
	dx, dy := float64(g.dx[y*g.width+x]), float64(g.dy[y*g.width+x])
	return math.Sqrt(dx*dx + dy*dy)
}

// thin keeps the gradient strength only at local maxima across the edge. Of two equal neighbours the
// first stays, so that edges are one pixel wide.
func (g gradient) thin(ctx context.Context) ([]uint16, error) {
	ridges := make([]uint16, g.width*g.height)
	for y := range g.height {
		if err := stopped(ctx); err != nil {
			return nil, err
		}
		for x := range g.width {
			m := g.strength(x, y)
			if m < weakest {
				continue
			}
			sx, sy := step(g.dx[y*g.width+x], g.dy[y*g.width+x])
			if m > g.strength(x-sx, y-sy) && m >= g.strength(x+sx, y+sy) {
				ridges[y*g.width+x] = uint16(m)
			}
		}
	}
	return ridges, nil
}

// step returns the offset of the neighbour (one of eight) that a gradient points to.
func step(dx, dy int16) (sx, sy int) {
	const tan22 = 0.41421356
	ax, ay := math.Abs(float64(dx)), math.Abs(float64(dy))
	if ay > ax*tan22 {
		sy = 1
		if dy < 0 {
			sy = -1
		}
	}
	if ax > ay*tan22 {
		sx = 1
		if dx < 0 {
			sx = -1
		}
	}
	return sx, sy
}

// thresholds computes the hysteresis thresholds from Otsu's threshold of the ridges. high is three
// fifths of it, so that soft edges next to hard ones are found; low is two fifths of high.
func thresholds(ridges []uint16) (low, high uint16) {
	var histogram [2048]int
	var count, sum, strongest int
	for _, r := range ridges {
		if r == 0 {
			continue
		}
		v := min(int(r), len(histogram)-1)
		histogram[v]++
		count++
		sum += v
		strongest = max(strongest, v)
	}
	best, split := -1.0, weakest
	below, sumBelow := 0, 0
	for v, n := range histogram {
		below += n
		sumBelow += v * n
		above := count - below
		if below == 0 || above == 0 {
			continue
		}
		gap := float64(sum-sumBelow)/float64(above) - float64(sumBelow)/float64(below)
		if variance := gap * gap * float64(below) * float64(above); variance > best {
			best, split = variance, v
		}
	}
	h := max(weakest*3/2, min(split*3/5, strongest/2))
	return uint16(max(weakest, h*2/5)), uint16(h)
}

// trace follows edges from strong pixels through weak ones.
func trace(ctx context.Context, ridges []uint16, w, h int, low, high uint16) (*image.Gray, error) {
	out := image.NewGray(image.Rect(0, 0, w, h))
	var open []int
	visit := func(at int) {
		if out.Pix[at] == 0 {
			out.Pix[at] = 255
			open = append(open, at)
		}
	}
	const often = 1 << 16 // pixels between checks of the context
	seen := 0
	for start, r := range ridges {
		if start%often == 0 && ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		if r >= high {
			visit(start)
		}
		for ; len(open) > 0; seen++ {
			if seen%often == 0 && ctx.Err() != nil {
				return nil, stopped(ctx)
			}
			at := open[len(open)-1]
			open = open[:len(open)-1]
			x, y := at%w, at/w
			for yy := max(y-1, 0); yy <= min(y+1, h-1); yy++ {
				for xx := max(x-1, 0); xx <= min(x+1, w-1); xx++ {
					if ridges[yy*w+xx] >= low {
						visit(yy*w + xx)
					}
				}
			}
		}
	}
	return out, nil
}
