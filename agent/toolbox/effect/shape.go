package effect

import (
	"context"
	"fmt"
	"image"
	"math"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// Tolerances of sizes, in pixels and in percent.
const (
	sideSlack   = 1
	slantSlack  = 3
	filmSlack   = 2
	filmShare   = 1
	shapeShare  = 3
	leastShaped = 32 // minimum side in pixels; below it rounding changes the aspect ratio
)

func size(_ context.Context, c *Case, rule map[string]string) plan.Message {
	if several, ok := setting[[]quantity.Sizing](c, rule, "scaled_by"); ok && c.Results != len(several) {
		return plan.Say("The number of results should be %d, but it is %d.", len(several), c.Results)
	}
	got, was := c.Result.size(), c.sizeOf(rule["of"])
	if got.X == 0 || was.X == 0 {
		return plan.Message{}
	}
	want, slack, ok := c.wanted(rule, was)
	r, shaped := setting[param.Ratio](c, rule, "shape")
	if !ok && shaped { // no size was requested
		want, slack, ok = was, sideSlack, true
	} else if rule["scaled_by"] != "" {
		shaped = false
	}
	if !ok {
		return plan.Message{}
	}
	if c.Returns == plan.Video {
		slack = max(slack, filmSlack, max(want.X, want.Y)*filmShare/100)
	}
	now := pixelsOf(got.X, got.Y)
	if shaped {
		if !sameShape(got, image.Pt(int(1000*r.Width), int(1000*r.Height))) || got.X < want.X-slack || got.Y < want.Y-slack {
			return plan.Say("%s should be fitted into %s, but it has %s pixels.", c.subject(), fmt.Sprintf("%g:%g", r.Width, r.Height), now)
		}
		return plan.Message{}
	}
	switch rule[lone] {
	case "larger":
		if got.X < want.X || got.Y < want.Y || got == want {
			return plan.Say("%s should be larger than it was, but it has %s pixels.", c.subject(), now)
		}
	case "not larger":
		if got.X > want.X+slack || got.Y > want.Y+slack {
			return plan.Say("%s should not be larger than it was, but it has %s pixels.", c.subject(), now)
		}
	case "same shape":
		if !sameShape(got, want) {
			return plan.Say("%s should have the shape of %s pixels, but it has %s.", c.subject(), pixelsOf(want.X, want.Y), now)
		}
	default:
		if absDiff(got.X, want.X) > slack || absDiff(got.Y, want.Y) > slack {
			return plan.Say("%s should have %s pixels, but it has %s.", c.subject(), pixelsOf(want.X, want.Y), now)
		}
	}
	return plan.Message{}
}

func square(_ context.Context, c *Case, _ map[string]string) plan.Message {
	if is := c.Result.Size; is.X != is.Y {
		return plan.Say("%s should be square, but it has %s pixels.", c.subject(), pixelsOf(is.X, is.Y))
	}
	return plan.Message{}
}

// wanted returns the size that the rule expects, and its tolerance.
func (c *Case) wanted(rule map[string]string, was image.Point) (want image.Point, slack int, ok bool) {
	want, slack, ok = was, sideSlack, true
	switch {
	case rule["scaled_by"] != "":
		want, ok = c.scaled(rule, was)
	case rule["within"] != "":
		want, ok = c.within(rule, was)
	case rule["part"] != "":
		_, want, ok = c.cropped(rule, was)
	case rule["turned_by"] != "":
		var angle float64
		if angle, ok = c.angle(rule); math.Mod(angle, 90) != 0 {
			slack = slantSlack
		}
		want = turned(was, angle)
	}
	if c.Result.MIME == iconMIME {
		side := min(max(want.X, want.Y), iconSide)
		want = image.Pt(side, side)
	}
	if z, known := quantity.Size(rule["fits"]); known && ok {
		box := image.Pt(z.Width, z.Height)
		if (box.X > box.Y) != (want.X > want.Y) {
			box.X, box.Y = box.Y, box.X
		}
		want = fitted(want, box)
	}
	return want, slack, ok
}

// turned returns the size of a picture after a rotation.
func turned(was image.Point, degrees float64) image.Point {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	side := func(a, b float64) int { return int(math.Round(math.Abs(a) + math.Abs(b))) }
	w, h := float64(was.X), float64(was.Y)
	return image.Pt(side(w*cos, h*sin), side(w*sin, h*cos))
}

// fitted scales a size to fit into a box, without enlarging.
func fitted(was, box image.Point) image.Point {
	by := min(float64(box.X)/float64(was.X), float64(box.Y)/float64(was.Y), 1)
	w, h := quantity.Sizing{Factor: by}.Of(was.X, was.Y)
	return image.Pt(w, h)
}

// sameShape reports whether two sizes have the same aspect ratio.
func sameShape(a, b image.Point) bool {
	if min(a.X, a.Y, b.X, b.Y) < leastShaped {
		return true
	}
	x, y := float64(a.X)*float64(b.Y), float64(a.Y)*float64(b.X)
	return math.Abs(x-y) <= max(x, y)*shapeShare/100+2*float64(max(a.X, a.Y, b.X, b.Y))
}

// size returns the size of a picture or video.
func (m Measured) size() image.Point {
	if m.Clip != nil && m.Clip.Size.X > 0 {
		return m.Clip.Size
	}
	return m.Size
}

// sizeOf returns the size of the only resource of an argument, zero otherwise.
func (c *Case) sizeOf(arg string) image.Point {
	if of := c.Args[arg]; len(of) == 1 {
		return of[0].size()
	}
	return image.Point{}
}

func absDiff(a, b int) int { return max(a-b, b-a) }
