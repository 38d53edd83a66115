package filter

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/selection"
	"atelier/agent/toolbox/quantity"
)

// hidden is a part of a picture to hide.
type hidden struct {
	part image.Rectangle
	// details is the size of the smallest details that stay visible, in pixels.
	details int
	colour  color.NRGBA // fill colour of a cover
}

// hider makes a part of a picture unrecognisable.
type hider func(ctx context.Context, img *image.NRGBA, h hidden) error

// hiding returns an edit that hides the selected parts of a picture, or everything outside them.
func hiding(hide hider) picture.Edit {
	return func(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
		parts, read, err := selectedParts(c, p.Image.Rect)
		if err != nil {
			return picture.Edited{}, err
		}
		ink, ok := toolbox.Param[color.NRGBA](c, "colour")
		if !ok {
			ink = color.NRGBA{A: 255}
		}
		if where, _ := toolbox.Param[string](c, "where"); where == "outside" {
			return hideOutside(ctx, hide, p.Image, parts, ink)
		}
		for _, part := range parts {
			side := min(part.Dx(), part.Dy())
			details := max(side/8, min(side/3, 12)) // a line of small letters fills its part
			if part == p.Image.Rect {
				details = detailsOf(part)
			}
			if err := hide(ctx, p.Image, hidden{part, details, ink}); err != nil {
				return picture.Edited{}, err
			}
		}
		made := picture.Edited{Image: p.Image, About: operation.OneOrMany(len(parts), plan.Say("one area"), plan.Say("%d areas", len(parts)))}
		if read {
			made.Note = plan.Say("Only words that could be read are hidden; please check that none is left.")
		}
		return made, nil
	}
}

// detailsOf returns the details to keep when the whole picture is hidden.
func detailsOf(picture image.Rectangle) int { return min(picture.Dx(), picture.Dy()) / 24 }

// selectedParts returns the region "part" of the picture, the boxes "bbox", or the whole picture, and
// whether the boxes are those of words that were read. Boxes are widened by an eighth of their longer
// side, since face boxes end at the chin and the forehead. Those of words are widened by less, since
// another line is close.
func selectedParts(c toolbox.Call, whole image.Rectangle) (parts []image.Rectangle, read bool, err error) {
	if len(c.Args["bbox"]) > 0 {
		found, err := picture.Boxes(c, whole)
		read = selection.IsRead(found)
		for _, b := range found {
			r := picture.Rectangle(b)
			by := max(r.Dx(), r.Dy()) / 8
			if read {
				by = r.Dy() / 5
			}
			parts = append(parts, r.Inset(-by).Intersect(whole))
		}
		return parts, read, err
	}
	area, ok := toolbox.Param[quantity.Area](c, "part")
	if where, _ := toolbox.Param[string](c, "where"); !ok && where == "outside" {
		return nil, false, plan.Refusal("Please say which part of the picture to keep.")
	}
	if !ok {
		return []image.Rectangle{whole}, false, nil
	}
	part, ok := area.Of(whole.Dx(), whole.Dy())
	if !ok {
		return nil, false, plan.Refusal("That part is outside the picture, which has %d × %d pixels.", whole.Dx(), whole.Dy())
	}
	return []image.Rectangle{part}, false, nil
}

// hideOutside hides everything but the given parts.
func hideOutside(ctx context.Context, hide hider, img *image.NRGBA, parts []image.Rectangle, ink color.NRGBA) (picture.Edited, error) {
	all := image.NewNRGBA(img.Rect)
	draw.Draw(all, all.Rect, img, img.Rect.Min, draw.Src)
	if err := hide(ctx, all, hidden{all.Rect, detailsOf(all.Rect), ink}); err != nil {
		return picture.Edited{}, err
	}
	for _, part := range parts {
		draw.Draw(all, part, img, part.Min, draw.Src)
	}
	about := operation.OneOrMany(len(parts), plan.Say("all but one area"), plan.Say("all but %d areas", len(parts)))
	return picture.Edited{Image: all, About: about}, nil
}

// blurPart blurs a part enough to hide smaller details.
func blurPart(ctx context.Context, img *image.NRGBA, h hidden) error {
	copied := image.NewNRGBA(image.Rectangle{Max: h.part.Size()})
	draw.Draw(copied, copied.Rect, img, h.part.Min, draw.Src)
	if err := blurred(ctx, copied, copied, float64(max(4, h.details))); err != nil {
		return err
	}
	draw.Draw(img, h.part, copied, image.Point{}, draw.Src)
	return nil
}

// pixelatePart fills a part with squares of their average colour.
func pixelatePart(ctx context.Context, img *image.NRGBA, h hidden) error {
	side := max(4, h.details)
	for y := h.part.Min.Y; y < h.part.Max.Y; y += side {
		if err := media.Stopped(ctx); err != nil {
			return err
		}
		for x := h.part.Min.X; x < h.part.Max.X; x += side {
			square := image.Rect(x, y, x+side, y+side).Intersect(h.part)
			picture.Fill(img, square, meanColour(img, square))
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

func coverPart(_ context.Context, img *image.NRGBA, h hidden) error {
	picture.Fill(img, h.part, h.colour)
	return nil
}
