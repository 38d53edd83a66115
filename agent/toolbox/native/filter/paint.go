package filter

import (
	"context"
	"image"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
)

const (
	tones         = 24  // of light that a brush tells apart
	finestBrush   = 3   // pixels around the middle of a stroke
	widestBrush   = 14  // and the most, for time
	strokes       = 140 // that the longer side holds
	relief        = 0.5 // of the paint, as lit from the top left
	paintedColour = 1.25
)

// painted paints a picture in oil: each pixel gets the mean colour of the commonest light around it, so that areas
// become strokes with edges, and the paint lies thicker where that colour changes.
func painted(ctx context.Context, p media.Picture, _ toolbox.Call) (picture.Edited, error) {
	src := p.Image
	w, h := src.Rect.Dx(), src.Rect.Dy()
	brush := min(max(finestBrush, max(w, h)/strokes), widestBrush)
	flat, out := image.NewNRGBA(src.Rect), image.NewNRGBA(src.Rect)
	rows := media.BandRows(w)
	if err := media.InBands(ctx, h, rows, func(from, to int) {
		for y := from; y < to; y++ {
			brushed(flat, src, y, brush)
		}
	}); err != nil {
		return picture.Edited{}, err
	}
	err := media.InBands(ctx, h, rows, func(from, to int) {
		for y := from; y < to; y++ {
			for x := range w {
				emboss(out, flat, x, y)
			}
		}
	})
	return picture.Edited{Image: out, About: plan.Say("as an oil painting")}, err
}

// stroke are the pixels of one tone under a brush.
type stroke struct{ count, red, green, blue int }

// brushed paints a row. The brush moves by a column at a time.
func brushed(dst, src *image.NRGBA, y, brush int) {
	var tone [tones]stroke
	w, h := src.Rect.Dx(), src.Rect.Dy()
	column := func(x, sign int) {
		if x < 0 || x >= w {
			return
		}
		for v := max(0, y-brush); v <= min(h-1, y+brush); v++ {
			p := src.Pix[v*src.Stride+4*x:][:4]
			r, g, b := int(p[0]), int(p[1]), int(p[2])
			s := &tone[(299*r+587*g+114*b)*tones/256000]
			s.count, s.red, s.green, s.blue = s.count+sign, s.red+sign*r, s.green+sign*g, s.blue+sign*b
		}
	}
	for x := range brush {
		column(x, 1)
	}
	for x := range w {
		column(x+brush, 1)
		column(x-brush-1, -1)
		most := &tone[0]
		for i := range tone {
			if tone[i].count > most.count {
				most = &tone[i]
			}
		}
		i := y*dst.Stride + 4*x
		dst.Pix[i], dst.Pix[i+1], dst.Pix[i+2] = mean(most.red, most.count), mean(most.green, most.count), mean(most.blue, most.count)
		dst.Pix[i+3] = src.Pix[y*src.Stride+4*x+3]
	}
}

// emboss lights the edges of the strokes, and makes the colours of the paint stronger.
func emboss(dst, src *image.NRGBA, x, y int) {
	at := func(x, y int) [3]float64 {
		p := src.Pix[min(max(y, 0), src.Rect.Dy()-1)*src.Stride+4*min(max(x, 0), src.Rect.Dx()-1):][:4]
		return [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
	}
	p := at(x, y)
	light := luma(p)
	raised := min(max(relief*(luma(at(x+1, y+1))-luma(at(x-1, y-1))), -24), 24)
	i := y*dst.Stride + 4*x
	for c, v := range p {
		dst.Pix[i+c] = uint8(min(max(light+(v-light)*paintedColour+raised, 0), 255) + 0.5)
	}
	dst.Pix[i+3] = src.Pix[y*src.Stride+4*x+3]
}

// mean returns the mean of count channel values.
func mean(sum, count int) uint8 { return uint8(min(max(sum/count, 0), 255)) }
