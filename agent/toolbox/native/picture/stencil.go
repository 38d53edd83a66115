package picture

import (
	"context"
	"image"
	"slices"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
)

// Stencil returns the argument "mask" scaled to the picture: 255 where the mask covers it, 0
// elsewhere. The mask must have the picture's aspect ratio and cover some of it.
func Stencil(ctx context.Context, c toolbox.Call, of media.Info, limits media.Limits) (*image.Alpha, error) {
	path, err := operation.File(c, "mask")
	if err != nil {
		return nil, err
	}
	m, err := media.ReadMask(ctx, path, limits)
	if err != nil {
		return nil, err
	}
	w, h := of.Width, of.Height
	if !sameShape(m.Width, m.Height, w, h) {
		return nil, operation.Problem("The mask does not fit the picture: it has %d × %d pixels, the picture %d × %d.", m.Width, m.Height, w, h)
	}
	s := image.NewAlpha(image.Rect(0, 0, w, h))
	err = media.InBands(ctx, h, media.BandRows(w), func(from, to int) {
		for y := from; y < to; y++ {
			for x := range w {
				if m.At((2*x+1)*m.Width/(2*w), (2*y+1)*m.Height/(2*h)) != 0 {
					s.Pix[y*s.Stride+x] = 255
				}
			}
		}
	})
	if err == nil && !slices.Contains(s.Pix, 255) {
		err = operation.Problem("The mask covers no part of the picture.")
	}
	return s, err
}

// sameShape reports whether two sizes have the same aspect ratio, up to rounding: models work on
// smaller copies with rounded sides.
func sameShape(w1, h1, w2, h2 int) bool {
	near := func(a, b int) bool { return a-b <= max(2, b/100) && b-a <= max(2, b/100) }
	return near(w1*h2/max(h1, 1), w2) && near(h1*w2/max(w1, 1), h2)
}
