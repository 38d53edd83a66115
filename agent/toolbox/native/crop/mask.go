package crop

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// maskImage keeps what the mask covers and makes the rest transparent.
func (o operations) maskImage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	path, err := operation.File(c, "mask")
	if err != nil {
		return toolbox.Output{}, err
	}
	m, err := media.ReadMask(ctx, path, o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	w, h := p.Info.Width, p.Info.Height
	if !sameShape(m.Width, m.Height, w, h) {
		return toolbox.Output{}, operation.Problem("The mask does not fit the picture: it has %d × %d pixels, the picture %d × %d.", m.Width, m.Height, w, h)
	}
	var covered atomic.Bool
	err = media.InBands(ctx, h, media.BandRows(w), func(from, to int) {
		for y := from; y < to; y++ {
			row := p.Image.Pix[y*p.Image.Stride:]
			for x := range w {
				if m.At((2*x+1)*m.Width/(2*w), (2*y+1)*m.Height/(2*h)) == 0 {
					clear(row[4*x : 4*x+4])
				} else if !covered.Load() {
					covered.Store(true)
				}
			}
		}
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	if !covered.Load() {
		return toolbox.Output{}, operation.Problem("The mask covers nothing of the picture, so nothing would be left of it.")
	}
	return picture.Save(ctx, c, 0, p, picture.Edited{Image: p.Image, Format: media.PNG, About: plan.Say("cut-out")})
}

// maskFromBoxes makes a mask that covers just the boxes.
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

// sameShape tells whether two sizes differ only by scaling and rounding: models work on
// smaller copies, whose sides are rounded to whole pixels.
func sameShape(w1, h1, w2, h2 int) bool {
	near := func(a, b int) bool { return a-b <= max(2, b/100) && b-a <= max(2, b/100) }
	return near(w1*h2/max(h1, 1), w2) && near(h1*w2/max(w1, 1), h2)
}
