package localaitest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // for decoding
	"image/png"
	"slices"
	"strings"
)

// picture is a picture whose pixels start at (0, 0), row by row.
type picture struct {
	pixels *image.NRGBA
	w, h   int
}

func newPicture(img image.Image, w, h int) picture {
	p := picture{image.NewNRGBA(image.Rect(0, 0, w, h)), w, h}
	draw.Draw(p.pixels, p.pixels.Rect, img, img.Bounds().Min, draw.Src)
	return p
}

func (r *Request) picture(name string) (picture, error) {
	img, _, err := image.Decode(bytes.NewReader(r.Files[name]))
	if err != nil {
		return picture{}, fmt.Errorf("the picture %q cannot be read: %w", name, err)
	}
	return newPicture(img, img.Bounds().Dx(), img.Bounds().Dy()), nil
}

func (p picture) at(i int) color.NRGBA {
	c := p.pixels.Pix[4*i : 4*i+4]
	return color.NRGBA{c[0], c[1], c[2], c[3]}
}

// alike reports whether two colours are equal but for the artefacts of JPEG.
func alike(a, b color.NRGBA) bool {
	apart := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return apart(a.R, b.R)+apart(a.G, b.G)+apart(a.B, b.B) < 120
}

// blob is an object: adjacent pixels of similar colour.
type blob struct {
	pixels []int
	box    image.Rectangle
	colour string
}

// flood collects the connected pixels that resemble the one at i.
func (p picture) flood(i int, seen []bool) blob {
	b := blob{colour: colourName(p.at(i))}
	from := p.at(i)
	todo := []int{i}
	seen[i] = true
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x, y := at%p.w, at/p.w
		b.pixels = append(b.pixels, at)
		b.box = b.box.Union(image.Rect(x, y, x+1, y+1))
		for _, n := range [][2]int{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
			if next := n[1]*p.w + n[0]; n[0] >= 0 && n[1] >= 0 && n[0] < p.w && n[1] < p.h && !seen[next] && alike(p.at(next), from) {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return b
}

// blobs returns the objects, the largest first. The background is the colour of the first corner.
func (p picture) blobs() []blob {
	seen := make([]bool, p.w*p.h)
	ground := p.at(0)
	var all []blob
	for i := range seen {
		if seen[i] || alike(p.at(i), ground) {
			continue
		}
		if b := p.flood(i, seen); len(b.pixels)*100 >= p.w*p.h { // ignore JPEG artefacts
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b blob) int { return cmp.Compare(len(b.pixels), len(a.pixels)) })
	return all
}

// Things returns the colours of the objects in a picture, the largest first; nil if it cannot be read.
func Things(content []byte) []string {
	p, err := (&Request{Files: map[string][]byte{"image": content}}).picture("image")
	if err != nil {
		return nil
	}
	var all []string
	for _, b := range p.blobs() {
		all = append(all, b.colour)
	}
	return all
}

func colourName(c color.NRGBA) string {
	best, least := "", 1<<30
	for _, known := range []struct {
		name string
		c    color.NRGBA
	}{
		{"red", color.NRGBA{220, 30, 30, 255}},
		{"green", color.NRGBA{30, 180, 30, 255}},
		{"blue", color.NRGBA{30, 30, 220, 255}},
		{"yellow", color.NRGBA{230, 220, 30, 255}},
		{"white", color.NRGBA{255, 255, 255, 255}},
		{"black", color.NRGBA{0, 0, 0, 255}},
		{"grey", color.NRGBA{128, 128, 128, 255}},
	} {
		d := func(a, b uint8) int { return (int(a) - int(b)) * (int(a) - int(b)) }
		if off := d(c.R, known.c.R) + d(c.G, known.c.G) + d(c.B, known.c.B); off < least {
			best, least = known.name, off
		}
	}
	return best
}

// detect finds objects as the model's family does. SAM finds what it is prompted for, with masks but without
// a class. Others find all objects, with their colours as classes.
func detect(r *Request) (result, error) {
	p, err := r.picture("image")
	if err != nil {
		return result{}, err
	}
	points, boxes := r.Numbers("points"), r.Numbers("boxes")
	if len(points)%3 != 0 || len(boxes)%4 != 0 {
		return result{}, errors.New("points are triples and boxes quads")
	}
	sam := strings.HasPrefix(r.Model, "sam")
	var found []blob
	switch {
	case !sam:
		found = p.blobs()
	case r.Text("prompt") != "":
		for _, b := range p.blobs() {
			if strings.Contains(r.Text("prompt"), b.colour) {
				found = append(found, b)
			}
		}
	case len(points) > 0:
		for i := 0; i < len(points); i += 3 {
			x, y := int(points[i]), int(points[i+1])
			if x < 0 || y < 0 || x >= p.w || y >= p.h {
				return result{}, fmt.Errorf("the point (%d, %d) is outside %d × %d", x, y, p.w, p.h)
			}
			if points[i+2] == 1 {
				found = append(found, p.flood(y*p.w+x, make([]bool, p.w*p.h)))
			}
		}
	case len(boxes) > 0:
		in := image.Rect(int(boxes[0]), int(boxes[1]), int(boxes[2]), int(boxes[3]))
		for _, b := range p.blobs() {
			if b.box.Overlaps(in) {
				found = append(found, b)
			}
		}
	}
	list := make([]any, 0, len(found))
	for i, b := range found {
		d := map[string]any{
			"x": float64(b.box.Min.X) - 0.25, "y": float64(b.box.Min.Y) - 0.25, // fractions of pixels, as from models
			"width": float64(b.box.Dx()) + 0.25, "height": float64(b.box.Dy()) + 0.25,
			"class_name": b.colour, "confidence": 0.9 / float64(i+1),
		}
		if sam {
			d["class_name"] = "segment"
		}
		if sam || strings.Contains(r.Model, "seg") {
			d["mask"] = b.mask(p)
		}
		list = append(list, d)
	}
	return result{json: map[string]any{"detections": list}}, nil
}

// mask returns the object as a PNG, white on black.
func (b blob) mask(p picture) []byte {
	out := image.NewGray(image.Rect(0, 0, p.w, p.h))
	for _, at := range b.pixels {
		out.Pix[at] = 255
	}
	return encode(out)
}

// encode returns a picture as PNG.
func encode(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("localaitest: encode a picture: " + err.Error())
	}
	return b.Bytes()
}

// estimate returns distances from ten metres at the top to one at the bottom.
func estimate(r *Request) (result, error) {
	p, err := r.picture("image")
	if err != nil {
		return result{}, err
	}
	w, h := max(p.w/2, 1), max(p.h/2, 1)
	depth := make([]float32, w*h)
	for i := range depth {
		depth[i] = 10 - 9*float32(i/w)/float32(max(h-1, 1))
	}
	return result{json: map[string]any{"width": w, "height": h, "depth": depth, "is_metric": true}}, nil
}
