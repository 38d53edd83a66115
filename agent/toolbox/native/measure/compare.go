// Package measure compares pictures, and measures their colours and sharpness.
package measure

import (
	"context"
	"fmt"
	"image"
	"image/color"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
)

// sameColour is the tolerance per channel, of 255, for pixels that count as the same: JPEG alone changes that much.
const sameColour = 12

// pair is two pictures of the same size.
type pair struct {
	first, second media.Picture
	note          plan.Message
}

// readPair reads the pictures to compare, with the second scaled to the size of the first.
func (o operations) readPair(ctx context.Context, c toolbox.Call) (pair, error) {
	first, err := picture.Read(ctx, c, "first", o.limits)
	if err != nil {
		return pair{}, err
	}
	second, err := picture.Read(ctx, c, "second", o.limits)
	if err != nil {
		return pair{}, err
	}
	p := pair{first: first, second: second}
	if size := first.Image.Rect; second.Image.Rect != size {
		p.note = plan.Say("The pictures have different sizes, so the second was scaled to the size of the first.")
		p.second.Image, err = media.Scaled(ctx, second.Image, size.Dx(), size.Dy())
	}
	return p, err
}

// differs reports whether the pixels at offset i look different, and returns the largest difference in a channel.
func (p pair) differs(i int) (bool, int) {
	a, b := p.first.Image.Pix[i:i+4:i+4], p.second.Image.Pix[i:i+4:i+4]
	most := 0
	for k := range 4 {
		// Weigh colours by alpha: fully transparent pixels have no colour.
		x, y := int(a[k]), int(b[k])
		if k < 3 {
			x, y = x*int(a[3])/255, y*int(b[3])/255
		}
		most = max(most, x-y, y-x)
	}
	return most > sameColour, most
}

// compareImages reports how many pixels of two pictures differ, and where.
func (o operations) compareImages(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := o.readPair(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	img := p.first.Image
	differing, sum := 0, 0
	var where image.Rectangle
	for y := range img.Rect.Dy() {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		for x := range img.Rect.Dx() {
			different, by := p.differs(y*img.Stride + 4*x)
			sum += by
			if different {
				differing++
				where = where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	pixels := img.Rect.Dx() * img.Rect.Dy()
	place := ""
	if differing > 0 {
		place = fmt.Sprintf("within %d × %d pixels at (%d, %d)", where.Dx(), where.Dy(), where.Min.X, where.Min.Y)
	}
	verdict := "the pictures are the same, pixel by pixel"
	switch {
	case differing > 0:
		verdict = sharePercent(float64(differing)/float64(pixels)) + " of the pixels differ"
	case sum > 0:
		verdict = "the pictures look the same; 0 % of the pixels differ visibly"
	}
	value := media.Details(
		media.Detail{Name: "Difference", Value: verdict},
		media.Detail{Name: "Where", Value: place},
		media.Detail{Name: "Mean difference", Value: sharePercent(float64(sum)/float64(pixels)/255) + " of the full range"},
		media.Detail{Name: "Size of the first", Value: fmt.Sprintf("%d × %d pixels", p.first.Info.Width, p.first.Info.Height)},
		media.Detail{Name: "Size of the second", Value: fmt.Sprintf("%d × %d pixels", p.second.Info.Width, p.second.Info.Height)},
	)
	return toolbox.Output{Value: value, About: plan.Say("how the pictures differ"), Note: p.note}, nil
}

// sharePercent formats a share as a percentage with one decimal.
func sharePercent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "less than 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// differencePicture shows the first picture in pale grey, with differing pixels in red.
func (o operations) differencePicture(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := o.readPair(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	img := p.first.Image
	differing := 0
	out := image.NewNRGBA(img.Rect)
	for y := range img.Rect.Dy() {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		for x := range img.Rect.Dx() {
			i := y*img.Stride + 4*x
			different, by := p.differs(i)
			if !different {
				grey := (299*int(img.Pix[i]) + 587*int(img.Pix[i+1]) + 114*int(img.Pix[i+2])) / 1000
				pale := uint8(170 + grey/3) //nolint:gosec // at most 255
				out.SetNRGBA(x, y, color.NRGBA{pale, pale, pale, 255})
				continue
			}
			differing++
			fade := uint8(120 - min(by, 120)) //nolint:gosec // at most 120
			out.SetNRGBA(x, y, color.NRGBA{220, fade, fade, 255})
		}
	}
	share := float64(differing) / float64(img.Rect.Dx()*img.Rect.Dy())
	r := picture.Edited{Image: out, Format: media.PNG, About: plan.Say("the differences in red (%s of the pixels)", sharePercent(share))}
	made, err := picture.Save(ctx, c, 0, media.Picture{}, r)
	made.Note = p.note
	return made, err
}
