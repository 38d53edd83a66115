package media

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"slices"
)

const maxColours = 256

// Quantise reduces a picture to at most 256 colours: exactly, if it has no more, else by median cut
// with dithering. Pixels that are more than half transparent become fully transparent, as GIF has no
// partial transparency.
func Quantise(ctx context.Context, img image.Image) (*image.Paletted, error) {
	src := ToNRGBA(img)
	palette, index, err := exactPalette(ctx, src)
	if err != nil {
		return nil, err
	}
	if palette != nil {
		out := image.NewPaletted(src.Rect, palette)
		err := InBands(ctx, src.Rect.Dy(), BandRows(src.Rect.Dx()), func(from, to int) {
			for i := from * out.Stride; i < to*out.Stride; i++ {
				out.Pix[i] = index[opaqueColour(src.Pix[4*i:])]
			}
		})
		return out, err
	}
	return dither(ctx, src, medianCut(src))
}

// opaqueColour returns the pixel's colour without partial transparency.
func opaqueColour(p []uint8) color.NRGBA {
	if p[3] < 128 {
		return color.NRGBA{}
	}
	return color.NRGBA{R: p[0], G: p[1], B: p[2], A: 255}
}

// exactPalette returns the picture's colours in order of appearance, with the index of each; nil if
// there are too many.
func exactPalette(ctx context.Context, src *image.NRGBA) (palette color.Palette, index map[color.NRGBA]uint8, err error) {
	index = map[color.NRGBA]uint8{}
	var last color.NRGBA
	for i := 0; i < len(src.Pix); i += 4 {
		if i%src.Stride == 0 && ctx.Err() != nil {
			return nil, nil, Stopped(ctx)
		}
		c := opaqueColour(src.Pix[i:])
		if i > 0 && c == last { // neighbours are often equal
			continue
		}
		last = c
		if _, seen := index[c]; seen {
			continue
		}
		if len(palette) == maxColours {
			return nil, nil, nil
		}
		index[c] = uint8(len(palette))
		palette = append(palette, c)
	}
	return palette, index, nil
}

// shade is a histogram bin, five bits per channel, with the sum of its exact colours.
type shade struct {
	rgb   [3]uint8
	sum   [3]int64
	count int64
}

// medianCut repeatedly splits the widest box of colours at its median pixel until there are enough
// boxes; their mean colours are the palette.
func medianCut(src *image.NRGBA) color.Palette {
	shades, transparent := histogram(src)
	most := maxColours
	var palette color.Palette
	if transparent {
		palette = append(palette, color.NRGBA{})
		most--
	}
	boxes := [][]shade{shades}
	for len(boxes) < most {
		widest, axis, width := -1, 0, 0
		for i, box := range boxes {
			if a, w := spread(box); w > width {
				widest, axis, width = i, a, w
			}
		}
		if widest < 0 {
			break
		}
		low, high := halve(boxes[widest], axis)
		boxes[widest] = low
		boxes = append(boxes, high)
	}
	for _, box := range boxes {
		palette = append(palette, mean(box))
	}
	return palette
}

func histogram(src *image.NRGBA) (shades []shade, transparent bool) {
	bins := make([]shade, 1<<15)
	for i := 0; i < len(src.Pix); i += 4 {
		p := src.Pix[i : i+4]
		if p[3] < 128 {
			transparent = true
			continue
		}
		b := &bins[int(p[0]>>3)<<10|int(p[1]>>3)<<5|int(p[2]>>3)]
		for c := range 3 {
			b.rgb[c] = p[c] >> 3
			b.sum[c] += int64(p[c])
		}
		b.count++
	}
	return slices.DeleteFunc(bins, func(s shade) bool { return s.count == 0 }), transparent
}

// spread returns the widest channel of the box and its width, weighted by the number of pixels so that
// rare colours do not use up the palette.
func spread(box []shade) (axis, width int) {
	if len(box) < 2 {
		return 0, 0
	}
	var pixels int64
	low, high := box[0].rgb, box[0].rgb
	for _, s := range box {
		pixels += s.count
		for c := range 3 {
			low[c], high[c] = min(low[c], s.rgb[c]), max(high[c], s.rgb[c])
		}
	}
	for c := range 3 {
		if w := int(high[c] - low[c]); w > width {
			axis, width = c, w
		}
	}
	weight := 1
	for p := pixels; p > 1; p >>= 1 {
		weight++
	}
	return axis, width * weight
}

// halve splits a box of at least two shades at its median pixel.
func halve(box []shade, axis int) (low, high []shade) {
	slices.SortStableFunc(box, func(a, b shade) int { return cmp.Compare(a.rgb[axis], b.rgb[axis]) })
	var total, below int64
	for _, s := range box {
		total += s.count
	}
	at := 1
	for ; at < len(box)-1; at++ {
		if below += box[at-1].count; below*2 >= total {
			break
		}
	}
	return box[:at:at], box[at:]
}

func mean(box []shade) color.NRGBA {
	var sum [3]int64
	var count int64
	for _, s := range box {
		for c := range 3 {
			sum[c] += s.sum[c]
		}
		count += s.count
	}
	if count == 0 { // a fully transparent picture has one empty box
		return color.NRGBA{A: 255}
	}
	channel := func(c int) uint8 { return uint8((sum[c] + count/2) / count) }
	return color.NRGBA{R: channel(0), G: channel(1), B: channel(2), A: 255}
}
