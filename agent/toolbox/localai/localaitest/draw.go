package localaitest

import (
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
)

// side is the default side of pictures, in pixels.
const side = 64

// tint returns a colour derived from a text.
func tint(text string) color.NRGBA {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // writing to a hash never fails
	n := h.Sum32()
	return color.NRGBA{uint8(n), uint8(n >> 8), uint8(n >> 16), 255} //nolint:gosec // truncation is intended
}

// Picture returns a PNG whose colours derive from the text.
func Picture(text string, w, h int) []byte {
	from, to := tint(text), tint("to "+text)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			mix := func(a, b uint8) uint8 { return uint8((int(a)*(w-x) + int(b)*x) / w) } //nolint:gosec // it is between both
			out.SetNRGBA(x, y, color.NRGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), 255})
		}
	}
	return encode(out)
}

// paint draws a picture for a prompt, or tints the given one.
func paint(r *Request) (result, error) {
	w, h := side, side
	if size := r.Text("size"); size != "" {
		if _, err := fmt.Sscanf(size, "%dx%d", &w, &h); err != nil || w < 1 || h < 1 || w > 4096 || h > 4096 {
			return result{}, fmt.Errorf("the size is %q", size)
		}
	}
	spelled := r.Text("response_format") == "b64_json"
	if r.Files["ref_images"] == nil {
		return result{file: Picture(r.Text("prompt"), w, h), item: true, spelled: spelled}, nil
	}
	p, err := r.picture("ref_images")
	if err != nil {
		return result{}, err
	}
	ink := tint(r.Text("prompt"))
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		c := p.at(i/w*p.h/h*p.w + i%w*p.w/w)
		half := func(a, b uint8) uint8 { return a/2 + b/2 }
		out.SetNRGBA(i%w, i/w, color.NRGBA{half(c.R, ink.R), half(c.G, ink.G), half(c.B, ink.B), 255})
	}
	return result{file: encode(out), item: true, spelled: spelled}, nil
}

// squared is the side of inpainted pictures, whatever size was sent.
const squared = 512

// inpaint fills the white part of the mask with a colour of the prompt.
func inpaint(r *Request) (result, error) {
	p, err := r.picture("image")
	if err != nil {
		return result{}, err
	}
	mask, err := r.picture("mask")
	if err != nil {
		return result{}, err
	}
	if p.w != mask.w || p.h != mask.h {
		return result{}, fmt.Errorf("the mask has %d × %d pixels and the picture %d × %d", mask.w, mask.h, p.w, p.h)
	}
	ink := Fill(r.Text("prompt"))
	out := image.NewNRGBA(image.Rect(0, 0, squared, squared))
	for i := range squared * squared {
		at := i/squared*p.h/squared*p.w + i%squared*p.w/squared
		c := p.at(at)
		if mask.at(at).R >= 128 {
			c = ink
		}
		out.SetNRGBA(i%squared, i/squared, c)
	}
	return result{file: encode(out), item: true}, nil
}

// Fill returns the colour with which a mask is filled for a prompt.
func Fill(prompt string) color.NRGBA { return tint(prompt) }

// enlarge repeats pixels.
func enlarge(r *Request) (result, error) {
	p, err := r.picture("image")
	if err != nil {
		return result{}, err
	}
	scale := int(r.Number("scale"))
	if scale != 4 {
		return result{}, fmt.Errorf("the model enlarges four times, not %d times", scale)
	}
	out := image.NewNRGBA(image.Rect(0, 0, p.w*scale, p.h*scale))
	for i := range out.Rect.Dx() * out.Rect.Dy() {
		x, y := i%out.Rect.Dx(), i/out.Rect.Dx()
		out.SetNRGBA(x, y, p.at(y/scale*p.w+x/scale))
	}
	return result{file: encode(out), item: true}, nil
}
