package read

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"path/filepath"

	"atelier/agent/toolbox/media"
)

const (
	// smallPage and largePage bound the longest side at which OCR works best, in pixels: letters
	// should be about 30 pixels high (Tesseract, "Improving the quality of the output").
	smallPage, largePage = 1800, 5000
	// mostLarger is the maximum enlargement of a small picture.
	mostLarger = 4
)

// page is a picture prepared for OCR.
type page struct {
	path string
	// scale is its enlargement, and size the original size.
	scale float64
	size  image.Point
}

// readable prepares a picture for OCR: upright, opaque, grey, neither too small nor too large.
func readable(ctx context.Context, path, dir string, limits media.Limits) (page, error) {
	giveBack, err := limits.Memory.Take(ctx, media.Weigh(path, limits).Bytes(8)+4*mostLarger*smallPage*smallPage)
	if err != nil {
		return page{}, err
	}
	defer giveBack()
	img, err := media.DecodeImage(ctx, path, limits)
	if err != nil {
		return page{}, err
	}
	size := img.Rect.Size()
	longest := float64(max(size.X, size.Y))
	scale := 1.0
	switch {
	case longest < smallPage:
		scale = min(math.Ceil(smallPage/longest), mostLarger)
	case longest > largePage:
		scale = largePage / longest
	}
	scale = max(scale, 1/longest)
	ground := image.NewUniform(groundOf(img))
	img, err = media.Scaled(ctx, img, max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale)))
	if err != nil {
		return page{}, err
	}
	flat := image.NewGray(img.Rect)
	draw.Draw(flat, flat.Rect, ground, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, img, image.Point{}, draw.Over)
	p := page{path: filepath.Join(dir, "page.png"), scale: scale, size: size}
	if err := media.EncodePlainPNG(ctx, p.path, flat); err != nil {
		return page{}, err
	}
	return p, nil
}

// groundOf returns the background for a picture with transparency: black if the picture is
// bright, else white.
func groundOf(img *image.NRGBA) color.Color {
	var sum, weight int64
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		for i := 0; i < len(row); i += 4 {
			a := int64(row[i+3])
			sum += a * (int64(row[i]) + int64(row[i+1]) + int64(row[i+2])) / 3
			weight += a
		}
	}
	pixels := int64(img.Rect.Dx()) * int64(img.Rect.Dy())
	const bright, whole = 190, 250
	if weight > 0 && sum/weight > bright && weight/max(pixels, 1) < whole {
		return color.Black
	}
	return color.White
}
