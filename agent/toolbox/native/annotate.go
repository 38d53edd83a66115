package native

import (
	"context"
	"image"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/quantity"
)

// maxLabel is the longest label of a mark, in letters.
const maxLabel = 120

// annotate draws a box, a circle or an arrow at a part of a picture, or fills the part with a plate of text.
func annotate(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	area, err := toolbox.Need[quantity.Area](c, "part")
	if err != nil {
		return edited{}, err
	}
	part, ok := area.Of(p.Info.Width, p.Info.Height)
	if !ok {
		return edited{}, refusal("That part lies outside of the picture, which has %d × %d pixels.", p.Info.Width, p.Info.Height)
	}
	label := strings.Trim(oneLine(clean(c.Text("label"))), `"'“”`)
	if utf8.RuneCountInString(label) > maxLabel {
		return edited{}, refusal("That is too much text for a picture; at most %d letters can be written.", maxLabel)
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
	at := image.Pt(part.Min.X, part.Min.Y) // of the label
	switch shape {
	case "arrow":
		tail := arrowTail(p.Image.Rect, middle)
		arrow(d, tail, middle, width, ink)
		at = image.Pt(int(tail.X), int(tail.Y))
	case "circle":
		radiusX, radiusY := max((x1-x0-width)/2, width/2), max((y1-y0-width)/2, width/2)
		d.Ring(middle, radiusX, radiusY, width, ink)
	case "dot":
		d.Disc(middle, max(2*width, 4), ink)
		at = image.Pt(int(middle.X+3*width), int(middle.Y))
	default:
		drawFrame(p.Image, part, int(width), ink)
	}
	if label != "" {
		box := plan.Box{Label: label, XMin: at.X, YMin: at.Y, XMax: part.Max.X, YMax: part.Max.Y}
		if err := drawLabel(ctx, p.Image, box, plate(ink), max(12, float64(max(p.Info.Width, p.Info.Height))/35)); err != nil {
			return edited{}, err
		}
	}
	r := edited{img: p.Image, about: plan.Say("with a mark on it")}
	if !writable(label) {
		r.note = plan.Say("Some of the letters are not in the font at hand and appear as boxes.")
	}
	return r, nil
}

// plate is the ground of a label in white letters: the colour of its mark, or black if that is bright.
func plate(c color.NRGBA) color.NRGBA {
	if 299*int(c.R)+587*int(c.G)+114*int(c.B) > 160_000 {
		return color.NRGBA{A: 255}
	}
	return c
}

// arrowTail is where an arrow begins that points at a place: towards the middle of the picture, or above
// the place if that is in the middle.
func arrowTail(picture image.Rectangle, tip canvas.Point) canvas.Point {
	w, h := float64(picture.Dx()), float64(picture.Dy())
	length := min(w, h) * 0.3
	dx, dy := w/2-tip.X, h/2-tip.Y
	if far := math.Hypot(dx, dy); far > min(w, h)*0.05 {
		return canvas.Point{X: tip.X + dx/far*length, Y: tip.Y + dy/far*length}
	}
	return canvas.Point{X: tip.X - length*0.7, Y: tip.Y - length*0.7}
}

// arrow draws an arrow with a head of three line widths.
func arrow(d canvas.Canvas, tail, tip canvas.Point, width float64, ink color.NRGBA) {
	length := math.Hypot(tip.X-tail.X, tip.Y-tail.Y)
	dx, dy := (tip.X-tail.X)/length, (tip.Y-tail.Y)/length
	head := min(4*width, length)
	neck := canvas.Point{X: tip.X - dx*head, Y: tip.Y - dy*head}
	d.Line([]canvas.Point{tail, neck}, width, ink)
	d.Polygon([]canvas.Point{tip, {X: neck.X - dy*head*0.6, Y: neck.Y + dx*head*0.6}, {X: neck.X + dy*head*0.6, Y: neck.Y - dx*head*0.6}}, ink)
}

// meme writes capitals at the top and the bottom of a picture, as large as its width allows.
func meme(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	top, bottom := strings.TrimSpace(clean(c.Text("top"))), strings.TrimSpace(clean(c.Text("bottom")))
	if bottom == "" {
		for _, mark := range []string{"\n", " / ", "|"} {
			if upper, lower, ok := strings.Cut(top, mark); ok {
				top, bottom = upper, lower
				break
			}
		}
	}
	lines := [2]string{}
	for i, s := range []string{top, bottom} {
		lines[i] = strings.ToUpper(strings.Trim(oneLine(s), `"'“”`))
		if utf8.RuneCountInString(s) > maxCaption {
			return edited{}, refusal("That is too much text for a picture; at most %d letters can be written.", maxCaption)
		}
	}
	if !strings.ContainsFunc(lines[0]+lines[1], visible) {
		return edited{}, refusal("It does not say which words to write; put them into quotation marks.")
	}
	w, h := p.Info.Width, p.Info.Height
	inner := p.Image.Rect.Inset(max(1, min(w, h)/30))
	for i, words := range lines {
		if words == "" {
			continue
		}
		size := max(8, float64(h)/6)
		text, err := setText(words, inner.Dx(), inner.Dy()/3, size, min(size, 6))
		switch {
		case err != nil:
			return edited{}, &plan.Fault{Sentence: plan.Say("The text cannot be drawn."), Err: err}
		case text.width() > inner.Dx() || text.height() > inner.Dy()/2:
			return edited{}, problem("The text is too long for a picture of %d × %d pixels; make the text shorter or the picture larger.", w, h)
		}
		box := quantity.Anchor{Y: 2*i - 1}.In(inner, text.width(), text.height())
		if err := text.draw(ctx, p.Image, box, 0, color.White, color.Black, max(1, int(text.size/12))); err != nil {
			return edited{}, err
		}
	}
	r := edited{img: p.Image, about: plan.Say("with the words “%s”", strings.TrimSpace(lines[0]+" "+lines[1]))}
	if !writable(lines[0] + lines[1]) {
		r.note = plan.Say("Some of the letters are not in the font at hand and appear as boxes.")
	}
	return r, nil
}
