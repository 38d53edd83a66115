package filter

import (
	"context"
	"image"
	"math"
	"sync"

	"atelier/agent/toolbox/media"
)

// boxPasses is the number of box blurs: three look like a Gaussian.
const boxPasses = 3

// blurred writes src into dst with a Gaussian blur of sigma pixels. dst has the same size and may be
// src. The running time does not depend on sigma. Border pixels are repeated outwards.
func blurred(ctx context.Context, dst, src *image.NRGBA, sigma float64) error {
	box := newBox(sigma)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	lying := image.NewNRGBA(image.Rect(0, 0, h, w))
	if err := box.rows(ctx, lying, src, weighColours, nil); err != nil {
		return err
	}
	return box.rows(ctx, dst, lying, nil, unweighColours)
}

// box is a box filter over 2·radius+1 values, plus one more at each end with the weight edge, so that
// boxPasses passes have exactly the wanted variance.
type box struct {
	radius int
	edge   float32
}

func newBox(sigma float64) box {
	v := sigma * sigma / boxPasses
	r := math.Floor((math.Sqrt(12*v+1) - 1) / 2)
	edge := (2*r + 1) * (r*(r+1) - 3*v) / (6 * (v - (r+1)*(r+1)))
	return box{int(r), float32(min(max(edge, 0), 1))}
}

// rows blurs each row of src and writes it as a column of dst, so that two calls blur both directions.
// before and after transform a row of floats; nil means none.
func (b box) rows(ctx context.Context, dst, src *image.NRGBA, before, after func([]float32)) error {
	w := src.Rect.Dx()
	const together = 16 // rows at a time, so that columns are written in whole cache lines
	// Reused between bands: the garbage would be many times the picture.
	type buffers struct{ lines, spare []float32 }
	kept := sync.Pool{New: func() any { return &buffers{make([]float32, 4*w*together), make([]float32, 4*w)} }}
	return media.InBands(ctx, src.Rect.Dy(), together, func(from, to int) {
		own, _ := kept.Get().(*buffers) //nolint:errcheck // the pool holds only buffers
		defer kept.Put(own)
		lines, spare := own.lines, own.spare
		for y := from; y < to; y++ {
			line := lines[4*w*(y-from):][:4*w]
			for i, v := range src.Pix[y*src.Stride:][:4*w] {
				line[i] = float32(v)
			}
			if before != nil {
				before(line)
			}
			for pass := range boxPasses {
				if pass%2 == 0 {
					b.mean(spare, line)
				} else {
					b.mean(line, spare)
				}
			}
			copy(line, spare) // an odd number of passes ends in spare
			if after != nil {
				after(line)
			}
		}
		for x := range w {
			for y := from; y < to; y++ {
				out := dst.Pix[x*dst.Stride+4*y:][:4]
				for c, v := range lines[4*(w*(y-from)+x):][:4] {
					out[c] = uint8(v + 0.5)
				}
			}
		}
	})
}

// mean writes the moving average of a row of pixels.
func (b box) mean(dst, src []float32) {
	w := len(src) / 4
	scale := 1 / (float32(2*b.radius+1) + 2*b.edge)
	at := func(x int) int { return 4 * min(max(x, 0), w-1) }
	var sum [4]float32
	for x := -b.radius; x <= b.radius; x++ {
		for c, v := range src[at(x):][:4] {
			sum[c] += v
		}
	}
	for x := range w {
		before, after := src[at(x-b.radius-1):][:4], src[at(x+b.radius+1):][:4]
		first := src[at(x-b.radius):][:4]
		out := dst[4*x:][:4]
		for c := range 4 {
			v := (sum[c] + b.edge*(before[c]+after[c])) * scale
			out[c] = min(max(v, 0), 255)
			sum[c] += after[c] - first[c]
		}
	}
}

// weighColours premultiplies colours by alpha, so that transparent pixels count less.
func weighColours(line []float32) {
	for i := 0; i < len(line); i += 4 {
		if a := line[i+3]; a < 255 {
			for c := range 3 {
				line[i+c] *= a / 255
			}
		}
	}
}

func unweighColours(line []float32) {
	for i := 0; i < len(line); i += 4 {
		if a := line[i+3]; a < 254.5 && a > 0 {
			for c := range 3 {
				line[i+c] = min(line[i+c]*255/a, 255)
			}
		}
	}
}

// sharpened adds the difference between the picture and its blurred copy.
func sharpened(ctx context.Context, img *image.NRGBA, sigma float64) error {
	soft := image.NewNRGBA(img.Rect)
	if err := blurred(ctx, soft, img, sigma); err != nil {
		return err
	}
	return media.InBands(ctx, img.Rect.Dy(), media.BandRows(img.Rect.Dx()), func(from, to int) {
		for i := from * img.Stride; i < to*img.Stride; i++ {
			if i%4 != 3 {
				img.Pix[i] = uint8(min(max(2*int(img.Pix[i])-int(soft.Pix[i]), 0), 255))
			}
		}
	})
}
