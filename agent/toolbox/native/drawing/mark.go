package drawing

import (
	"context"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/lettering"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/quantity"
)

// maxLabel is the maximum length of a label, in characters.
const maxLabel = 120

// annotate draws a box, circle, dot or arrow at a part of the picture, with an optional label.
func annotate(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	area, err := toolbox.Need[quantity.Area](c, "part")
	if err != nil {
		return picture.Edited{}, err
	}
	part, ok := area.Of(p.Info.Width, p.Info.Height)
	if !ok {
		return picture.Edited{}, plan.Refusal("That part is outside the picture, which has %d × %d pixels.", p.Info.Width, p.Info.Height)
	}
	label := strings.Trim(prose.OneLine(prose.Clean(c.Text("label"))), `"'“”`)
	if utf8.RuneCountInString(label) > maxLabel {
		return picture.Edited{}, plan.Refusal("That is too much text for a picture; at most %d characters can be written.", maxLabel)
	}
	ink, ok := toolbox.Param[color.NRGBA](c, "colour")
	if !ok {
		ink = color.NRGBA{220, 38, 38, 255}
	}
	width := max(3, float64(max(p.Info.Width, p.Info.Height))/150)
	if w, ok := toolbox.Param[int](c, "width"); ok {
		width = float64(w)
	}
	shape, _ := toolbox.Param[string](c, "shape")
	d := canvas.Canvas{NRGBA: p.Image}
	x0, y0, x1, y1 := float64(part.Min.X), float64(part.Min.Y), float64(part.Max.X), float64(part.Max.Y)
	middle := canvas.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}
	at := image.Pt(part.Min.X, part.Min.Y) // position of the label
	number, numbered := toolbox.Param[int](c, "number")
	switch {
	case numbered:
		if at, err = badge(d, part, strconv.Itoa(number), ink); err != nil {
			return picture.Edited{}, err
		}
	case shape == "arrow":
		from, _ := toolbox.Param[string](c, "from")
		tail, tip := arrowEnds(p.Image.Rect, middle, strings.TrimPrefix(from, "from the "))
		arrow(d, tail, tip, width, ink)
		at = image.Pt(int(tail.X), int(tail.Y))
	case shape == "circle":
		radiusX, radiusY := max((x1-x0-width)/2, width/2), max((y1-y0-width)/2, width/2)
		d.Ring(middle, radiusX, radiusY, width, ink)
	case shape == "dot":
		d.Disc(middle, max(2*width, 4), ink)
		at = image.Pt(int(middle.X+3*width), int(middle.Y))
	default:
		drawFrame(p.Image, part, int(width), ink)
	}
	if label != "" {
		box := plan.Box{Label: label, XMin: at.X, YMin: at.Y, XMax: part.Max.X, YMax: part.Max.Y}
		if err := drawLabel(ctx, p.Image, box, lettering.Plate(ink), max(12, float64(max(p.Info.Width, p.Info.Height))/35)); err != nil {
			return picture.Edited{}, err
		}
	}
	return picture.Edited{Image: p.Image, About: plan.Say("with a mark on it"), Note: lettering.Missing(label)}, nil
}

// badge writes a number into a filled circle: in the middle of a part, or at the edge of the picture where the part is.
// It gives where its label goes.
func badge(d canvas.Canvas, part image.Rectangle, number string, ink color.NRGBA) (image.Point, error) {
	w, h := float64(d.Rect.Dx()), float64(d.Rect.Dy())
	radius := max(10, min(w, h)/16)
	letters, err := canvas.NewLetters(canvas.Bold, radius*1.3/max(1, float64(len(number))/2))
	if err != nil {
		return image.Point{}, &plan.Fault{Sentence: plan.Say("The labels cannot be drawn."), Err: err}
	}
	place := func(low, high int, side float64) float64 {
		switch {
		case low == 0 && high < int(side):
			return 1.5 * radius
		case low > 0 && high == int(side):
			return side - 1.5*radius
		}
		return float64(low+high) / 2
	}
	at := canvas.Point{X: place(part.Min.X, part.Max.X, w), Y: place(part.Min.Y, part.Max.Y, h)}
	d.Disc(at, radius, ink)
	d.Write(letters, number, at.X, at.Y, 0.5, canvas.InkOn(ink))
	return image.Pt(int(at.X+1.5*radius), int(at.Y)), nil
}

// arrowEnds returns the ends of an arrow that comes from the given side of the picture. If the tip is
// too close to that side, it is moved past its target to make room.
func arrowEnds(picture image.Rectangle, tip canvas.Point, from string) (tail, end canvas.Point) {
	if from == "" {
		return arrowTail(picture, tip), tip
	}
	w, h := float64(picture.Dx()), float64(picture.Dy())
	var dx, dy float64 // direction to that side
	room := math.Inf(1)
	for side, to := range map[string]struct{ dx, dy, room float64 }{
		"left": {dx: -1, room: tip.X}, "right": {dx: 1, room: w - tip.X}, "top": {dy: -1, room: tip.Y}, "bottom": {dy: 1, room: h - tip.Y},
	} {
		if strings.Contains(from, side) {
			dx, dy, room = dx+to.dx, dy+to.dy, min(room, to.room)
		}
	}
	length := 0.8 * room
	if short := min(w, h) * 0.2; length < short {
		tip = canvas.Point{X: tip.X - dx*(short-length), Y: tip.Y - dy*(short-length)}
		length = short
	}
	return canvas.Point{X: tip.X + dx*length, Y: tip.Y + dy*length}, tip
}

// arrowTail returns the start of an arrow to the tip: towards the middle of the picture, or up and to
// the left if the tip is in the middle.
func arrowTail(picture image.Rectangle, tip canvas.Point) canvas.Point {
	w, h := float64(picture.Dx()), float64(picture.Dy())
	length := min(w, h) * 0.3
	dx, dy := w/2-tip.X, h/2-tip.Y
	if far := math.Hypot(dx, dy); far > min(w, h)*0.05 {
		return canvas.Point{X: tip.X + dx/far*length, Y: tip.Y + dy/far*length}
	}
	return canvas.Point{X: tip.X - length*0.7, Y: tip.Y - length*0.7}
}

// arrow draws an arrow with a head of four line widths.
func arrow(d canvas.Canvas, tail, tip canvas.Point, width float64, ink color.NRGBA) {
	length := math.Hypot(tip.X-tail.X, tip.Y-tail.Y)
	dx, dy := (tip.X-tail.X)/length, (tip.Y-tail.Y)/length
	head := min(4*width, length)
	neck := canvas.Point{X: tip.X - dx*head, Y: tip.Y - dy*head}
	d.Line([]canvas.Point{tail, neck}, width, ink)
	d.Polygon([]canvas.Point{tip, {X: neck.X - dy*head*0.6, Y: neck.Y + dx*head*0.6}, {X: neck.X + dy*head*0.6, Y: neck.Y - dx*head*0.6}}, ink)
}
