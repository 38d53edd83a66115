package native

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/kovidgoyal/imaging"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/quantity"
)

// maxBoxes is the most boxes that are cropped or drawn in one go.
const maxBoxes = 100

// boxes reads the argument "bbox" and clips each box to the picture.
func boxes(c toolbox.Call, on image.Rectangle) ([]plan.Box, error) {
	var all []plan.Box
	for _, v := range c.Args["bbox"] {
		found, err := plan.DecodeValue[plan.Box](v.Resource)
		if err != nil {
			return nil, &plan.Fault{Sentence: plan.Say("The boxes cannot be read."), Err: err}
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, problem("Nothing was found or marked on the picture.")
	}
	var kept []plan.Box
	for _, b := range all[:min(len(all), maxBoxes)] {
		r := image.Rectangle{Min: image.Pt(b.XMin, b.YMin), Max: image.Pt(b.XMax, b.YMax)}.Intersect(on)
		if r.Empty() {
			continue
		}
		b.XMin, b.YMin, b.XMax, b.YMax = r.Min.X, r.Min.Y, r.Max.X, r.Max.Y
		kept = append(kept, b)
	}
	if len(kept) == 0 {
		return nil, problem("The box lies outside of the picture, which has %d × %d pixels.", on.Dx(), on.Dy())
	}
	return kept, nil
}

func rectangle(b plan.Box) image.Rectangle { return image.Rect(b.XMin, b.YMin, b.XMax, b.YMax) }

// cropBoxes crops the picture to each box.
func (n *Native) cropBoxes(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := n.picture(ctx, c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	bs, err := boxes(c, p.Image.Rect)
	if err != nil {
		return toolbox.Output{}, err
	}
	var outs []toolbox.Output
	for i, b := range bs {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		what := plan.Say("the marked part")
		if label := strings.TrimSpace(b.Label); label != "" {
			what = plan.Quote(label)
		}
		out, err := save(ctx, c, i, p, edited{img: imaging.Crop(p.Image, rectangle(b)), about: what})
		if err != nil {
			return toolbox.Output{}, err
		}
		outs = append(outs, out)
	}
	return collect(outs)
}

func cropRegion(_ context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	area, err := toolbox.Need[quantity.Area](c, "region")
	if err != nil {
		return edited{}, err
	}
	r, ok := area.Of(p.Info.Width, p.Info.Height)
	if !ok {
		return edited{}, refusal("That part lies outside of the picture, which has %s.", dimensions(p.Image))
	}
	img := imaging.Crop(p.Image, r)
	return edited{img: img, about: plan.Say("cropped to %s", dimensions(img))}, nil
}

// maskImage keeps what the mask covers and makes the rest transparent.
func (n *Native) maskImage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := n.picture(ctx, c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	path, err := file(c, "mask")
	if err != nil {
		return toolbox.Output{}, err
	}
	m, err := media.ReadMask(ctx, path, n.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	w, h := p.Info.Width, p.Info.Height
	if !sameShape(m.Width, m.Height, w, h) {
		return toolbox.Output{}, problem("The mask does not fit the picture: it has %d × %d pixels, the picture %d × %d.", m.Width, m.Height, w, h)
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
		return toolbox.Output{}, problem("The mask covers nothing of the picture, so nothing would be left of it.")
	}
	return save(ctx, c, 0, p, edited{img: p.Image, format: media.PNG, about: plan.Say("cut-out")})
}

// maskFromBoxes makes a mask that covers just the boxes.
func (n *Native) maskFromBoxes(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := n.picture(ctx, c, "image")
	if err != nil {
		return toolbox.Output{}, err
	}
	bs, err := boxes(c, p.Image.Rect)
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
