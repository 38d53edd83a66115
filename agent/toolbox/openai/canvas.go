package openai

import (
	"context"
	"image"
	"image/draw"
	"math"
	"strings"

	"atelier/agent/toolbox/media"
)

// canvas is a picture as it is sent for editing. Image models accept only a few sizes, so the picture is
// scaled to fit the size with the nearest aspect ratio, and its edge pixels fill the rest.
type canvas struct {
	size   image.Point
	inside image.Rectangle // where the picture is on it
}

// canvasSizes returns the sizes that a model accepts for editing (OpenAI API reference, create image edit).
func canvasSizes(model string) []image.Point {
	square := image.Pt(1024, 1024)
	if strings.HasPrefix(model, "dall-e") {
		return []image.Point{square}
	}
	return []image.Point{square, image.Pt(1536, 1024), image.Pt(1024, 1536)}
}

// canvasFor returns the canvas for a picture: the one of the sizes with the nearest aspect ratio.
func canvasFor(sizes []image.Point, picture image.Point) canvas {
	shape := func(p image.Point) float64 { return math.Log(float64(p.X) / float64(p.Y)) }
	var best image.Point
	for _, size := range sizes {
		if best == (image.Point{}) || math.Abs(shape(size)-shape(picture)) < math.Abs(shape(best)-shape(picture)) {
			best = size
		}
	}
	scale := min(float64(best.X)/float64(picture.X), float64(best.Y)/float64(picture.Y))
	side := func(n, most int) int { return min(max(int(math.Round(float64(n)*scale)), 1), most) }
	w, h := side(picture.X, best.X), side(picture.Y, best.Y)
	at := image.Pt((best.X-w)/2, (best.Y-h)/2)
	return canvas{size: best, inside: image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}}
}

// with returns the canvas with the picture on it.
func (c canvas) with(ctx context.Context, picture *image.NRGBA) (*image.NRGBA, error) {
	scaled, err := media.Scaled(ctx, picture, c.inside.Dx(), c.inside.Dy())
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rectangle{Max: c.size})
	draw.Draw(out, c.inside, scaled, image.Point{}, draw.Src)
	clamp := func(v, from, to int) int { return min(max(v, from), to-1) }
	for y := range c.size.Y {
		for x := range c.size.X {
			if p := image.Pt(x, y); !p.In(c.inside) {
				out.SetNRGBA(x, y, out.NRGBAAt(clamp(x, c.inside.Min.X, c.inside.Max.X), clamp(y, c.inside.Min.Y, c.inside.Max.Y)))
			}
		}
	}
	return out, nil
}

// mask returns the mask on the canvas, transparent where the model draws, and whether it covers anything. It
// maxRounds outwards, so that small areas of m do not vanish.
func (c canvas) mask(m *media.Mask) (out *image.NRGBA, covered bool) {
	out = image.NewNRGBA(image.Rectangle{Max: c.size})
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 0xFF
	}
	w, h := c.inside.Dx(), c.inside.Dy()
	for y := range h {
		for x := range w {
			if m.Width > 0 && m.Height > 0 && coversAny(m, image.Rect(
				x*m.Width/w, y*m.Height/h, max((x+1)*m.Width/w, x*m.Width/w+1), max((y+1)*m.Height/h, y*m.Height/h+1))) {
				out.Pix[out.PixOffset(c.inside.Min.X+x, c.inside.Min.Y+y)+3] = 0
				covered = true
			}
		}
	}
	return out, covered
}

func coversAny(m *media.Mask, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m.At(x, y) != 0 {
				return true
			}
		}
	}
	return false
}

// cut crops an answer of any size to the area of the picture.
func (c canvas) cut(answer *image.NRGBA) *image.NRGBA {
	size := answer.Rect.Size()
	at := func(p image.Point) image.Point {
		return image.Pt((p.X*size.X+c.size.X/2)/c.size.X, (p.Y*size.Y+c.size.Y/2)/c.size.Y)
	}
	part := image.Rectangle{Min: at(c.inside.Min), Max: at(c.inside.Max)}
	if part.Empty() || part == answer.Rect {
		return answer
	}
	return media.ToNRGBA(answer.SubImage(part))
}
