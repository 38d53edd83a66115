package media

import (
	"context"
	"image"
	"math"
)

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
