package media

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"github.com/kovidgoyal/imaging"
	"github.com/kovidgoyal/imaging/prism/meta/icc"

	"atelier/agent/toolbox/media/imagefile"
)

// ToNRGBA converts img to 8-bit channels, straight alpha and bounds from (0, 0). A picture that
// already is like that is returned as is.
func ToNRGBA(img image.Image) *image.NRGBA {
	b := img.Bounds()
	if n, ok := img.(*image.NRGBA); ok && b.Min == (image.Point{}) {
		return n
	}
	return imaging.Clone(img)
}

// converted is ToNRGBA for large pictures. The caller must not use img afterwards.
func converted(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	b := img.Bounds()
	if p, ok := img.(*image.RGBA); ok && b.Min == (image.Point{}) && p.Opaque() { // opaque RGBA has the same bytes
		return &image.NRGBA{Pix: p.Pix, Stride: p.Stride, Rect: p.Rect}, Stopped(ctx)
	}
	if p, ok := img.(*image.YCbCr); ok { // a photo: opaque, so RGBA has the same bytes, and draw is fast for it
		out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		err := InBands(ctx, b.Dy(), BandRows(b.Dx()), func(from, to int) {
			draw.Draw(out, image.Rect(0, from, b.Dx(), to), p, b.Min.Add(image.Pt(0, from)), draw.Src)
		})
		return &image.NRGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}, err
	}
	parts, ok := img.(interface {
		SubImage(r image.Rectangle) image.Image
	})
	if _, done := img.(*image.NRGBA); !ok || done && b.Min == (image.Point{}) {
		return ToNRGBA(img), Stopped(ctx)
	}
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	err := InBands(ctx, b.Dy(), BandRows(b.Dx()), func(from, to int) {
		part := parts.SubImage(image.Rect(b.Min.X, b.Min.Y+from, b.Max.X, b.Min.Y+to))
		copy(out.Pix[from*out.Stride:], imaging.Clone(part).Pix)
	})
	return out, err
}

// toSRGB converts the picture to sRGB by its colour profile. The caller must not use img afterwards.
// Invalid profiles are ignored: slightly wrong colours are better than no picture.
func toSRGB(ctx context.Context, img image.Image, profile []byte) (*image.NRGBA, error) {
	out, err := converted(ctx, img)
	if err != nil {
		return nil, err
	}
	if _, cmyk := img.(*image.CMYK); cmyk || !saneProfile(profile) {
		return out, nil
	}
	cube, err := newColourCube(profile)
	if err != nil || cube == nil {
		return out, nil //nolint:nilerr // profile ignored
	}
	err = InBands(ctx, out.Rect.Dy(), BandRows(out.Rect.Dx()), func(from, to int) {
		cube.apply(out.Pix[from*out.Stride : to*out.Stride])
	})
	return out, err
}

// colourCube is a lookup table of 33 × 33 × 33 colours, with interpolation between them. The library
// takes microseconds per colour, which is too slow for every pixel.
type colourCube []uint8

const (
	nodes = 33 // along each side, at 0, 8, 16, … 248 and 255
	step  = 8
)

// newColourCube builds the table with the library; nil for a profile that is sRGB already. The library
// reads hostile data here and may panic, which becomes an error.
func newColourCube(profile []byte) (cube colourCube, err error) {
	defer func() {
		if r := recover(); r != nil {
			cube, err = nil, fmt.Errorf("read a colour profile: %v", r)
		}
	}()
	p, err := icc.DecodeProfile(bytes.NewReader(profile))
	if err != nil {
		return nil, fmt.Errorf("read a colour profile: %w", err)
	}
	if p.IsSRGB() {
		return nil, nil
	}
	grid := image.NewNRGBA(image.Rect(0, 0, nodes*nodes, nodes))
	level := func(i int) uint8 { return uint8(min(i*step, 255)) }
	for i := range nodes * nodes * nodes {
		copy(grid.Pix[4*i:], []uint8{level(i / (nodes * nodes)), level(i / nodes % nodes), level(i % nodes), 255})
	}
	converted, err := imaging.ConvertToSRGB(p, imaging.Relative, true, grid)
	if err != nil {
		return nil, fmt.Errorf("apply a colour profile: %w", err)
	}
	return colourCube(ToNRGBA(converted).Pix), nil
}

// apply maps pixels through the table (trilinear).
func (cube colourCube) apply(pix []uint8) {
	// The node below each value, and the distance above it, of 256.
	var below, beyond [256]int
	for v := range 256 {
		below[v] = min(v/step, nodes-2)
		width := min((below[v]+1)*step, 255) - below[v]*step
		beyond[v] = (v - below[v]*step) * 256 / width
	}
	for i := 0; i < len(pix); i += 4 {
		r, g, b := pix[i], pix[i+1], pix[i+2]
		at := 4 * ((below[r]*nodes+below[g])*nodes + below[b])
		fr, fg, fb := beyond[r], beyond[g], beyond[b]
		for c := range 3 {
			n := cube[at+c:]
			along := func(o int) int { return int(n[o])*(256-fb) + int(n[o+4])*fb }
			const up, right = 4 * nodes, 4 * nodes * nodes
			near := along(0)*(256-fg) + along(up)*fg
			far := along(right)*(256-fg) + along(right+up)*fg
			pix[i+c] = uint8((near*(256-fr) + far*fr + 1<<23) >> 24)
		}
	}
}

// saneProfile reports whether every entry of the profile's table lies inside the profile. The library
// allocates as much memory as an entry claims.
func saneProfile(b []byte) bool {
	const header, entry, most = 132, 12, 100
	if len(b) < header || len(b) > imagefile.MaxProfile {
		return false
	}
	count := binary.BigEndian.Uint32(b[128:])
	if count > most || header+int(count)*entry > len(b) {
		return false
	}
	for i := range int(count) {
		e := b[header+i*entry:]
		at, size := uint64(binary.BigEndian.Uint32(e[4:])), uint64(binary.BigEndian.Uint32(e[8:]))
		if at+size > uint64(len(b)) {
			return false
		}
	}
	return true
}

// dither draws the picture in the colours of the palette with Floyd–Steinberg error diffusion. Pixels
// that are more than half transparent take the palette's first colour and spread no error.
func dither(ctx context.Context, src *image.NRGBA, palette color.Palette) (*image.Paletted, error) {
	out := image.NewPaletted(src.Rect, palette)
	n := newNearest(palette)
	width := src.Rect.Dx()
	// Errors of this row and the next, in sixteenths, with a margin at both ends.
	here, next := make([][3]int32, width+2), make([][3]int32, width+2)
	for y := range src.Rect.Dy() {
		if err := Stopped(ctx); err != nil {
			return nil, err
		}
		for x := range width {
			p := src.Pix[y*src.Stride+4*x : y*src.Stride+4*x+4]
			if p[3] < 128 {
				continue
			}
			var want [3]int32
			for c := range 3 {
				want[c] = min(max(int32(p[c])+(here[x+1][c]+8)>>4, 0), 255)
			}
			i := n.find(want)
			out.Pix[y*out.Stride+x] = i
			for c := range 3 {
				e := want[c] - n.colours[i][c]
				here[x+2][c] += 7 * e
				next[x][c] += 3 * e
				next[x+1][c] += 5 * e
				next[x+2][c] += e
			}
		}
		here, next = next, here
		clear(next)
	}
	return out, nil
}

// nearest finds the nearest palette colour, with a cache for colours that differ by less than 4 per
// channel, so that the time hardly depends on the palette's size.
type nearest struct {
	colours [][3]int32
	first   int // index of the first opaque colour
	known   []int16
}

const cubeBits = 6 // bits per channel

func newNearest(palette color.Palette) *nearest {
	n := &nearest{known: make([]int16, 1<<(3*cubeBits))}
	for i := range n.known {
		n.known[i] = -1
	}
	for i, c := range palette {
		r, g, b, a := c.RGBA() // palette colours are either opaque or fully transparent
		if a == 0 {
			n.first = i + 1
		}
		n.colours = append(n.colours, [3]int32{int32(r >> 8), int32(g >> 8), int32(b >> 8)})
	}
	return n
}

func (n *nearest) find(c [3]int32) uint8 {
	const drop = 8 - cubeBits
	key := (c[0]>>drop)<<(2*cubeBits) | (c[1]>>drop)<<cubeBits | c[2]>>drop
	if n.known[key] < 0 {
		least := int32(math.MaxInt32)
		for i := n.first; i < len(n.colours); i++ {
			var sum int32
			for k := range 3 {
				d := c[k] - n.colours[i][k]
				sum += d * d
			}
			if sum < least {
				least, n.known[key] = sum, int16(i)
			}
		}
	}
	return uint8(n.known[key])
}

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
	var seen Colours
	seen.Add(src)
	return dither(ctx, src, seen.Palette(maxColours))
}

// Recolour changes each pixel of the picture to the nearest colour of the palette, without dithering, which
// compresses badly. It keeps the opacity.
func Recolour(ctx context.Context, img *image.NRGBA, palette color.Palette) error {
	n := newNearest(palette)
	for y := range img.Rect.Dy() {
		if err := Stopped(ctx); err != nil {
			return err
		}
		for x := range img.Rect.Dx() {
			if p := img.Pix[y*img.Stride+4*x:][:4]; p[3] > 0 {
				c := n.colours[n.find([3]int32{int32(p[0]), int32(p[1]), int32(p[2])})]
				p[0], p[1], p[2] = uint8(c[0]), uint8(c[1]), uint8(c[2])
			}
		}
	}
	return nil
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

// Colours counts the colours of one or several pictures.
type Colours struct {
	bins        []shade
	transparent bool
}

// Palette returns up to that many colours: median cut repeatedly splits the widest box of colours at its median pixel
// until there are enough boxes; their mean colours are the palette. A transparent colour comes first.
func (s *Colours) Palette(most int) color.Palette {
	var palette color.Palette
	if s.transparent {
		palette = append(palette, color.NRGBA{})
		most--
	}
	shades := slices.DeleteFunc(slices.Clone(s.bins), func(s shade) bool { return s.count == 0 })
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

// Add counts the colours of a picture.
func (s *Colours) Add(img *image.NRGBA) {
	if s.bins == nil {
		s.bins = make([]shade, 1<<15)
	}
	for i := 0; i < len(img.Pix); i += 4 {
		p := img.Pix[i : i+4]
		if p[3] < 128 {
			s.transparent = true
			continue
		}
		b := &s.bins[int(p[0]>>3)<<10|int(p[1]>>3)<<5|int(p[2]>>3)]
		for c := range 3 {
			b.rgb[c] = p[c] >> 3
			b.sum[c] += int64(p[c])
		}
		b.count++
	}
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
