// Package drawing writes on pictures and marks parts of them.
package drawing

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"unicode/utf8"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/math/f64"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/lettering"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/native/selection"
	"atelier/agent/toolbox/quantity"
)

// textSizes maps a text size to its factor of the default height.
var textSizes = map[string]float64{"small": 0.6, "large": 1.8}

// addText writes an outlined caption: once, across the picture from corner to corner, or all over it. By
// default it is a tenth of the picture high; long captions are smaller.
func addText(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	caption := strings.TrimSpace(prose.Clean(c.Text("caption")))
	switch {
	case !strings.ContainsFunc(caption, lettering.Visible):
		return picture.Edited{}, plan.Refusal("Please say which words to write; put them in quotation marks.")
	case utf8.RuneCountInString(caption) > lettering.Most:
		return picture.Edited{}, plan.Refusal("That is too much text for a picture; at most %d characters can be written.", lettering.Most)
	}
	anchor := quantity.Anchor{Y: 1}
	if at, ok := toolbox.Param[quantity.Anchor](c, "place"); ok {
		anchor = at
	}
	w, h := p.Info.Width, p.Info.Height
	margin := max(1, min(w, h)/25)
	inner := p.Image.Rect.Inset(margin)
	if inner.Dx() < 24 || inner.Dy() < 12 {
		return picture.Edited{}, operation.Problem("The picture has only %d × %d pixels, which is too small to write on.", w, h)
	}
	room := inner.Dx()
	if anchor.X != 0 { // in a corner, the text takes two thirds of the width
		room = room * 2 / 3
	}
	size, _ := toolbox.Param[string](c, "text_size")
	most := max(8, min(float64(h)/10, float64(w)/14)*cmp.Or(textSizes[size], 1))
	layout, _ := toolbox.Param[string](c, "layout")
	switch layout {
	case "diagonal":
		anchor, room, most = quantity.Anchor{}, int(math.Hypot(float64(w), float64(h))*0.75), 2*most
	case "repeated":
		most *= 0.6
	}
	text, err := lettering.Set(caption, room, inner.Dy()*2/3, most, min(most, 6))
	if err != nil {
		return picture.Edited{}, &plan.Fault{Sentence: plan.Say("The text cannot be drawn."), Err: err}
	}
	if layout != "diagonal" && (text.Width() > inner.Dx() || text.Height() > inner.Dy()) {
		return picture.Edited{}, operation.Problem("The text is too long for a picture of %d × %d pixels; make the text shorter or the picture larger.", w, h)
	}
	words, err := written(ctx, text, anchor.X, c)
	if err != nil {
		return picture.Edited{}, err
	}
	box := anchor.In(inner, text.Width(), text.Height())
	middle := box.Min.Add(box.Max).Div(2)
	opacity, ok := toolbox.Param[float64](c, "opacity")
	if !ok {
		opacity = 1
	}
	switch layout {
	case "diagonal":
		lay(p.Image, words, middle, math.Atan2(float64(h), float64(w)), opacity)
	case "repeated":
		const slope = math.Pi / 6
		apart := image.Pt(words.Rect.Dx()*3/2, words.Rect.Dy()*3)
		for y, row := 0, 0; y <= h+apart.Y; y, row = y+apart.Y, row+1 {
			for x := row % 2 * apart.X / 2; x <= w+apart.X; x += apart.X {
				if err := media.Stopped(ctx); err != nil {
					return picture.Edited{}, err
				}
				lay(p.Image, words, image.Pt(x, y), slope, opacity)
			}
		}
	default:
		lay(p.Image, words, middle, 0, opacity)
	}
	return picture.Edited{Image: p.Image, About: plan.Say("with the words “%s”", caption), Note: lettering.Missing(caption)}, nil
}

// written returns the words with their outline on a transparent ground, or on a box if one is wanted.
func written(ctx context.Context, text lettering.Text, align int, c toolbox.Call) (*image.NRGBA, error) {
	ink := color.NRGBA{255, 255, 255, 255}
	if chosen, ok := toolbox.Param[color.NRGBA](c, "colour"); ok {
		ink = chosen
	}
	border := max(1, int(text.Size/14))
	rim := outlineOf(ink)
	padding := 2 * border // room for the outline
	ground, boxed := toolbox.Param[color.NRGBA](c, "box")
	if boxed {
		padding, rim = int(text.Size/3), ground
	}
	if chosen, ok := toolbox.Param[color.NRGBA](c, "outline"); ok {
		rim = chosen
	}
	area := image.Rect(0, 0, text.Width(), text.Height())
	words := image.NewNRGBA(area.Inset(-padding))
	if boxed {
		draw.Draw(words, words.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	}
	return words, text.Draw(ctx, words, area, align, ink, rim, border)
}

// lay draws a layer on a picture, centred on a point and rotated counterclockwise by an angle in radians.
func lay(on, layer *image.NRGBA, middle image.Point, angle, opacity float64) {
	mask := image.NewUniform(color.Alpha16{A: uint16(math.Round(opacity * 0xffff))})
	centre := layer.Rect.Min.Add(layer.Rect.Max).Div(2)
	if angle == 0 {
		draw.DrawMask(on, layer.Rect.Add(middle.Sub(centre)), layer, layer.Rect.Min, mask, image.Point{}, draw.Over)
		return
	}
	sin, cos := math.Sincos(angle)
	x, y := float64(centre.X), float64(centre.Y)
	xdraw.BiLinear.Transform(on, f64.Aff3{
		cos, sin, float64(middle.X) - cos*x - sin*y,
		-sin, cos, float64(middle.Y) + sin*x - cos*y,
	}, layer, layer.Rect, xdraw.Over, &xdraw.Options{SrcMask: mask})
}

// outlineOf returns black for light letters, white for dark ones.
func outlineOf(ink color.NRGBA) color.NRGBA {
	if canvas.Brightness(ink) > 96_000 {
		return color.NRGBA{A: 255}
	}
	return color.NRGBA{255, 255, 255, 255}
}

// frameColours distinguish boxes; they repeat after the last.
var frameColours = []color.NRGBA{
	{230, 25, 75, 255}, {60, 180, 75, 255}, {0, 130, 200, 255}, {245, 130, 48, 255},
	{145, 30, 180, 255}, {0, 160, 160, 255}, {240, 50, 230, 255}, {170, 110, 40, 255},
}

// highlight draws a labelled frame around every box.
func highlight(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	bs, err := picture.Boxes(c, p.Image.Rect)
	if err != nil {
		return picture.Edited{}, err
	}
	out := p.Image
	long := max(p.Info.Width, p.Info.Height)
	ink, told := toolbox.Param[color.NRGBA](c, "colour")
	frame := drawFrame
	if shape, _ := toolbox.Param[string](c, "shape"); shape == "circle" {
		frame = drawEllipse
	}
	read, thick := selection.IsRead(bs), max(2, long/250)
	for i, b := range bs {
		colour := frameColours[i%len(frameColours)]
		if told {
			colour = ink
		}
		if read { // recognized text stays readable and needs no label
			frame(out, picture.Rectangle(b).Inset(-2*thick).Intersect(out.Rect), thick, colour)
			continue
		}
		frame(out, picture.Rectangle(b), thick, colour)
		if err := drawLabel(ctx, out, b, colour, max(10, float64(long)/45)); err != nil {
			return picture.Edited{}, err
		}
	}
	about := operation.OneOrMany(len(bs), plan.Say("one box on it"), plan.Say("%d boxes on it", len(bs)))
	return picture.Edited{Image: out, About: about}, nil
}

// drawFrame draws a frame of the given thickness inside the rectangle.
func drawFrame(dst *image.NRGBA, r image.Rectangle, thick int, c color.NRGBA) {
	thickX, thickY := min(thick, r.Dx()), min(thick, r.Dy())
	picture.Fill(dst, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+thickY), c)
	picture.Fill(dst, image.Rect(r.Min.X, r.Max.Y-thickY, r.Max.X, r.Max.Y), c)
	picture.Fill(dst, image.Rect(r.Min.X, r.Min.Y, r.Min.X+thickX, r.Max.Y), c)
	picture.Fill(dst, image.Rect(r.Max.X-thickX, r.Min.Y, r.Max.X, r.Max.Y), c)
}

// drawEllipse draws an ellipse of that line width around the rectangle.
func drawEllipse(dst *image.NRGBA, r image.Rectangle, thick int, c color.NRGBA) {
	x, y := float64(r.Min.X+r.Max.X)/2, float64(r.Min.Y+r.Max.Y)/2
	// The corners of the rectangle lie on it.
	width, height := float64(r.Dx())/math.Sqrt2, float64(r.Dy())/math.Sqrt2
	inside := func(px, py int, more float64) bool {
		dx, dy := (float64(px)+0.5-x)/(width+more), (float64(py)+0.5-y)/(height+more)
		return dx*dx+dy*dy <= 1
	}
	around := image.Rect(int(x-width)-thick-1, int(y-height)-thick-1, int(x+width)+thick+2, int(y+height)+thick+2).Intersect(dst.Rect)
	for py := around.Min.Y; py < around.Max.Y; py++ {
		for px := around.Min.X; px < around.Max.X; px++ {
			if inside(px, py, float64(thick)) && !inside(px, py, 0) {
				dst.SetNRGBA(px, py, c)
			}
		}
	}
}

// drawLabel writes the box's label and score on a plate above the box, or inside it if there is no room above.
func drawLabel(ctx context.Context, dst *image.NRGBA, b plan.Box, c color.NRGBA, size float64) error {
	label := strings.TrimSpace(b.Label)
	if label == "" {
		return nil
	}
	if r := []rune(label); len(r) > 40 {
		label = string(r[:40]) + "…"
	}
	if b.Score > 0 && b.Score <= 1 {
		label += fmt.Sprintf(" %.0f%%", 100*b.Score)
	}
	text, err := lettering.Set(label, dst.Rect.Dx(), dst.Rect.Dy(), size, 6)
	if err != nil {
		return &plan.Fault{Sentence: plan.Say("The labels cannot be drawn."), Err: err}
	}
	pad := int(size / 4)
	plate := image.Rect(0, 0, text.Width()+2*pad, text.Height())
	at := image.Pt(b.XMin, b.YMin-plate.Dy())
	if at.Y < 0 {
		at.Y = b.YMin
	}
	at.X = max(0, min(at.X, dst.Rect.Dx()-plate.Dx()))
	plate = plate.Add(at).Intersect(dst.Rect)
	picture.Fill(dst, plate, c)
	return text.Draw(ctx, dst, image.Rect(plate.Min.X+pad, plate.Min.Y, plate.Max.X, plate.Max.Y), -1, color.White, c, 0)
}
