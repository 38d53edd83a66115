package toolbox

import (
	"image"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// Parameters of the tools that make something new from a description.
const (
	SizeParam    = "size"    // of a picture, in pixels
	ShapeParam   = "shape"   // its aspect ratio
	WithoutParam = "without" // what must not be shown
)

// The sides of a new picture, in pixels. Models draw nothing recognizable in less.
const (
	leastSide = 64
	mostSide  = 4096
)

// Canvas is what a call requests of a new picture's form. The zero Canvas leaves it to the model.
type Canvas struct {
	// Ratio is the width divided by the height.
	Ratio float64
	// Size is the exact size in pixels; zero if only the ratio is requested.
	Size image.Point
}

// CanvasOf returns the form that a call requests by its size and its shape. A single side is completed by the shape, or
// to a square. It refuses sizes that cannot be drawn, in a sentence for people.
func CanvasOf(c Call) (Canvas, error) {
	var canvas Canvas
	shape, shaped := Param[param.Ratio](c, ShapeParam)
	if shaped {
		canvas.Ratio = shape.Width / shape.Height
	} else {
		shape = param.Ratio{Width: 1, Height: 1}
	}
	z, sized := Param[quantity.Sizing](c, SizeParam)
	if !sized {
		return canvas, nil
	}
	z.AtMost = false // there is no picture yet that could be smaller
	const unit = 1000
	w, h := z.Of(int(unit*shape.Width), int(unit*shape.Height))
	if min(w, h) < leastSide || max(w, h) > mostSide {
		return Canvas{}, plan.Refusal("I cannot draw %d × %d pixels; each side may have %d to %d.", w, h, leastSide, mostSide)
	}
	return Canvas{float64(w) / float64(h), image.Pt(w, h)}, nil
}
