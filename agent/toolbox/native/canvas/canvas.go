// Package canvas draws shapes and letters with smooth edges.
//
// Guarantees:
//   - It is pure: the same calls give the same pixels. It does no I/O.
//   - Nothing is drawn outside the picture, wherever a shape lies.
package canvas

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"golang.org/x/image/vector"
)

// Point is a point of a picture in pixels.
type Point struct{ X, Y float64 }

// Canvas is a picture to draw on.
type Canvas struct {
	*image.NRGBA

	// Unit is the length of the unit of all coordinates and widths, in pixels; 0 means 1. The letters must have the same.
	Unit float64
}

// New returns a canvas of one colour.
func New(width, height int, ground color.Color) Canvas {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	return Canvas{NRGBA: img}
}

// Polygon fills a polygon.
func (c Canvas) Polygon(points []Point, ink color.Color) {
	if len(points) < 3 {
		return
	}
	if c.Unit > 0 {
		points = slices.Clone(points)
		for i, p := range points {
			points[i] = Point{p.X * c.Unit, p.Y * c.Unit}
		}
	}
	low, high := points[0], points[0]
	for _, p := range points {
		low = Point{min(low.X, p.X), min(low.Y, p.Y)}
		high = Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	// Only the visible part is drawn, so that shapes far outside cost nothing.
	box := image.Rect(int(math.Floor(max(low.X, -1))), int(math.Floor(max(low.Y, -1))),
		int(math.Ceil(min(high.X, float64(c.Rect.Max.X)+1))), int(math.Ceil(min(high.Y, float64(c.Rect.Max.Y)+1))))
	if low.X > float64(c.Rect.Max.X) || low.Y > float64(c.Rect.Max.Y) || high.X < 0 || high.Y < 0 || box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	at := func(p Point) (x, y float32) {
		return float32(p.X - float64(box.Min.X)), float32(p.Y - float64(box.Min.Y))
	}
	r.MoveTo(at(points[0]))
	for _, p := range points[1:] {
		r.LineTo(at(p))
	}
	r.ClosePath()
	mask := image.NewAlpha(image.Rectangle{Max: box.Size()})
	r.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	draw.DrawMask(c, box, image.NewUniform(ink), image.Point{}, mask, image.Point{}, draw.Over)
}

// Box fills a rectangle.
func (c Canvas) Box(x0, y0, x1, y1 float64, ink color.Color) {
	c.Polygon([]Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, ink)
}

// Line draws a line of the given width through the points, with round joints.
func (c Canvas) Line(points []Point, width float64, ink color.Color) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if length == 0 {
			continue
		}
		dx, dy := (b.X-a.X)/length*width/2, (b.Y-a.Y)/length*width/2
		c.Polygon([]Point{{a.X - dy, a.Y + dx}, {b.X - dy, b.Y + dx}, {b.X + dy, b.Y - dx}, {a.X + dy, a.Y - dx}}, ink)
		if i > 1 && width > 1.5 {
			c.Disc(a, width/2, ink)
		}
	}
}

// Disc fills a circle.
func (c Canvas) Disc(at Point, radius float64, ink color.Color) {
	c.Polygon(arc(at, radius, radius, 0, 2*math.Pi), ink)
}

// Sector fills a slice of a pie between two angles. Angles are in radians, clockwise from the right.
func (c Canvas) Sector(at Point, radius, from, to float64, ink color.Color) {
	c.Polygon(append(arc(at, radius, radius, from, to), at), ink)
}

// Ring draws an ellipse with the given line width. The radii are measured to the middle of the line.
func (c Canvas) Ring(at Point, radiusX, radiusY, width float64, ink color.Color) {
	outside := arc(at, radiusX+width/2, radiusY+width/2, 0, 2*math.Pi)
	inside := arc(at, max(radiusX-width/2, 0), max(radiusY-width/2, 0), 2*math.Pi, 0)
	c.Polygon(append(outside, inside...), ink)
}

// arc returns points on an ellipse, dense enough to look round.
func arc(at Point, radiusX, radiusY, from, to float64) []Point {
	n := max(8, int(math.Ceil(math.Abs(to-from)*math.Sqrt(max(radiusX, radiusY))*2)))
	points := make([]Point, n+1)
	for i := range points {
		sin, cos := math.Sincos(from + (to-from)*float64(i)/float64(n))
		points[i] = Point{at.X + radiusX*cos, at.Y + radiusY*sin}
	}
	return points
}
