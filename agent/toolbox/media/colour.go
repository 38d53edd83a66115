package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"

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
