// Package crop crops pictures by regions, boxes, masks and borders.
package crop

import (
	"context"
	"strconv"
	"strings"

	"github.com/kovidgoyal/imaging"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/quantity"
)

// cropBoxes crops the picture to each box.
func (o operations) cropBoxes(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	bs, err := picture.Boxes(c, p.Image.Rect)
	if err != nil {
		return toolbox.Output{}, err
	}
	var outs []toolbox.Output
	for i, b := range bs {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		what := plan.Say("the marked part")
		if label := strings.TrimSpace(b.Label); label != "" {
			what = plan.Quote(label)
		}
		out, err := picture.Save(ctx, c, i, p, picture.Edited{Image: imaging.Crop(p.Image, picture.Rectangle(b)), About: what})
		if err != nil {
			return toolbox.Output{}, err
		}
		outs = append(outs, out)
	}
	return operation.Collect(outs)
}

func (o operations) cropRegion(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	area, err := toolbox.Need[quantity.Area](c, "region")
	if err != nil {
		return picture.Edited{}, err
	}
	part, size, ok := area.Crop(p.Info.Width, p.Info.Height)
	if !ok {
		return picture.Edited{}, plan.Refusal("That part is outside the picture, which has %s.", picture.Dimensions(p.Image))
	}
	edited := picture.Edited{Image: imaging.Crop(p.Image, part)}
	if !area.Box.Empty() && part != area.Box {
		edited.Note = plan.Say("That part reaches beyond the picture, which has %s, so only what lies within is left.", picture.Dimensions(p.Image))
	}
	if part.Size() != size {
		if err := picture.CheckSize(size.X, size.Y, o.limits); err != nil {
			return picture.Edited{}, err
		}
		img, err := media.Scaled(ctx, imaging.Crop(p.Image, part), size.X, size.Y)
		if err != nil {
			return picture.Edited{}, err
		}
		edited.Image = img
		edited.Note = plan.Say("It has only %s × %s pixels, so it was enlarged before it was cropped.",
			strconv.Itoa(p.Info.Width), strconv.Itoa(p.Info.Height))
	}
	edited.About = plan.Say("cropped to %s", picture.Dimensions(edited.Image))
	return edited, nil
}
