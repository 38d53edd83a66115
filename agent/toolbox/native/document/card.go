package document

import (
	"context"
	"image"
	"image/color"
	"strings"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/lettering"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/param"
)

// The size of a card.
const (
	cardArea = 1280 * 720 // pixels
	cardSide = 2000
)

// textCard draws a text in the middle of a plain background.
func textCard(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	words := strings.Trim(strings.TrimSpace(prose.Clean(c.Text("text"))), `"“”`)
	switch {
	case !strings.ContainsFunc(words, lettering.Visible):
		return toolbox.Output{}, plan.Refusal("Please say which words to write; put them in quotation marks.")
	case utf8.RuneCountInString(words) > lettering.Most:
		return toolbox.Output{}, plan.Refusal("That is too much text for a picture; at most %d characters can be written.", lettering.Most)
	}
	shape, ok := toolbox.Param[param.Ratio](c, "shape")
	if !ok {
		shape = param.Ratio{Width: 16, Height: 9}
	}
	ground, ok := toolbox.Param[color.NRGBA](c, "colour")
	if !ok {
		ground = color.NRGBA{15, 23, 42, 255}
	}
	ink := color.NRGBA{255, 255, 255, 255}
	if lettering.Plate(ground) != ground || ground.A < 128 { // bright background
		ink = color.NRGBA{17, 24, 39, 255}
	}
	size := cardSize(shape)
	d := canvas.New(size.X, size.Y, ground)
	inner := d.Rect.Inset(min(size.X, size.Y) / 10)
	text, err := lettering.Set(words, inner.Dx(), inner.Dy(), float64(size.Y)/6, 12)
	switch {
	case err != nil:
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The text cannot be drawn."), Err: err}
	case text.Width() > inner.Dx() || text.Height() > inner.Dy():
		return toolbox.Output{}, operation.Problem(
			"The text is too long for a picture of %d × %d pixels; make the text shorter or the picture larger.", size.X, size.Y)
	}
	top := inner.Min.Y + (inner.Dy()-text.Height())/2
	box := image.Rect(inner.Min.X, top, inner.Max.X, top+text.Height())
	if err := text.Draw(ctx, d.NRGBA, box, 0, ink, ink, 0); err != nil {
		return toolbox.Output{}, err
	}
	r := picture.Edited{Image: d.NRGBA, Format: media.PNG, About: plan.Say("a card with the words “%s”", prose.OneLine(words)), Note: lettering.Missing(words)}
	return picture.Save(ctx, c, 0, media.Picture{}, r)
}

// cardSize returns the size of a card with the given aspect ratio, with even sides.
func cardSize(shape param.Ratio) image.Point {
	ratio := min(max(shape.Width/shape.Height, 0.25), 4)
	width := cardSide
	for width > 2 && float64(width)*float64(width)/ratio > cardArea {
		width -= 2
	}
	return image.Pt(width, int(float64(width)/ratio)/2*2)
}
