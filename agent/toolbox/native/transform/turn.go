package transform

import (
	"context"
	"image"
	"math"

	"atelier/agent/toolbox/media"
)

// turned is the picture turned clockwise by an angle in degrees from 0 up to 360. By
// quarters no pixel changes. By any other angle the picture grows to hold its corners,
// and pixels are mixed of the four that they come to lie on; around it is nothing.
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
	// Rounding must not make it a pixel larger than it is.
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

// mix gives a pixel the colour of img at a place between pixels; outside is nothing.
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
