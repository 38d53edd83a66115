package media

import (
	"context"
	"encoding/binary"
	"image"
)

// Oriented rotates and mirrors a picture by an EXIF orientation: 2 mirrors it left to right, 4 top to
// bottom; 6, 3 and 8 rotate it clockwise by 90, 180 and 270 degrees; 5 and 7 do both. Other numbers
// leave it unchanged. Its bounds must start at (0, 0).
func Oriented(ctx context.Context, img *image.NRGBA, orientation int) (*image.NRGBA, error) {
	if orientation < 2 || orientation > 8 {
		return img, nil
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	right, down := 4, img.Stride // byte offsets in img
	mirrored := func(x, y bool) (at, dx, dy int) {
		dx, dy = right, down
		if x {
			at, dx = at+(w-1)*right, -right
		}
		if y {
			at, dy = at+(h-1)*down, -down
		}
		return at, dx, dy
	}
	var at, dx, dy int // source offset of (0, 0), and the steps to the right and down
	lying := orientation >= 5
	switch orientation {
	case 2, 8:
		at, dx, dy = mirrored(true, false)
	case 3, 7:
		at, dx, dy = mirrored(true, true)
	case 4, 6:
		at, dx, dy = mirrored(false, true)
	case 5:
		at, dx, dy = mirrored(false, false)
	}
	if lying {
		w, h = h, w
		dx, dy = dy, dx
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	// A few rows at a time, column by column: both pictures stay in the cache.
	err := InBands(ctx, h, 16, func(from, to int) {
		for x := range w {
			for y := from; y < to; y++ {
				pixel := binary.LittleEndian.Uint32(img.Pix[at+x*dx+y*dy:])
				binary.LittleEndian.PutUint32(out.Pix[y*out.Stride+4*x:], pixel)
			}
		}
	})
	return out, err
}
