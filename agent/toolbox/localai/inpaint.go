package localai

import (
	"context"
	"image"
	"image/draw"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// window is the area around a mask that is sent for inpainting. LocalAI draws squares of one size
// (core/http/endpoints/openai, inpainting.go), so the area is scaled to fit one, and its edge pixels fill
// the rest.
type window struct {
	part   image.Rectangle // of the picture
	inside image.Rectangle // where the part lies in the square
}

// square is the side of the picture that is sent, in pixels.
const square = 512

// windowFor returns a square around the masked area, twice its longer side, clipped to the picture.
func windowFor(covered image.Rectangle, picture image.Point) window {
	side := max(2*max(covered.Dx(), covered.Dy()), 64)
	along := func(from, to, most int) (int, int) {
		if side >= most {
			return 0, most
		}
		low := min(max((from+to)/2-side/2, 0), most-side)
		return low, low + side
	}
	x0, x1 := along(covered.Min.X, covered.Max.X, picture.X)
	y0, y1 := along(covered.Min.Y, covered.Max.Y, picture.Y)
	part := image.Rect(x0, y0, x1, y1)
	size := media.ShrunkTo(part.Size(), square)
	if longest := max(size.X, size.Y); longest < square {
		size = image.Pt(max(1, size.X*square/longest), max(1, size.Y*square/longest))
	}
	at := image.Pt((square-size.X)/2, (square-size.Y)/2)
	return window{part: part, inside: image.Rectangle{Min: at, Max: at.Add(size)}}
}

// of returns the window of a picture as a square.
func (w window) of(ctx context.Context, picture *image.NRGBA) (*image.NRGBA, error) {
	part := image.NewNRGBA(image.Rectangle{Max: w.part.Size()})
	draw.Draw(part, part.Rect, picture, w.part.Min, draw.Src)
	scaled, err := media.Scaled(ctx, part, w.inside.Dx(), w.inside.Dy())
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, square, square))
	clamp := func(v, from, to int) int { return min(max(v, from), to-1) - from }
	for y := range square {
		for x := range square {
			out.SetNRGBA(x, y, scaled.NRGBAAt(clamp(x, w.inside.Min.X, w.inside.Max.X), clamp(y, w.inside.Min.Y, w.inside.Max.Y)))
		}
	}
	return out, nil
}

// hole returns the mask of the window as a square, white where the model draws. It rounds outwards, so that
// small areas of m do not vanish.
func (w window) hole(m *media.Mask, picture image.Point) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, square, square))
	for y := w.part.Min.Y; y < w.part.Max.Y; y++ {
		for x := w.part.Min.X; x < w.part.Max.X; x++ {
			if m.At(x*m.Width/picture.X, y*m.Height/picture.Y) == 0 {
				continue
			}
			at := scaled(image.Rect(x, y, x+1, y+1).Sub(w.part.Min), w.part.Size(), w.inside.Size()).Add(w.inside.Min)
			draw.Draw(out, at, image.White, image.Point{}, draw.Src)
		}
	}
	return out
}

// put draws the answer into the picture, within the mask only.
func (w window) put(ctx context.Context, answer, picture *image.NRGBA, m *media.Mask) error {
	whole, err := media.Scaled(ctx, answer, square, square)
	if err != nil {
		return err
	}
	part := image.NewNRGBA(image.Rectangle{Max: w.inside.Size()})
	draw.Draw(part, part.Rect, whole, w.inside.Min, draw.Src)
	part, err = media.Scaled(ctx, part, w.part.Dx(), w.part.Dy())
	if err != nil {
		return err
	}
	size := picture.Rect.Size()
	for y := w.part.Min.Y; y < w.part.Max.Y; y++ {
		for x := w.part.Min.X; x < w.part.Max.X; x++ {
			if m.At(x*m.Width/size.X, y*m.Height/size.Y) != 0 {
				picture.SetNRGBA(x, y, part.NRGBAAt(x-w.part.Min.X, y-w.part.Min.Y))
			}
		}
	}
	return nil
}

// inpaint redraws the masked part of a picture.
func (ps *pictures) inpaint(ctx context.Context, j job) (toolbox.Output, error) {
	prompt := j.prompt()
	if prompt == "" {
		return toolbox.Output{}, fault(nil, "Please say what to draw there.")
	}
	path, err := j.fileOf("image")
	if err != nil {
		return toolbox.Output{}, err
	}
	masked, err := j.fileOf("mask")
	if err != nil {
		return toolbox.Output{}, err
	}
	m, err := ps.readMask(ctx, masked)
	if err != nil {
		return toolbox.Output{}, err
	}
	w, form, err := ps.hole(ctx, j, path, m)
	if err != nil {
		return toolbox.Output{}, err
	}
	form = append(form, part{name: "model", value: j.model}, part{name: "prompt", value: prompt})
	body, err := ps.postForm(ctx, "/v1/images/inpainting", j, form...)
	if err != nil {
		return toolbox.Output{}, err
	}
	leave, answer, err := ps.drawn(ctx, j, body, media.Weigh(path, ps.limits).Bytes(8))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	given, err := media.ReadPicture(ctx, path, ps.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := w.put(ctx, answer, given.Image, m); err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Message{}
	if text := toolbox.OneLine(j.Text("prompt")); text != "" {
		about = plan.Quote(toolbox.Shorten(text))
	}
	out, err := ps.save(ctx, j, given.Image, about)
	if given.Info.Frames > 1 {
		out.Note = plan.Say("Only the first frame of the animation was used.")
	}
	return out, err
}

// hole returns the window around a picture's mask, and the window's picture and mask as form fields.
func (ps *pictures) hole(ctx context.Context, j job, path string, m *media.Mask) (window, []part, error) {
	covered := coveredBy(m)
	if covered.Empty() {
		return window{}, nil, fault(nil, "The mask covers nothing, so there is nothing to change.")
	}
	leave, err := ps.limits.Memory.Take(ctx, media.Weigh(path, ps.limits).Bytes(8))
	if err != nil {
		return window{}, nil, err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, path, ps.limits)
	if err != nil {
		return window{}, nil, err
	}
	size := p.Image.Rect.Size()
	w := windowFor(scaled(covered, image.Pt(m.Width, m.Height), size), size)
	picture, err := w.of(ctx, p.Image)
	if err != nil {
		return window{}, nil, err
	}
	form := []part{{name: "image"}, {name: "mask"}}
	for i, img := range []image.Image{picture, w.hole(m, size)} {
		form[i].ext, form[i].mime = ".png", "image/png"
		if form[i].content, err = media.EncodedImage(ctx, j.Dir, img, media.PNG); err != nil {
			return window{}, nil, err
		}
	}
	return w, form, nil
}
