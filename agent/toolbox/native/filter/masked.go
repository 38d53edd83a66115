package filter

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// way is a way to hide something, with messages that describe the result.
type way struct {
	hide            hider
	inside, outside plan.Message
}

// wayOf returns the way for a value of the setting "how".
func wayOf(how string) way {
	switch how {
	case "pixelate":
		return way{pixelatePart, plan.Say("the marked part pixelated"), plan.Say("all but the marked part pixelated")}
	case "black":
		return way{coverPart, plan.Say("the marked part blacked out"), plan.Say("all but the marked part blacked out")}
	}
	return way{blurPart, plan.Say("the marked part blurred"), plan.Say("all but the marked part blurred")}
}

// hideMasked hides the masked area, or everything else. The strength is chosen as for a box around the mask.
func hideMasked(limits media.Limits) operation.Func {
	return picture.Editing(limits, func(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
		stencil, err := picture.Stencil(ctx, c, p.Info, limits)
		if err != nil {
			return picture.Edited{}, err
		}
		how, err := toolbox.Need[string](c, "how")
		if err != nil {
			return picture.Edited{}, err
		}
		by, box, black := wayOf(how), covered(stencil), color.NRGBA{A: 255}
		h, about := hidden{box, min(box.Dx(), box.Dy()) / 8, black}, by.inside
		if where, _ := toolbox.Param[string](c, "where"); where == "outside" {
			h, about = hidden{p.Image.Rect, detailsOf(p.Image.Rect), black}, by.outside
			for i, v := range stencil.Pix {
				stencil.Pix[i] = 255 - v
			}
		}
		all := image.NewNRGBA(p.Image.Rect)
		draw.Draw(all, all.Rect, p.Image, p.Image.Rect.Min, draw.Src)
		if err := by.hide(ctx, all, h); err != nil {
			return picture.Edited{}, err
		}
		for y := range p.Image.Rect.Dy() {
			from, to := all.Pix[y*all.Stride:], p.Image.Pix[y*p.Image.Stride:]
			for x, v := range stencil.Pix[y*stencil.Stride:][:p.Image.Rect.Dx()] {
				if v != 0 {
					copy(to[4*x:4*x+4], from[4*x:4*x+4])
				}
			}
		}
		return picture.Edited{Image: p.Image, About: about}, nil
	})
}

// covered returns the bounding box of a stencil.
func covered(s *image.Alpha) (box image.Rectangle) {
	for y := range s.Rect.Dy() {
		row := s.Pix[y*s.Stride:][:s.Rect.Dx()]
		from := slices.Index(row, 255)
		if from < 0 {
			continue
		}
		to := len(row)
		for row[to-1] == 0 {
			to--
		}
		box = box.Union(image.Rect(from, y, to, y+1))
	}
	return box
}
