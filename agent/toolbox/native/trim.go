package native

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// borderTolerance is how much a border may vary, of 255 in each channel.
const borderTolerance = 20

// trimBorders cuts away the edges of one colour, or of nothing.
func (n *Native) trimBorders(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := n.picture(ctx, c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	img := p.Image
	// A border has the colour of a corner, so all four are tried.
	best := img.Rect
	for _, corner := range []image.Point{{}, {X: img.Rect.Dx() - 1}, {Y: img.Rect.Dy() - 1}, img.Rect.Max.Sub(image.Pt(1, 1))} {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		if r := inside(img, corner); r.Dx()*r.Dy() < best.Dx()*best.Dy() {
			best = r
		}
	}
	switch {
	case best.Empty():
		return toolbox.Output{}, problem("The whole picture is of one colour, so nothing would be left of it.")
	case best == img.Rect:
		return toolbox.Output{}, refusal("The picture has no border of one colour, so there is nothing to trim.")
	}
	out := image.NewNRGBA(image.Rectangle{Max: best.Size()})
	draw.Draw(out, out.Rect, img, best.Min, draw.Src)
	return save(ctx, c, 0, p, edited{img: out, about: plan.Say("%d × %d pixels, without the border", best.Dx(), best.Dy())})
}

// inside is the smallest rectangle that holds all pixels that differ from the one at the corner.
func inside(img *image.NRGBA, corner image.Point) image.Rectangle {
	of := img.Pix[img.PixOffset(corner.X, corner.Y):][:4:4]
	border := func(x, y int) bool {
		p := img.Pix[y*img.Stride+4*x:][:4:4]
		if p[3] < borderTolerance && of[3] < borderTolerance {
			return true
		}
		for i, v := range p {
			if max(v, of[i])-min(v, of[i]) > borderTolerance {
				return false
			}
		}
		return true
	}
	r := img.Rect
	row := func(y int) bool {
		for x := r.Min.X; x < r.Max.X; x++ {
			if !border(x, y) {
				return false
			}
		}
		return true
	}
	column := func(x int) bool {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			if !border(x, y) {
				return false
			}
		}
		return true
	}
	for !r.Empty() && row(r.Min.Y) {
		r.Min.Y++
	}
	for !r.Empty() && row(r.Max.Y-1) {
		r.Max.Y--
	}
	for !r.Empty() && column(r.Min.X) {
		r.Min.X++
	}
	for !r.Empty() && column(r.Max.X-1) {
		r.Max.X--
	}
	return r
}

// Sharpness is measured on pictures of the same size, so that it does not depend on how large they are.
const (
	measuredSide = 1000
	blurryBelow  = 60.0
	sharpAbove   = 250.0
)

// measureSharpness tells how sharp a picture is: the variance of its Laplacian, the usual measure.
func (n *Native) measureSharpness(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := n.picture(ctx, c, "image")
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
		return toolbox.Output{}, problem("The picture has only %d × %d pixels, which is too small to measure.", w, h)
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

// leastIcon and mostIcon bound the side of an icon, in pixels.
const leastIcon, mostIcon = 8, 1024

// iconSizes are the sides of the pictures that sites and apps ask for.
var iconSizes = []int{16, 32, 48, 64, 128, 180, 192, 256, 512}

// iconSet makes square icons in the sizes that are asked for, or the usual ones. The picture is fitted
// into them.
func (n *Native) iconSet(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := n.picture(ctx, c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	var outs []toolbox.Output
	sizes, ok := toolbox.Param[[]int](c, "sizes")
	if !ok {
		sizes = iconSizes
	}
	if slices.Min(sizes) < leastIcon || slices.Max(sizes) > mostIcon {
		return toolbox.Output{}, refusal("An icon can have from %d to %d pixels on a side.", leastIcon, mostIcon)
	}
	for i, side := range sizes {
		icon := image.NewNRGBA(image.Rect(0, 0, side, side))
		if err := place(ctx, icon, icon.Rect, p.Image); err != nil {
			return toolbox.Output{}, err
		}
		out, err := save(ctx, c, i, p, edited{img: icon, format: media.PNG, about: plan.Say("%d × %d pixels", side, side)})
		if err != nil {
			return toolbox.Output{}, err
		}
		outs = append(outs, out)
	}
	return collect(outs)
}

// mostFrames is the most frames of an animation that are given as pictures.
const mostFrames = 100

// splitAnimation gives each frame of a GIF as a PNG.
func (n *Native) splitAnimation(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := n.picture(ctx, c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	switch frames := p.Info.Frames; {
	case frames < 2 || p.Info.MIME != "image/gif":
		return toolbox.Output{}, refusal("The picture is not an animated GIF, so it has no frames.")
	case frames > mostFrames:
		return toolbox.Output{}, refusal("%d frames are too many; at most %d can be given as pictures.", frames, mostFrames)
	}
	p.Info.Frames = 1 // of each picture that is saved
	var outs []toolbox.Output
	err = media.FramesOfGIF(ctx, c.Args["image"][0].Path, n.limits, func(frame *image.NRGBA) error {
		made := edited{img: frame, format: media.PNG, about: plan.Say("frame %d", len(outs)+1)}
		out, err := save(ctx, c, len(outs), p, made)
		outs = append(outs, out)
		return err
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	return collect(outs)
}
