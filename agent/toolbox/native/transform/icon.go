package transform

import (
	"context"
	"image"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// leastIcon and mostIcon bound the side of an icon, in pixels.
const leastIcon, mostIcon = 8, 1024

// iconSizes are the sides of the pictures that sites and apps ask for.
var iconSizes = []int{16, 32, 48, 64, 128, 180, 192, 256, 512}

// iconSet makes square icons in the sizes that are asked for, or the usual ones. The picture is fitted
// into them.
func (o operations) iconSet(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	var outs []toolbox.Output
	sizes, ok := toolbox.Param[[]int](c, "sizes")
	if !ok {
		sizes = iconSizes
	}
	if slices.Min(sizes) < leastIcon || slices.Max(sizes) > mostIcon {
		return toolbox.Output{}, operation.Refusal("An icon can have from %d to %d pixels on a side.", leastIcon, mostIcon)
	}
	for i, side := range sizes {
		icon := image.NewNRGBA(image.Rect(0, 0, side, side))
		if err := picture.Place(ctx, icon, icon.Rect, p.Image); err != nil {
			return toolbox.Output{}, err
		}
		out, err := picture.Save(ctx, c, i, p, picture.Edited{Image: icon, Format: media.PNG, About: plan.Say("%d × %d pixels", side, side)})
		if err != nil {
			return toolbox.Output{}, err
		}
		outs = append(outs, out)
	}
	return operation.Collect(outs)
}
