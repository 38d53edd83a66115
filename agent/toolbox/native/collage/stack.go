package collage

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/canvas"
	"atelier/agent/toolbox/native/lettering"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/prose"
)

// stack puts one picture above the other. Both become as wide as the wider one.
func (o operations) stack(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	args := []string{"first", "second"}
	names := labels(c, slices.Concat(c.Args[args[0]], c.Args[args[1]]))
	if way, _ := toolbox.Param[string](c, "way"); way == "below" {
		slices.Reverse(args)
		if len(names) == 2 {
			slices.Reverse(names)
		}
	}
	var ps []media.Picture
	wide, photos := 0, true
	for _, arg := range args {
		p, err := picture.Read(ctx, c, arg, o.limits)
		if err != nil {
			return toolbox.Output{}, err
		}
		ps = append(ps, p)
		wide, photos = max(wide, p.Info.Width), photos && p.Info.MIME == "image/jpeg"
	}
	heights := []int{heightAt(ps[0], wide), heightAt(ps[1], wide)}
	if err := picture.CheckSize(wide, heights[0]+heights[1], o.limits); err != nil {
		return toolbox.Output{}, err
	}
	sheet := image.NewNRGBA(image.Rect(0, 0, wide, heights[0]+heights[1]))
	top := 0
	for i, p := range ps {
		img, err := media.Scaled(ctx, p.Image, wide, heights[i])
		if err != nil {
			return toolbox.Output{}, err
		}
		at := image.Rect(0, top, wide, top+heights[i])
		draw.Draw(sheet, at, img, image.Point{}, draw.Src)
		if i < len(names) {
			if err := writeOn(sheet, at, names[i]); err != nil {
				return toolbox.Output{}, err
			}
		}
		top += heights[i]
	}
	r := picture.Edited{Image: sheet, Format: formatOf(photos), About: picture.Dimensions(sheet), Note: lettering.Missing(strings.Join(names, ""))}
	r.Note = plan.Sentences(r.Note, ps[0].Info.LeftOut(), ps[1].Info.LeftOut())
	return picture.Save(ctx, c, 0, media.Picture{}, r)
}

// heightAt returns the height of a picture that is scaled to that width.
func heightAt(p media.Picture, wide int) int {
	return max(1, (p.Info.Height*wide+p.Info.Width/2)/p.Info.Width)
}

// writeOn writes a label on a dark ground into the top left corner of a part of the sheet.
func writeOn(sheet *image.NRGBA, at image.Rectangle, label string) error {
	size := max(12, float64(at.Dx())/24)
	letters, err := canvas.NewLetters(canvas.Bold, size)
	if err != nil {
		return &plan.Fault{Sentence: plan.Say("The labels cannot be drawn."), Err: err}
	}
	left, top, rim := size/2, float64(at.Min.Y)+size/2, size/3
	label = letters.Shorten(prose.OneLine(label), float64(at.Dx())-2*(left+rim))
	width, height := letters.Width(label), size*1.1
	on := canvas.Canvas{NRGBA: sheet}
	on.Box(left, top, left+width+2*rim, top+height+2*rim, color.NRGBA{A: 153})
	on.Write(letters, label, left+rim, top+rim+height/2, 0, color.White)
	return nil
}
