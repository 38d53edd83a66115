package native

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// hider makes a part of a picture unrecognisable.
type hider func(ctx context.Context, img *image.NRGBA, part image.Rectangle) error

// hiding returns an edit that hides each box of the argument "bbox". It widens each box by an eighth
// of its longer side, since the boxes of faces end at the chin and the forehead.
func hiding(hide hider) edit {
	return func(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
		bs, err := boxes(c, p.Image.Rect)
		if err != nil {
			return edited{}, err
		}
		for _, b := range bs {
			r := rectangle(b)
			r = r.Inset(-max(r.Dx(), r.Dy()) / 8).Intersect(p.Image.Rect)
			if err := hide(ctx, p.Image, r); err != nil {
				return edited{}, err
			}
		}
		about := oneOrMany(len(bs), plan.Say("in one place"), plan.Say("in %d places", len(bs)))
		return edited{img: p.Image, about: about}, nil
	}
}

// blurPart blurs a part so strongly that details smaller than an eighth of its shorter side disappear.
func blurPart(ctx context.Context, img *image.NRGBA, part image.Rectangle) error {
	copied := image.NewNRGBA(image.Rectangle{Max: part.Size()})
	draw.Draw(copied, copied.Rect, img, part.Min, draw.Src)
	if err := blurred(ctx, copied, copied, max(4, float64(min(part.Dx(), part.Dy()))/8)); err != nil {
		return err
	}
	draw.Draw(img, part, copied, image.Point{}, draw.Src)
	return nil
}

// pixelatePart fills a part with squares of their mean colour, about eight along the shorter side.
func pixelatePart(ctx context.Context, img *image.NRGBA, part image.Rectangle) error {
	side := max(4, min(part.Dx(), part.Dy())/8)
	for y := part.Min.Y; y < part.Max.Y; y += side {
		if err := media.Stopped(ctx); err != nil {
			return err
		}
		for x := part.Min.X; x < part.Max.X; x += side {
			square := image.Rect(x, y, x+side, y+side).Intersect(part)
			fill(img, square, meanColour(img, square))
		}
	}
	return nil
}

func meanColour(img *image.NRGBA, part image.Rectangle) color.NRGBA {
	var sum [4]int
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			for i, v := range img.Pix[img.PixOffset(x, y):][:4] {
				sum[i] += int(v)
			}
		}
	}
	n := part.Dx() * part.Dy()
	mean := func(i int) uint8 { return uint8(sum[i] / n & math.MaxUint8) }
	return color.NRGBA{mean(0), mean(1), mean(2), mean(3)}
}

func blackOutPart(_ context.Context, img *image.NRGBA, part image.Rectangle) error {
	fill(img, part, color.NRGBA{A: 255})
	return nil
}
