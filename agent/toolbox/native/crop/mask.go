package crop

import (
	"context"
	"fmt"
	"path/filepath"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
)

// maskImage keeps the masked area and makes the rest transparent.
func (o operations) maskImage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	stencil, err := picture.Stencil(ctx, c, p.Info, o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	for y := range p.Info.Height {
		row := p.Image.Pix[y*p.Image.Stride:]
		for x, v := range stencil.Pix[y*stencil.Stride:][:p.Info.Width] {
			if v == 0 {
				clear(row[4*x : 4*x+4])
			}
		}
	}
	return picture.Save(ctx, c, 0, p, picture.Edited{Image: p.Image, Format: media.PNG, About: plan.Say("cut-out")})
}

// maskFromBoxes makes a mask that covers exactly the boxes.
func (o operations) maskFromBoxes(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	bs, err := picture.Boxes(c, p.Image.Rect)
	if err != nil {
		return toolbox.Output{}, err
	}
	m := media.NewMask(p.Info.Width, p.Info.Height, 1)
	for _, b := range bs {
		for y := b.YMin; y < b.YMax; y++ {
			row := m.Index[y*m.Width:]
			for x := b.XMin; x < b.XMax; x++ {
				row[x] = 1
			}
		}
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "mask.png"), About: plan.Say("mask of the boxes")}
	if err := media.WriteMask(ctx, out.Path, m); err != nil {
		return toolbox.Output{}, fmt.Errorf("write the mask: %w", err)
	}
	return out, nil
}
