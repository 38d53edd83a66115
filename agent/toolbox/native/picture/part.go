package picture

import (
	"image"
	"image/color"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/operation"
)

// Fill fills a part of the picture with one colour.
func Fill(dst *image.NRGBA, r image.Rectangle, c color.NRGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			dst.SetNRGBA(x, y, c)
		}
	}
}

// maxBoxes is the maximum number of boxes that are cropped or drawn at once.
const maxBoxes = 100

// Boxes reads the argument "bbox" and clips each box to the picture.
func Boxes(c toolbox.Call, on image.Rectangle) ([]plan.Box, error) {
	var all []plan.Box
	for _, v := range c.Args["bbox"] {
		found, err := plan.DecodeValue[plan.Box](v.Resource)
		if err != nil {
			return nil, &plan.Fault{Sentence: plan.Say("The boxes cannot be read."), Err: err}
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, operation.Problem("Nothing was found or marked on the picture.")
	}
	var kept []plan.Box
	for _, b := range all[:min(len(all), maxBoxes)] {
		r := image.Rectangle{Min: image.Pt(b.XMin, b.YMin), Max: image.Pt(b.XMax, b.YMax)}.Intersect(on)
		if r.Empty() {
			continue
		}
		b.XMin, b.YMin, b.XMax, b.YMax = r.Min.X, r.Min.Y, r.Max.X, r.Max.Y
		kept = append(kept, b)
	}
	if len(kept) == 0 {
		return nil, operation.Problem("The box is outside the picture, which has %d × %d pixels.", on.Dx(), on.Dy())
	}
	return kept, nil
}

// Rectangle returns the box as a rectangle.
func Rectangle(b plan.Box) image.Rectangle { return image.Rect(b.XMin, b.YMin, b.XMax, b.YMax) }
