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

// hiders are the ways to hide something by the values of the setting "how", with what is said of the result.
var hiders = map[string]struct {
	hide            hider
	inside, outside plan.Message
}{
	"blur":     {blurPart, plan.Say("blurred where it is marked"), plan.Say("blurred except where it is marked")},
	"pixelate": {pixelatePart, plan.Say("pixelated where it is marked"), plan.Say("pixelated except where it is marked")},
	"black":    {coverPart, plan.Say("blacked out where it is marked"), plan.Say("blacked out except where it is marked")},
}

// hideMasked hides what a mask covers, or all outside of it. What is hidden is as coarse as for a box around the
// mask.
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
		box := covered(stencil)
		h, about := hidden{p.Image.Rect, min(box.Dx(), box.Dy()) / 8, color.NRGBA{A: 255}}, hiders[how].inside
		if where, _ := toolbox.Param[string](c, "where"); where == "outside" {
			h.details, about = detailsOf(p.Image.Rect), hiders[how].outside
			for i, v := range stencil.Pix {
				stencil.Pix[i] = 255 - v
			}
		}
		all := image.NewNRGBA(p.Image.Rect)
		draw.Draw(all, all.Rect, p.Image, p.Image.Rect.Min, draw.Src)
		if err := hiders[how].hide(ctx, all, h); err != nil {
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

// covered is the smallest box around what a stencil covers.
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
