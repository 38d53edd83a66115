package nativetest

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// Painted returns the smallest rectangle with all pixels that differ from the background.
func Painted(img *image.NRGBA, ground color.NRGBA) image.Rectangle {
	var r image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.NRGBAAt(x, y) != ground {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// Inked counts the pixels of a picture that are close to a colour.
func Inked(img *image.NRGBA, want color.NRGBA) int {
	n := 0
	for i := 0; i < len(img.Pix); i += 4 {
		near := func(at int, v uint8) bool { return max(img.Pix[i+at], v)-min(img.Pix[i+at], v) < 12 }
		if near(0, want.R) && near(1, want.G) && near(2, want.B) {
			n++
		}
	}
	return n
}

// Difference returns the mean difference of the channels, in grey levels.
func Difference(a, b *image.NRGBA) float64 {
	sum := 0.0
	for i := range a.Pix {
		sum += math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
	}
	return sum / float64(len(a.Pix))
}

// Colourful returns a picture whose pixels all differ.
func Colourful(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x * 3), uint8(y * 5), uint8(x*7 + y*11), 255})
		}
	}
	return img
}

// Uniform returns a picture of a single colour.
func Uniform(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}
