package filter

import (
	"context"
	"image"
	"image/color"
	"image/draw"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/native/vision"
	"atelier/agent/toolbox/quantity"
)

func toEdges(ctx context.Context, p media.Picture, _ toolbox.Call) (picture.Edited, error) {
	img, err := vision.Edges(ctx, p.Image)
	if err != nil {
		return picture.Edited{}, media.Stopped(ctx)
	}
	return picture.Edited{Image: img, Format: media.PNG, About: plan.Say("edge map")}, nil
}

// lineSide is the longer side of the copy on which lines are detected: more pixels cost much more and
// find no more lines.
const lineSide = 1280

func toLines(ctx context.Context, p media.Picture, _ toolbox.Call) (picture.Edited, error) {
	w, h := p.Info.Width, p.Info.Height
	f := min(1, lineSide/float64(max(w, h)))
	sw, sh := quantity.Sizing{Factor: f}.Of(w, h)
	small, err := media.Scaled(ctx, p.Image, sw, sh)
	if err != nil {
		return picture.Edited{}, err
	}
	segments, err := vision.Segments(ctx, small)
	if err != nil {
		return picture.Edited{}, media.Stopped(ctx)
	}
	out := image.NewGray(p.Image.Rect)
	brush := max(1, max(w, h)/600)
	at := func(q image.Point) image.Point { // maps pixel centres to pixel centres
		return image.Pt((2*q.X+1)*w/(2*sw), (2*q.Y+1)*h/(2*sh))
	}
	for _, s := range segments {
		if err := media.Stopped(ctx); err != nil {
			return picture.Edited{}, err
		}
		drawLine(out, at(s.A), at(s.B), brush, color.White)
	}
	r := picture.Edited{Image: out, Format: media.PNG, About: plan.Say("line map with %d straight lines", len(segments))}
	if len(segments) == 0 {
		r.Note = plan.Say("There are no straight lines in the picture.")
	}
	return r, nil
}

// drawLine draws with a square brush of the given size (Bresenham).
func drawLine(dst draw.Image, a, b image.Point, brush int, c color.Color) {
	ink := image.NewUniform(c)
	dx, dy := b.X-a.X, b.Y-a.Y
	sx, sy := 1, 1
	if dx < 0 {
		dx, sx = -dx, -1
	}
	if dy < 0 {
		dy, sy = -dy, -1
	}
	for off := dx - dy; ; {
		corner := image.Pt(a.X-(brush-1)/2, a.Y-(brush-1)/2)
		draw.Draw(dst, image.Rectangle{Min: corner, Max: corner.Add(image.Pt(brush, brush))}, ink, image.Point{}, draw.Src)
		if a == b {
			return
		}
		twice := 2 * off
		if twice >= -dy {
			off -= dy
			a.X += sx
		}
		if twice <= dx {
			off += dx
			a.Y += sy
		}
	}
}

func toNormals(ctx context.Context, p media.Picture, _ toolbox.Call) (picture.Edited, error) {
	img, err := vision.Normals(ctx, p.Image)
	if err != nil {
		return picture.Edited{}, media.Stopped(ctx)
	}
	return picture.Edited{Image: img, Format: media.PNG, About: plan.Say("normal map")}, nil
}
