package transform

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// leastIcon and mostIcon are the minimum and maximum side of an icon, in pixels.
const leastIcon, mostIcon = 8, 1024

// iconSizes are the sides of icons used by websites and apps.
var iconSizes = []int{16, 32, 48, 64, 128, 180, 192, 256, 512}

// favicon are the sides of the pictures in favicon.ico.
var favicon = []int{16, 32, 48}

// iconSet makes square icons in the requested sizes, or by default in the usual ones with a
// favicon.ico. The picture is scaled to fit.
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
		return toolbox.Output{}, plan.Refusal("An icon can have from %d to %d pixels on a side.", leastIcon, mostIcon)
	}
	for i, side := range sizes {
		icon, err := iconOf(ctx, p.Image, side)
		if err != nil {
			return toolbox.Output{}, err
		}
		out, err := picture.Save(ctx, c, i, p, picture.Edited{Image: icon, Format: media.PNG, About: plan.Say("%s×%s", strconv.Itoa(side), strconv.Itoa(side))})
		if err != nil {
			return toolbox.Output{}, err
		}
		outs = append(outs, out)
	}
	if !ok {
		out, err := faviconOf(ctx, c, p.Image)
		if err != nil {
			return toolbox.Output{}, err
		}
		outs = append(outs, out)
	}
	return operation.Collect(outs)
}

// iconOf fits the picture into a square.
func iconOf(ctx context.Context, img *image.NRGBA, side int) (*image.NRGBA, error) {
	icon := image.NewNRGBA(image.Rect(0, 0, side, side))
	return icon, picture.Place(ctx, icon, icon.Rect, img)
}

// faviconOf writes an ICO file with several pictures.
func faviconOf(ctx context.Context, c toolbox.Call, img *image.NRGBA) (toolbox.Output, error) {
	icons := make([]image.Image, len(favicon))
	for i, side := range favicon {
		icon, err := iconOf(ctx, img, side)
		if err != nil {
			return toolbox.Output{}, err
		}
		icons[i] = icon
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "favicon.ico"), File: "favicon", About: plan.Say("a favicon of 16, 32 and 48 pixels")}
	if err := media.EncodeIcons(ctx, out.Path, icons...); err != nil {
		return toolbox.Output{}, fmt.Errorf("write a favicon: %w", err)
	}
	return out, nil
}
