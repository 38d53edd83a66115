package localai

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// segment cuts out all objects that the model detects.
func (o *objects) segment(ctx context.Context, j job) (toolbox.Output, error) {
	s, err := o.send(ctx, j, pictureSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	all, err := o.detections(ctx, j, s, detectionRequest{})
	if err != nil {
		return toolbox.Output{}, err
	}
	return o.masked(ctx, j, s, all)
}

// segmentByPoints cuts out the object at the marked points.
func (o *objects) segmentByPoints(ctx context.Context, j job) (toolbox.Output, error) {
	var points []plan.Point
	for _, v := range j.Args["points"] {
		ps, err := plan.DecodeValue[plan.Point](v.Resource)
		if err != nil {
			return toolbox.Output{}, fault(err, "The marked points cannot be read; please mark them again.")
		}
		points = append(points, ps...)
	}
	s, err := o.send(ctx, j, pictureSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	var asked []int
	included := 0
	for _, p := range points {
		if !image.Pt(p.X, p.Y).In(image.Rectangle{Max: s.full}) {
			return toolbox.Output{}, fault(nil, "The point (%d, %d) is outside the picture, which has %d × %d pixels.", p.X, p.Y, s.full.X, s.full.Y)
		}
		label := 0
		if !p.Exclude {
			label = 1
			included++
		}
		asked = append(asked, p.X*s.size.X/s.full.X, p.Y*s.size.Y/s.full.Y, label)
	}
	if included == 0 {
		return toolbox.Output{}, fault(nil, "Please mark at least one point on the object itself.")
	}
	return o.best(ctx, j, s, detectionRequest{Points: asked}, func(m *media.Mask) float64 {
		hits := 0
		for _, p := range points {
			if (m.At(p.X, p.Y) != 0) != p.Exclude {
				hits++
			}
		}
		return float64(hits) / float64(len(points))
	})
}

// segmentByMask cuts out the object under a rough mask.
func (o *objects) segmentByMask(ctx context.Context, j job) (toolbox.Output, error) {
	path, err := j.fileOf("mask")
	if err != nil {
		return toolbox.Output{}, err
	}
	rough, err := o.readMask(ctx, path)
	if err != nil {
		return toolbox.Output{}, err
	}
	s, err := o.send(ctx, j, pictureSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	covered := coveredBy(rough)
	if covered.Empty() {
		return toolbox.Output{}, fault(nil, "The mask covers nothing, so there is nothing to cut out.")
	}
	box := scaled(covered, image.Pt(rough.Width, rough.Height), s.size)
	return o.best(ctx, j, s, detectionRequest{Boxes: []int{box.Min.X, box.Min.Y, box.Max.X, box.Max.Y}}, func(m *media.Mask) float64 {
		return overlap(m, rough)
	})
}

// readMask reads the mask that the user gave.
func (srv *server) readMask(ctx context.Context, path string) (*media.Mask, error) {
	leave, err := srv.limits.Memory.Take(ctx, media.Weigh(path, srv.limits).Bytes(8))
	if err != nil {
		return nil, err
	}
	defer leave()
	return media.ReadMask(ctx, path, srv.limits)
}

// best returns the detected mask with the highest fit, the one with the higher score if two fit equally.
func (o *objects) best(ctx context.Context, j job, s sent, r detectionRequest, fit func(*media.Mask) float64) (toolbox.Output, error) {
	all, err := o.detections(ctx, j, s, r)
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, err := o.limits.Memory.Take(ctx, 12*int64(s.full.X)*int64(s.full.Y))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	var best *media.Mask
	most := 0.0
	for _, f := range all {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		if f.mask == nil {
			return toolbox.Output{}, o.noMasks()
		}
		m, err := o.mask(ctx, j.Dir, f.mask, s.full)
		if err != nil {
			return toolbox.Output{}, err
		}
		if now := fit(m); now > most {
			best, most = m, now
		}
	}
	if best == nil {
		return toolbox.Output{}, fault(nil, "I found nothing there that can be cut out.")
	}
	path := filepath.Join(j.Dir, "mask.png")
	if err := media.WriteMask(ctx, path, best); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: counted(1)}, nil
}

// masked returns detections as one mask with a part for each. Where parts overlap, the one with the higher
// score is on top.
func (o *objects) masked(ctx context.Context, j job, s sent, all []found) (toolbox.Output, error) {
	if len(all) == 0 {
		return toolbox.Output{}, fault(nil, "I found no objects that the model recognises.")
	}
	leave, err := o.limits.Memory.Take(ctx, 12*int64(s.full.X)*int64(s.full.Y))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	out := media.NewMask(s.full.X, s.full.Y, len(all))
	parts := make([]plan.Part, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].mask == nil {
			return toolbox.Output{}, o.noMasks()
		}
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		m, err := o.mask(ctx, j.Dir, all[i].mask, s.full)
		if err != nil {
			return toolbox.Output{}, err
		}
		for at, p := range m.Index {
			if p != 0 {
				out.Index[at] = uint8(i + 1) //nolint:gosec // at most maxFound
			}
		}
		parts[i] = plan.Part{Label: all[i].Label, Score: all[i].Score}
	}
	value, err := plan.EncodeValue(parts)
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(j.Dir, "mask.png")
	if err := media.WriteMask(ctx, path, out); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, Value: value, About: counted(len(all))}, nil
}

func (o *objects) noMasks() error {
	return badAnswer(errors.New("a detection has no mask"),
		"The model found only boxes, not outlines; the operator can set up a segmentation model.")
}

// mask decodes a mask from the server and scales it to the size of the picture.
func (o *objects) mask(ctx context.Context, dir string, content []byte, size image.Point) (*media.Mask, error) {
	m, err := media.ReadContent(ctx, dir, content, o.limits, media.ReadMask, func(err error) error {
		return badAnswer(err, "The LocalAI server sent a mask that cannot be read.")
	})
	if err != nil {
		return nil, err
	}
	if off := float64(m.Width)*float64(size.Y)/(float64(m.Height)*float64(size.X)) - 1; off > 0.1 || off < -0.1 {
		err := fmt.Errorf("the mask has %d × %d pixels, but the picture has %d × %d", m.Width, m.Height, size.X, size.Y)
		return nil, badAnswer(err, "The LocalAI server sent a mask that does not fit the picture.")
	}
	out := media.NewMask(size.X, size.Y, 1)
	for y := range size.Y {
		for x := range size.X {
			if m.At(x*m.Width/size.X, y*m.Height/size.Y) != 0 {
				out.Index[y*size.X+x] = 1
			}
		}
	}
	return out, nil
}

// coveredBy returns the bounding box of a mask.
func coveredBy(m *media.Mask) image.Rectangle {
	var r image.Rectangle
	for y := range m.Height {
		for x := range m.Width {
			if m.At(x, y) != 0 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// scaled converts a rectangle between two sizes of a picture, rounding outwards.
func scaled(r image.Rectangle, from, to image.Point) image.Rectangle {
	low := func(v, from, to int) int { return v * to / from }
	high := func(v, from, to int) int { return (v*to + from - 1) / from }
	return image.Rect(low(r.Min.X, from.X, to.X), low(r.Min.Y, from.Y, to.Y), high(r.Max.X, from.X, to.X), high(r.Max.Y, from.Y, to.Y))
}

// overlap returns the intersection over union of two masks, from 0 to 1.
func overlap(m, rough *media.Mask) float64 {
	both, either := 0, 0
	for y := range m.Height {
		for x := range m.Width {
			a, b := m.At(x, y) != 0, rough.At(x*rough.Width/m.Width, y*rough.Height/m.Height) != 0
			if a && b {
				both++
			}
			if a || b {
				either++
			}
		}
	}
	if either == 0 {
		return 0
	}
	return float64(both) / float64(either)
}
