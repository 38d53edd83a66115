package localaitest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
)

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
