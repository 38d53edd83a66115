package transform

import (
	"context"
	"image"
	"image/color"
	"math"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
)

const (
	skewSide  = 600  // longer side at which the skew is measured, in pixels
	mostSkew  = 15.0 // degrees; a larger angle is a rotation rather than a skew
	skewStep  = 0.25
	skewFine  = 0.05
	leastSkew = 0.15 // invisible below this
	clearly   = 1.05 // minimum improvement in row sharpness
)

// straighten rotates a crooked scan or photo so that its lines are level. The size stays; new corners
// get the border colour. One without tilted lines stays as it is.
func straighten(ctx context.Context, p media.Picture, _ toolbox.Call) (picture.Edited, error) {
	skew, err := skewOf(ctx, p.Image)
	if err != nil {
		return picture.Edited{}, err
	}
	if math.Abs(skew) < leastSkew {
		return picture.Edited{
			Image: p.Image, About: plan.Say("which is straight already"),
			Note: plan.Say("I found no tilted lines, so it is as it was. To turn it anyway, say by how many degrees."),
		}, nil
	}
	img, err := turned(ctx, p.Image, math.Mod(360-skew, 360))
	if err != nil {
		return picture.Edited{}, err
	}
	size, ground := p.Image.Rect.Size(), borderColour(p.Image)
	out := image.NewNRGBA(image.Rectangle{Max: size})
	left, top := (img.Rect.Dx()-size.X)/2, (img.Rect.Dy()-size.Y)/2
	for y := range size.Y {
		if y%64 == 0 && ctx.Err() != nil {
			return picture.Edited{}, ctx.Err()
		}
		for x := range size.X {
			out.SetNRGBA(x, y, over(img.NRGBAAt(x+left, y+top), ground))
		}
	}
	return picture.Edited{Image: out, About: plan.Say("straightened by %s degrees", strconv.FormatFloat(math.Round(10*math.Abs(skew))/10, 'f', -1, 64))}, nil
}

// over composes a colour over an opaque background.
func over(c, ground color.NRGBA) color.NRGBA {
	if c.A == 255 {
		return c
	}
	share := float64(c.A) / 255
	mix := func(a, b uint8) uint8 { return uint8(math.Round(share*float64(a) + (1-share)*float64(b))) }
	return color.NRGBA{mix(c.R, ground.R), mix(c.G, ground.G), mix(c.B, ground.B), max(c.A, ground.A)}
}

// borderColour returns the mean colour of the border.
func borderColour(img *image.NRGBA) color.NRGBA {
	var sum [4]float64
	count := 0.0
	add := func(x, y int) {
		p := img.Pix[img.PixOffset(x, y):][:4]
		for k := range sum {
			sum[k] += float64(p[k])
		}
		count++
	}
	b := img.Rect
	for x := b.Min.X; x < b.Max.X; x++ {
		add(x, b.Min.Y)
		add(x, b.Max.Y-1)
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		add(b.Min.X, y)
		add(b.Max.X-1, y)
	}
	return color.NRGBA{uint8(sum[0] / count), uint8(sum[1] / count), uint8(sum[2] / count), uint8(sum[3] / count)}
}

// skewOf returns by how many degrees the lines of a picture fall to the right: the angle at which
// adjacent row sums differ most (projection profile; Postl, 1986).
func skewOf(ctx context.Context, img *image.NRGBA) (float64, error) {
	size := img.Rect.Size()
	if long := max(size.X, size.Y); long > skewSide {
		size = image.Pt(max(1, size.X*skewSide/long), max(1, size.Y*skewSide/long))
	}
	small, err := media.Scaled(ctx, img, size.X, size.Y)
	if err != nil {
		return 0, err
	}
	grey := make([]float64, size.X*size.Y)
	for y := range size.Y {
		for x := range size.X {
			p := small.Pix[small.PixOffset(x, y):][:4]
			grey[y*size.X+x] = 255 - (0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2]))
		}
	}
	best, most, level := 0.0, 0.0, sharpness(grey, size, 0)
	try := func(from, to, step float64) {
		for angle := from; angle <= to+step/2; angle += step {
			if s := sharpness(grey, size, angle); s > most {
				best, most = angle, s
			}
		}
	}
	try(-mostSkew, mostSkew, skewStep)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	try(best-skewStep, best+skewStep, skewFine)
	if most < clearly*level || math.Abs(best) >= mostSkew {
		return 0, nil
	}
	return best, nil
}

// sharpness measures how much the means of adjacent rows differ, for rows that fall by an angle in
// degrees. Rows near the top and bottom, which would be incomplete, are skipped.
func sharpness(grey []float64, size image.Point, angle float64) float64 {
	slope := math.Tan(angle * math.Pi / 180)
	margin := int(math.Ceil(math.Abs(slope)*float64(size.X)/2)) + 1
	sum, before := 0.0, 0.0
	for y := margin; y < size.Y-margin; y++ {
		row := 0.0
		for x := range size.X {
			at := y + int(math.Round(slope*(float64(x)-float64(size.X)/2)))
			row += grey[at*size.X+x]
		}
		row /= float64(size.X)
		if y > margin {
			sum += (row - before) * (row - before)
		}
		before = row
	}
	return sum / float64(max(1, size.Y-2*margin))
}
