package picture

import (
	"context"
	"image"
	"image/draw"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/quantity"
)

// Cell is the maximum longer side of each of several combined pictures, in pixels.
const Cell = 800

// Several reads all pictures of an argument, scaled down to at most side pixels on the longer side.
func Several(ctx context.Context, c toolbox.Call, arg string, side int, limits media.Limits) ([]media.Picture, error) {
	vs := c.Args[arg]
	switch {
	case len(vs) < 2:
		return nil, operation.Problem("This needs at least two pictures; please send them all together.")
	case len(vs) > operation.Most:
		return nil, TooMany(len(vs))
	}
	all := make([]media.Picture, len(vs))
	for i, v := range vs {
		if err := media.Stopped(ctx); err != nil {
			return nil, err
		}
		p, err := media.ReadPicture(ctx, v.Path, limits)
		if err != nil {
			return nil, err
		}
		f := min(1, float64(side)/float64(max(p.Info.Width, p.Info.Height)))
		w, h := quantity.Sizing{Factor: f}.Of(p.Info.Width, p.Info.Height)
		if p.Image, err = media.Scaled(ctx, p.Image, w, h); err != nil {
			return nil, err
		}
		all[i] = p
	}
	return all, nil
}

// TooMany returns the fault for too many pictures.
func TooMany(n int) error {
	return operation.Problem("Too many pictures (%d): at most %d can be combined.", n, operation.Most)
}

// Largest returns the smallest size into which every picture fits.
func Largest(ps []media.Picture) image.Point {
	var size image.Point
	for _, p := range ps {
		size.X, size.Y = max(size.X, p.Image.Rect.Dx()), max(size.Y, p.Image.Rect.Dy())
	}
	return size
}

// Place scales a picture to fit a cell, and draws it in the middle.
func Place(ctx context.Context, dst *image.NRGBA, cell image.Rectangle, img *image.NRGBA) error {
	f := min(float64(cell.Dx())/float64(img.Rect.Dx()), float64(cell.Dy())/float64(img.Rect.Dy()))
	w, h := quantity.Sizing{Factor: f}.Of(img.Rect.Dx(), img.Rect.Dy())
	img, err := media.Scaled(ctx, img, min(w, cell.Dx()), min(h, cell.Dy()))
	if err != nil {
		return err
	}
	draw.Draw(dst, quantity.Anchor{}.In(cell, img.Rect.Dx(), img.Rect.Dy()), img, image.Point{}, draw.Over)
	return nil
}
