package measure

import (
	"context"
	"fmt"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// Sharpness is measured on pictures scaled to the same size, so that it does not depend on the resolution.
const (
	measuredSide = 1000
	blurryBelow  = 60.0
	sharpAbove   = 250.0
)

// measureSharpness measures sharpness as the variance of the Laplacian, a common measure.
func (o operations) measureSharpness(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	img := p.Image
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if f := float64(measuredSide) / float64(max(w, h)); f < 1 {
		w, h = max(1, int(float64(w)*f)), max(1, int(float64(h)*f))
		if img, err = media.Scaled(ctx, img, w, h); err != nil {
			return toolbox.Output{}, err
		}
	}
	if w < 3 || h < 3 {
		return toolbox.Output{}, operation.Problem("The picture has only %d × %d pixels, which is too small to measure.", w, h)
	}
	light := func(x, y int) float64 {
		i := y*img.Stride + 4*x
		return 0.299*float64(img.Pix[i]) + 0.587*float64(img.Pix[i+1]) + 0.114*float64(img.Pix[i+2])
	}
	var sum, squares float64
	for y := 1; y < h-1; y++ {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		for x := 1; x < w-1; x++ {
			v := light(x-1, y) + light(x+1, y) + light(x, y-1) + light(x, y+1) - 4*light(x, y)
			sum += v
			squares += v * v
		}
	}
	count := float64((w - 2) * (h - 2))
	variance := max(squares/count-sum/count*sum/count, 0)
	verdict := "neither blurry nor very sharp"
	switch {
	case variance < blurryBelow:
		verdict = "rather blurry, or a picture with few details"
	case variance > sharpAbove:
		verdict = "sharp"
	}
	value := media.Details(
		media.Detail{Name: "Sharpness", Value: fmt.Sprintf("%.0f (variance of the Laplacian)", variance)},
		media.Detail{Name: "Looks", Value: verdict},
	)
	return toolbox.Output{Value: value, About: plan.Say("how sharp it is")}, nil
}
