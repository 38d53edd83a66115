// Package mediatest makes and reads the media of fake model servers: pictures with coloured objects, tones
// that carry a text, and videos.
//
// Equal inputs give equal media. It does not depend on the tested program.
package mediatest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"unicode"
)

// Decode decodes a PNG or JPEG, on white and with its corner at (0, 0).
func Decode(content []byte) (*image.NRGBA, error) {
	img, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("decode a picture: %w", err)
	}
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, b.Min, draw.Over)
	return out, nil
}

// PNG encodes a picture.
func PNG(img image.Image) []byte {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		panic("mediatest: encode a picture: " + err.Error())
	}
	return b.Bytes()
}

// JPEG encodes a picture in a high quality.
func JPEG(img image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		panic("mediatest: encode a picture: " + err.Error())
	}
	return b.Bytes()
}

// Draw returns a picture with computed pixels.
func Draw(w, h int, pixel func(x, y int) color.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.SetNRGBA(x, y, pixel(x, y))
		}
	}
	return out
}

// Scaled resizes a picture.
func Scaled(img *image.NRGBA, w, h int) *image.NRGBA {
	from := img.Rect.Size()
	return Draw(w, h, func(x, y int) color.NRGBA { return img.NRGBAAt(x*from.X/w, y*from.Y/h) })
}

// Mix blends two colours, with share/256 of the second.
func Mix(a, b color.NRGBA, share int) color.NRGBA {
	between := func(x, y uint8) uint8 { return uint8((int(x)*(256-share) + int(y)*share) / 256) } //nolint:gosec // at most 255
	return color.NRGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 255}
}

// Tint returns a colour derived from a text.
func Tint(text string) color.NRGBA {
	n := hash(text)
	return color.NRGBA{uint8(n), uint8(n >> 8), uint8(n >> 16), 255} //nolint:gosec // truncation is intended
}

func hash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // writing to a hash never fails
	return h.Sum32()
}

// Picture returns a picture whose colours derive from the text.
func Picture(text string, w, h int) *image.NRGBA {
	from, to := Tint(text), Tint("to "+text)
	return Draw(w, h, func(x, _ int) color.NRGBA { return Mix(from, to, 256*x/w) })
}

// colours are the colours with a name.
var colours = []struct {
	name string
	c    color.NRGBA
}{
	{"red", color.NRGBA{220, 30, 30, 255}},
	{"green", color.NRGBA{30, 170, 40, 255}},
	{"blue", color.NRGBA{30, 40, 220, 255}},
	{"yellow", color.NRGBA{230, 220, 30, 255}},
	{"white", color.NRGBA{255, 255, 255, 255}},
	{"black", color.NRGBA{0, 0, 0, 255}},
	{"grey", color.NRGBA{128, 128, 128, 255}},
}

// NameOf returns the name of the nearest colour.
func NameOf(c color.NRGBA) string {
	best := colours[0]
	for _, known := range colours {
		if distance(c, known.c) < distance(c, best.c) {
			best = known
		}
	}
	return best.name
}

// ColourIn returns a colour that a text names, and its name.
func ColourIn(text string) (c color.NRGBA, name string, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, known := range colours {
		if slices.Contains(words, known.name) {
			return known.c, known.name, true
		}
	}
	return color.NRGBA{}, "", false
}

// distance returns the squared distance of two colours: 0 to 195075.
func distance(a, b color.NRGBA) int {
	r, g, bl := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return r*r + g*g + bl*bl
}
