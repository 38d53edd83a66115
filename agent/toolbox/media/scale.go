package media

import (
	"context"
	"image"
	"math"

	"github.com/kovidgoyal/imaging"
)

// Scaled resizes the picture with a Lanczos filter. Rows and then columns are resampled independently,
// so that it can be done in bands.
func Scaled(ctx context.Context, img *image.NRGBA, w, h int) (*image.NRGBA, error) {
	img, err := resampled(ctx, img, w, img.Rect.Dy())
	if err != nil {
		return nil, err
	}
	return resampled(ctx, img, w, h)
}

// Pixelated resizes the picture by nearest neighbour, without smoothing.
func Pixelated(ctx context.Context, img *image.NRGBA, w, h int) (*image.NRGBA, error) {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	err := InBands(ctx, h, BandRows(w), func(from, to int) {
		for y := from; y < to; y++ {
			row := img.Pix[y*img.Rect.Dy()/h*img.Stride:]
			for x := range w {
				old := x * img.Rect.Dx() / w
				copy(out.Pix[y*out.Stride+4*x:], row[4*old:4*old+4])
			}
		}
	})
	return out, err
}

// resampled resizes the picture in one direction.
func resampled(ctx context.Context, img *image.NRGBA, w, h int) (*image.NRGBA, error) {
	oldW, oldH := img.Rect.Dx(), img.Rect.Dy()
	if oldW == w && oldH == h {
		return img, nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if oldH == h {
		err := InBands(ctx, h, BandRows(max(w, oldW)), func(from, to int) {
			part := ToNRGBA(imaging.Resize(img.SubImage(image.Rect(0, from, oldW, to)), w, to-from, imaging.Lanczos))
			copy(out.Pix[from*out.Stride:], part.Pix)
		})
		return out, err
	}
	err := InBands(ctx, w, BandRows(max(h, oldH)), func(from, to int) {
		part := ToNRGBA(imaging.Resize(img.SubImage(image.Rect(from, 0, to, oldH)), to-from, h, imaging.Lanczos))
		for y := range h {
			copy(out.Pix[y*out.Stride+4*from:], part.Pix[y*part.Stride:y*part.Stride+4*(to-from)])
		}
	})
	return out, err
}

// ShrunkTo shrinks size to at most side pixels per side, keeping its shape.
func ShrunkTo(size image.Point, side int) image.Point {
	longest := max(size.X, size.Y)
	if longest <= side {
		return size
	}
	fit := func(n int) int { return max(1, (n*side+longest/2)/longest) }
	return image.Pt(fit(size.X), fit(size.Y))
}

// SizeIn returns a size with about that many pixels and the aspect ratio shape (width / height), with
// sides that are multiples of step.
func SizeIn(shape float64, pixels, step int) image.Point {
	side := func(n float64) int { return max(1, int(math.Round(n/float64(step)))) * step }
	return image.Pt(side(math.Sqrt(float64(pixels)*shape)), side(math.Sqrt(float64(pixels)/shape)))
}

// Shaped crops a picture to the aspect ratio shape (width / height), keeping the middle.
func Shaped(img *image.NRGBA, shape float64) *image.NRGBA {
	size := img.Rect.Size()
	w := min(size.X, max(1, int(math.Round(float64(size.Y)*shape))))
	h := min(size.Y, max(1, int(math.Round(float64(size.X)/shape))))
	if w == size.X && h == size.Y {
		return img
	}
	at := img.Rect.Min.Add(image.Pt((size.X-w)/2, (size.Y-h)/2))
	return ToNRGBA(img.SubImage(image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}))
}

// Formed crops a picture to the aspect ratio, if it is positive, keeping the middle, and scales it to size, if that is
// not zero.
func Formed(ctx context.Context, img *image.NRGBA, ratio float64, size image.Point) (*image.NRGBA, error) {
	if ratio > 0 {
		img = Shaped(img, ratio)
	}
	if size == (image.Point{}) {
		return img, nil
	}
	return Scaled(ctx, img, size.X, size.Y)
}
