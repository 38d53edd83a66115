package drawing

import (
	"context"
	"image/color"
	"strings"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/lettering"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/prose"
	"atelier/agent/toolbox/quantity"
)

// meme writes text in capitals at the top and bottom of a picture, as large as fits.
func meme(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	top, bottom := strings.TrimSpace(prose.Clean(c.Text("top"))), strings.TrimSpace(prose.Clean(c.Text("bottom")))
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
		lines[i] = strings.ToUpper(strings.Trim(prose.OneLine(s), `"'“”`))
		if utf8.RuneCountInString(s) > lettering.Most {
			return picture.Edited{}, plan.Refusal("That is too much text for a picture; at most %d characters can be written.", lettering.Most)
		}
	}
	if !strings.ContainsFunc(lines[0]+lines[1], lettering.Visible) {
		return picture.Edited{}, plan.Refusal("Please say which words to write; put them in quotation marks.")
	}
	w, h := p.Info.Width, p.Info.Height
	inner := p.Image.Rect.Inset(max(1, min(w, h)/30))
	for i, words := range lines {
		if words == "" {
			continue
		}
		size := max(8, float64(h)/6)
		text, err := lettering.Set(words, inner.Dx(), inner.Dy()/3, size, min(size, 6))
		switch {
		case err != nil:
			return picture.Edited{}, &plan.Fault{Sentence: plan.Say("The text cannot be drawn."), Err: err}
		case text.Width() > inner.Dx() || text.Height() > inner.Dy()/2:
			return picture.Edited{}, operation.Problem(
				"The text is too long for a picture of %d × %d pixels; make the text shorter or the picture larger.", w, h)
		}
		box := quantity.Anchor{Y: 2*i - 1}.In(inner, text.Width(), text.Height())
		if err := text.Draw(ctx, p.Image, box, 0, color.White, color.Black, max(1, int(text.Size/12))); err != nil {
			return picture.Edited{}, err
		}
	}
	about := plan.Say("with the words “%s”", strings.TrimSpace(lines[0]+" "+lines[1]))
	return picture.Edited{Image: p.Image, About: about, Note: lettering.Missing(lines[0] + lines[1])}, nil
}
