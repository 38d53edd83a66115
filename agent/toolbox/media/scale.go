package media

import (
	"context"
	"image"

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
