package native

import (
	"context"
	"image"

	"github.com/kovidgoyal/imaging"

	"atelier/agent/toolbox/media"
)

// scaled is the picture in another size, by Lanczos. Rows and then columns are
// resampled, which depend on no others, so that it can be done a band at a time.
func scaled(ctx context.Context, img *image.NRGBA, w, h int) (*image.NRGBA, error) {
	img, err := resampled(ctx, img, w, img.Rect.Dy())
	if err != nil {
		return nil, err
	}
	return resampled(ctx, img, w, h)
}

// resampled changes one side of the picture.
func resampled(ctx context.Context, img *image.NRGBA, w, h int) (*image.NRGBA, error) {
	oldW, oldH := img.Rect.Dx(), img.Rect.Dy()
	if oldW == w && oldH == h {
		return img, nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if oldH == h {
		err := media.InBands(ctx, h, media.BandRows(max(w, oldW)), func(from, to int) {
			part := media.ToNRGBA(imaging.Resize(img.SubImage(image.Rect(0, from, oldW, to)), w, to-from, imaging.Lanczos))
			copy(out.Pix[from*out.Stride:], part.Pix)
		})
		return out, err
	}
	err := media.InBands(ctx, w, media.BandRows(max(h, oldH)), func(from, to int) {
		part := media.ToNRGBA(imaging.Resize(img.SubImage(image.Rect(from, 0, to, oldH)), to-from, h, imaging.Lanczos))
		for y := range h {
			copy(out.Pix[y*out.Stride+4*from:], part.Pix[y*part.Stride:y*part.Stride+4*(to-from)])
		}
	})
	return out, err
}

// inPlace changes a picture band by band by what gives a pixel a colour that depends on
// that pixel alone.
func inPlace(ctx context.Context, img *image.NRGBA, change func(image.Image) *image.NRGBA) error {
	return media.InBands(ctx, img.Rect.Dy(), media.BandRows(img.Rect.Dx()), func(from, to int) {
		band := change(img.SubImage(image.Rect(0, from, img.Rect.Dx(), to)))
		copy(img.Pix[from*img.Stride:], band.Pix)
	})
}
