package crop

import (
	"context"
	"image"
	"image/draw"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// borderTolerance is the maximum variation within a border, of 255, in each channel.
const borderTolerance = 20

// trimBorders crops away borders that are transparent or of a single colour.
func (o operations) trimBorders(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	img := p.Image
	// A border has the colour of some corner, so all four are tried.
	best := img.Rect
	for _, corner := range []image.Point{{}, {X: img.Rect.Dx() - 1}, {Y: img.Rect.Dy() - 1}, img.Rect.Max.Sub(image.Pt(1, 1))} {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		if r := inside(img, corner); r.Dx()*r.Dy() < best.Dx()*best.Dy() {
			best = r
		}
	}
	switch {
	case best.Empty():
		return toolbox.Output{}, operation.Problem("The whole picture is a single colour, so nothing would be left of it.")
	case best == img.Rect:
		return toolbox.Output{}, plan.Refusal("The picture has no border of a single colour, so there is nothing to trim.")
	}
	out := image.NewNRGBA(image.Rectangle{Max: best.Size()})
	draw.Draw(out, out.Rect, img, best.Min, draw.Src)
	return picture.Save(ctx, c, 0, p, picture.Edited{Image: out, About: plan.Say("%d × %d pixels, without the border", best.Dx(), best.Dy())})
}

// inside returns the smallest rectangle with all pixels that differ from the corner pixel.
func inside(img *image.NRGBA, corner image.Point) image.Rectangle {
	of := img.Pix[img.PixOffset(corner.X, corner.Y):][:4:4]
	border := func(x, y int) bool {
		p := img.Pix[y*img.Stride+4*x:][:4:4]
		if p[3] < borderTolerance && of[3] < borderTolerance {
			return true
		}
		for i, v := range p {
			if max(v, of[i])-min(v, of[i]) > borderTolerance {
				return false
			}
		}
		return true
	}
	r := img.Rect
	row := func(y int) bool {
		for x := r.Min.X; x < r.Max.X; x++ {
			if !border(x, y) {
				return false
			}
		}
		return true
	}
	column := func(x int) bool {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			if !border(x, y) {
				return false
			}
		}
		return true
	}
	for !r.Empty() && row(r.Min.Y) {
		r.Min.Y++
	}
	for !r.Empty() && row(r.Max.Y-1) {
		r.Max.Y--
	}
	for !r.Empty() && column(r.Min.X) {
		r.Min.X++
	}
	for !r.Empty() && column(r.Max.X-1) {
		r.Max.X--
	}
	return r
}
