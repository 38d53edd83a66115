package hftasktest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strconv"
	"strings"
)

const jsonKind = "application/json"

// made is an encoded answer.
type made struct {
	kind string // its media type
	body []byte
	cut  bool // send only half of it
}

func (m made) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", m.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(m.body)))
	if m.cut {
		m.body = m.body[:len(m.body)/2] // net/http closes the connection then
	}
	_, _ = w.Write(m.body) //nolint:errcheck // a client that has gone needs no answer
}

// file is an answer that is sent as raw bytes. The schemas describe it as a member of an object.
type file struct {
	member string // "image", "audio", "video"
	kind   string
	body   []byte
	rate   int // sample rate of a sound, in Hz
}

// encode returns an answer as it is sent, and as the schemas describe it.
func encode(out any) (made, any, error) {
	if f, ok := out.(file); ok {
		seen := map[string]any{f.member: base64.StdEncoding.EncodeToString(f.body)}
		if f.rate > 0 {
			seen["sampling_rate"] = float64(f.rate)
		}
		return made{kind: f.kind, body: f.body}, seen, nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return made{}, nil, fmt.Errorf("encode: %w", err)
	}
	var seen any
	if err := json.Unmarshal(b, &seen); err != nil {
		return made{}, nil, fmt.Errorf("decode: %w", err)
	}
	return made{kind: jsonKind, body: b}, seen, nil
}

// picture returns an answer that is a picture.
func picture(img image.Image) (any, error) {
	b, err := encodePNG(img)
	if err != nil {
		return nil, err
	}
	return file{member: "image", kind: "image/png", body: b}, nil
}

func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode a picture: %w", err)
	}
	return b.Bytes(), nil
}

// base64PNG encodes a picture for JSON.
func base64PNG(img image.Image) (string, error) {
	b, err := encodePNG(img)
	return base64.StdEncoding.EncodeToString(b), err
}

// named are the colours that the server knows by name.
var named = []struct {
	name string
	c    color.NRGBA
	word string // an object of this colour
}{
	{"red", color.NRGBA{220, 30, 30, 255}, "ball"},
	{"green", color.NRGBA{30, 160, 50, 255}, "tree"},
	{"blue", color.NRGBA{40, 70, 220, 255}, "car"},
	{"yellow", color.NRGBA{240, 220, 40, 255}, "lemon"},
	{"orange", color.NRGBA{240, 140, 20, 255}, "orange"},
	{"purple", color.NRGBA{130, 40, 160, 255}, "flower"},
	{"pink", color.NRGBA{245, 150, 190, 255}, "pig"},
	{"brown", color.NRGBA{120, 75, 35, 255}, "dog"},
	{"cyan", color.NRGBA{40, 200, 220, 255}, "bird"},
	{"grey", color.NRGBA{128, 128, 128, 255}, "stone"},
	{"black", color.NRGBA{0, 0, 0, 255}, "cat"},
	{"white", color.NRGBA{255, 255, 255, 255}, "cup"},
}

// nameOf returns the name of the nearest colour.
func nameOf(c color.NRGBA) string {
	best, least := "", 1<<30
	for _, n := range named {
		if d := distance(c, n.c); d < least {
			best, least = n.name, d
		}
	}
	return best
}

// colourIn returns the first colour that a text names, and its name.
func colourIn(text string) (color.NRGBA, string, bool) {
	for _, word := range words(text) {
		for _, n := range named {
			if word == n.name || word == "gray" && n.name == "grey" {
				return n.c, n.name, true
			}
		}
	}
	return color.NRGBA{}, "", false
}

// wordFor returns the name of an object of a colour.
func (wd *world) wordFor(colour string) string {
	if word, ok := wd.words[colour]; ok {
		return word
	}
	for _, n := range named {
		if n.name == colour {
			return n.word
		}
	}
	return "thing"
}

// distance returns the squared distance of two colours: 0 to 195075.
func distance(a, b color.NRGBA) int {
	r, g, bl := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return r*r + g*g + bl*bl
}

// hueOf returns a colour derived from a text.
func hueOf(text string) color.NRGBA {
	return named[hash(text)%9].c // the colourful ones
}

// mix blends two colours, with share/256 of the second.
func mix(a, b color.NRGBA, share int) color.NRGBA {
	between := func(x, y uint8) uint8 { return uint8((int(x)*(256-share) + int(y)*share) / 256) } //nolint:gosec // at most 255
	return color.NRGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 255}
}

// light returns the brightness of a colour: 0 to 255.
func light(c color.NRGBA) int { return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000 }

// toNRGBA draws a picture on white, with its corner at 0,0.
func toNRGBA(img image.Image) *image.NRGBA {
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, b.Min, draw.Over)
	return out
}

// mapped returns a picture with computed pixels.
func mapped(w, h int, pixel func(x, y int) color.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.SetNRGBA(x, y, pixel(x, y))
		}
	}
	return out
}

// scaled resizes a picture.
func scaled(img *image.NRGBA, w, h int) *image.NRGBA {
	from := img.Bounds()
	return mapped(w, h, func(x, y int) color.NRGBA { return img.NRGBAAt(x*from.Dx()/w, y*from.Dy()/h) })
}

// words returns the words of a text, in lower case and without punctuation.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n.,;:!?\"'()[]{}/|", r)
	})
}
