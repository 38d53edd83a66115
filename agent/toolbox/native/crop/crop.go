// Package crop crops pictures by regions, boxes, masks and borders.
package crop

import (
	"context"
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

func cropRegion(_ context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	area, err := toolbox.Need[quantity.Area](c, "region")
	if err != nil {
		return picture.Edited{}, err
	}
	r, ok := area.Of(p.Info.Width, p.Info.Height)
	if !ok {
		return picture.Edited{}, plan.Refusal("That part is outside the picture, which has %s.", picture.Dimensions(p.Image))
	}
	img := imaging.Crop(p.Image, r)
	return picture.Edited{Image: img, About: plan.Say("cropped to %s", picture.Dimensions(img))}, nil
}
