package transform

import (
	"context"
	"image"
	"math"

	"atelier/agent/toolbox/media"
)

// turned rotates the picture clockwise by degrees, 0 to 360. Quarter turns change no pixel. Other
// angles enlarge the picture to hold its corners, interpolate bilinearly, and leave the new areas
// transparent.
func turned(ctx context.Context, img *image.NRGBA, degrees float64) (*image.NRGBA, error) {
	switch degrees {
	case 0:
		return img, nil
	case 90:
		return media.Oriented(ctx, img, 6)
	case 180:
		return media.Oriented(ctx, img, 3)
	case 270:
		return media.Oriented(ctx, img, 8)
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	// Rounding errors must not add a pixel.
	side := func(v float64) int { return max(1, int(math.Ceil(v-1e-6))) }
	out := image.NewNRGBA(image.Rect(0, 0, side(w*math.Abs(cos)+h*math.Abs(sin)), side(w*math.Abs(sin)+h*math.Abs(cos))))
	midX, midY := float64(out.Rect.Dx())/2, float64(out.Rect.Dy())/2
	err := media.InBands(ctx, out.Rect.Dy(), 16, func(from, to int) {
		for y := from; y < to; y++ {
			dy := float64(y) + 0.5 - midY
			for x := range out.Rect.Dx() {
				dx := float64(x) + 0.5 - midX
				mix(out.Pix[y*out.Stride+4*x:], img, w/2+dx*cos+dy*sin-0.5, h/2-dx*sin+dy*cos-0.5)
			}
		}
	})
	return out, err
}

// mix sets a pixel to the colour of img at a position between pixels (bilinear). Outside is transparent.
func mix(pixel []uint8, img *image.NRGBA, x, y float64) {
	left, top := math.Floor(x), math.Floor(y)
	if left < -1 || top < -1 || left >= float64(img.Rect.Dx()) || top >= float64(img.Rect.Dy()) {
		return
	}
	var r, g, b, a float64
	for k := range 4 {
		px, py := int(left)+k&1, int(top)+k>>1
		if px < 0 || py < 0 || px >= img.Rect.Dx() || py >= img.Rect.Dy() {
			continue
		}
		p := img.Pix[py*img.Stride+4*px:][:4]
		weight := (1 - math.Abs(x-float64(px))) * (1 - math.Abs(y-float64(py))) * float64(p[3])
		r += weight * float64(p[0])
		g += weight * float64(p[1])
		b += weight * float64(p[2])
		a += weight
	}
	if a < 0.5 {
		return
	}
	pixel[0], pixel[1], pixel[2], pixel[3] = uint8(r/a+0.5), uint8(g/a+0.5), uint8(b/a+0.5), uint8(a+0.5)
}
