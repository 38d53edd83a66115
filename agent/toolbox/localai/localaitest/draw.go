package localaitest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
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

// film returns one second of video: the given picture, growing darker, or a colour derived from the prompt.
func film(r *Request) (result, error) {
	w, h := int(r.Number("width")), int(r.Number("height"))
	if w == 0 || h == 0 {
		w, h = side, side
	}
	if w < 16 || h < 16 || w > 2048 || h > 2048 {
		return result{}, errors.New("the video size is out of range")
	}
	start := newPicture(image.NewUniform(tint(r.Text("prompt"))), 1, 1)
	if r.Files["start_image"] != nil {
		p, err := r.picture("start_image")
		if err != nil {
			return result{}, err
		}
		start = p
	}
	return result{file: Film(w, h, start.frames(w, h)), item: true, spelled: r.Text("response_format") == "b64_json"}, nil
}

// framesASecond is the frame rate.
const framesASecond = 8

// frames returns the frames of one second.
func (p picture) frames(w, h int) []image.Image {
	var all []image.Image
	for n := range framesASecond {
		frame := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			c := p.at(i/w*p.h/h*p.w + i%w*p.w/w)
			dark := func(v uint8) uint8 { return uint8(int(v) * (2*framesASecond - n) / (2 * framesASecond)) } //nolint:gosec // it is less
			frame.SetNRGBA(i%w, i/w, color.NRGBA{dark(c.R), dark(c.G), dark(c.B), 255})
		}
		all = append(all, frame)
	}
	return all
}

// Film returns a silent video of frames with the given size: Motion JPEG in AVI (Microsoft, AVI RIFF File
// Reference).
func Film(w, h int, frames []image.Image) []byte {
	var movi, index []byte
	largest := 0
	movi = append(movi, "movi"...)
	for _, frame := range frames {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, frame, nil); err != nil {
			panic("localaitest: encode a frame: " + err.Error())
		}
		index = append(index, "00dc"...)
		index = words(index, 0x10, len(movi), b.Len())
		movi = append(movi, chunk("00dc", b.Bytes())...)
		largest = max(largest, b.Len())
	}
	const micro = 1_000_000 / framesASecond
	main := words(nil, micro, largest*framesASecond, 0, 0x10, len(frames), 0, 1, largest, w, h, 0, 0, 0, 0)
	stream := words([]byte("vidsMJPG"), 0, 0, 0, 1, framesASecond, 0, len(frames), largest, -1, 0, 0, h<<16|w)
	format := words(nil, 40, w, h, 24<<16|1)
	format = append(format, "MJPG"...)
	format = words(format, 3*w*h, 0, 0, 0, 0)
	strl := slices.Concat([]byte("strl"), chunk("strh", stream), chunk("strf", format))
	hdrl := slices.Concat([]byte("hdrl"), chunk("avih", main), chunk("LIST", strl))
	return chunk("RIFF", slices.Concat([]byte("AVI "), chunk("LIST", hdrl), chunk("LIST", movi), chunk("idx1", index)))
}

// words appends 32-bit numbers in little-endian order.
func words(to []byte, numbers ...int) []byte {
	for _, n := range numbers {
		to = binary.LittleEndian.AppendUint32(to, uint32(n)) //nolint:gosec // its bits
	}
	return to
}
