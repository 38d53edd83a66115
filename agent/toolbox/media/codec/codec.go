// Package codec writes WebP and AVIF, and reads AVIF and HEIC, by the libraries that everybody
// uses: libwebp, libavif with libaom, and libheif with libde265.
//
// Guarantees:
//   - The libraries are WebAssembly and run in a sandbox: they see the bytes of one picture and
//     nothing else. No library of the system is ever loaded.
//   - A picture has limits of memory and time. It ends soon after its context does.
//   - A damaged picture is an error. It cannot harm the next one, which gets memory of its own.
//   - Callers compare the size that a file declares with their limits first; a picture
//     that is larger than it said is an error.
//
// wasm/README.md tells where the libraries come from.
package codec

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/draw"
)

//go:embed wasm/webp.wasm.gz
var webpCode []byte

//go:embed wasm/avif-decode.wasm.gz
var avifDecoderCode []byte

//go:embed wasm/avif-encode.wasm.gz
var avifEncoderCode []byte

//go:embed wasm/heif.wasm.gz
var heifCode []byte

//go:embed wasm/jxl-decode.wasm.gz
var jxlDecoderCode []byte

//go:embed wasm/jxl-encode.wasm.gz
var jxlEncoderCode []byte

var (
	webpModule  = newModule(webpCode)
	avifDecoder = newModule(avifDecoderCode)
	avifEncoder = newModule(avifEncoderCode)
	heifModule  = newModule(heifCode)
	jxlDecoder  = newModule(jxlDecoderCode)
	jxlEncoder  = newModule(jxlEncoderCode)
)

// MaxWebP is the longest side of a WebP picture.
const MaxWebP = 16383

// EncodeWebP writes a picture as WebP, in a quality from 1 to 100 that is like that of JPEG.
func EncodeWebP(ctx context.Context, img *image.NRGBA, quality int, lossless bool) ([]byte, error) {
	const method, rgba = 2, 0
	made, err := webpModule.encode(ctx, packed(img.Pix, img.Stride, img.Rect), img.Rect, rgba, uint64(quality), method, flag(lossless), 0)
	if err != nil {
		return nil, fmt.Errorf("write WebP: %w", err)
	}
	return made, nil
}

// avifSpeed is libavif's, from 0 to 10. Slower ones take too long for large photos.
const avifSpeed = 8

// EncodeAVIF writes a picture as AVIF, in a quality from 1 to 100 that is like that of JPEG.
func EncodeAVIF(ctx context.Context, img *image.NRGBA, quality int) ([]byte, error) {
	const yuv420, alphaQuality = 3, 90
	own := uint64(max(quality-20, 1)) // libavif's scale: photos look about as good there
	made, err := avifEncoder.encode(ctx, premultiplied(img), img.Rect, own, alphaQuality, avifSpeed, yuv420)
	if err != nil {
		return nil, fmt.Errorf("write AVIF: %w", err)
	}
	return made, nil
}

// MaxJXL is the most pixels that a JPEG XL picture is written with: its library takes 84 bytes for each.
const MaxJXL = 20_000_000

// jxlEffort is libjxl's, from 1 to 10. Higher ones take too long for large photos.
const jxlEffort = 3

// EncodeJXL writes a picture as JPEG XL, in a quality from 1 to 100 that is like that of JPEG; 100 is
// without loss.
func EncodeJXL(ctx context.Context, img *image.NRGBA, quality int) ([]byte, error) {
	made, err := jxlEncoder.encode(ctx, packed(img.Pix, img.Stride, img.Rect), img.Rect, uint64(quality), jxlEffort)
	if err != nil {
		return nil, fmt.Errorf("write JPEG XL: %w", err)
	}
	return made, nil
}

// DecodeAVIF reads a picture of at most so many pixels, as it is stored: not turned. Of an
// animation it is the first frame.
func DecodeAVIF(ctx context.Context, data []byte, most int64) (image.Image, error) {
	pix, rect, err := decoded(ctx, avifDecoder, data, most, func(depth uint32) bool { return depth > 8 }, 1)
	if err != nil {
		return nil, fmt.Errorf("read AVIF: %w", err)
	}
	return &image.RGBA{Pix: pix, Stride: 4 * rect.Dx(), Rect: rect}, nil
}

// DecodeJXL reads a picture of at most so many pixels, as people see it: it is turned as the file
// asks. Of an animation it is the first frame.
func DecodeJXL(ctx context.Context, data []byte, most int64) (image.Image, error) {
	pix, rect, err := decoded(ctx, jxlDecoder, data, most, func(depth uint32) bool { return depth == 16 }, 0)
	if err != nil {
		return nil, fmt.Errorf("read JPEG XL: %w", err)
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * rect.Dx(), Rect: rect}, nil
}

// decoded are the pixels of a picture, with four channels of eight bits. The module gives channels of
// two bytes where the bits of the picture are deep; high is which of them is the high one.
func decoded(ctx context.Context, m *module, data []byte, most int64, deep func(bits uint32) bool, high int) ([]byte, image.Rectangle, error) {
	var pixels []byte
	var rect image.Rectangle
	err := m.use(ctx, func(i instance) error {
		in, err := i.put(data)
		if err != nil {
			return err
		}
		const numbers = 4
		at, err := i.room(4 * numbers)
		if err != nil {
			return err
		}
		delays, err := i.room(mostDelays) // of more frames than that, the module spoils its own memory only
		if err != nil {
			return err
		}
		decode := func(configOnly bool, out uint32) error {
			ok, err := i.call("decode", uint64(in), uint64(len(data)), flag(configOnly), 0,
				uint64(at), uint64(at+4), uint64(at+8), uint64(at+12), uint64(delays), uint64(out))
			if err == nil && ok == 0 {
				err = errFailed
			}
			return err
		}
		if err := decode(true, 0); err != nil {
			return err
		}
		var width, height, bits uint32
		if err := i.numbers(at, &width, &height, &bits); err != nil {
			return err
		}
		if err := checkSize(width, height, most); err != nil {
			return err
		}
		size, wide := int(width)*int(height)*4, 1 // bytes of each channel
		if deep(bits) {
			wide = 2
		}
		out, err := i.room(size * wide)
		if err != nil {
			return err
		}
		if err := decode(false, out); err != nil {
			return err
		}
		pix, err := i.bytes(out, size*wide)
		if err != nil {
			return err
		}
		rect = image.Rect(0, 0, int(width), int(height))
		if wide == 1 {
			pixels = bytes.Clone(pix)
			return nil
		}
		pixels = make([]byte, size)
		for k := range pixels {
			pixels[k] = pix[2*k+high]
		}
		return nil
	})
	if err != nil {
		return nil, image.Rectangle{}, err
	}
	return pixels, rect, nil
}

// mostDelays is the room for how long each frame of an animation is shown, in bytes.
const mostDelays = 1 << 16

// What libheif calls the ways in which colours are stored.
const (
	heifYCbCr = 0
	heifRGB   = 1
	heifGrey  = 2
	heif420   = 1
	heif422   = 2
	heif444   = 3
)

// DecodeHEIC reads a picture of at most so many pixels, as people see it: it is turned as the
// file asks.
func DecodeHEIC(ctx context.Context, data []byte, most int64) (image.Image, error) {
	var img image.Image
	err := heifModule.use(ctx, func(i instance) error {
		in, err := i.put(data)
		if err != nil {
			return err
		}
		const numbers = 5
		at, err := i.room(4 * numbers)
		if err != nil {
			return err
		}
		if len(data) >= 12 && !i.mod.Memory().WriteString(in+8, "heic") { // the brands of others are refused
			return errMemory
		}
		decode := func(configOnly bool, out uint32) error {
			ok, err := i.call("decode", uint64(in), uint64(len(data)), flag(configOnly),
				uint64(at), uint64(at+4), uint64(at+8), uint64(at+12), uint64(at+16), uint64(out))
			if err == nil && ok == 0 {
				err = errFailed
			}
			return err
		}
		if err := decode(true, 0); err != nil {
			return fmt.Errorf("read HEIC: %w", err)
		}
		var width, height, space, chroma, premultiplied uint32
		if err := i.numbers(at, &width, &height, &space, &chroma, &premultiplied); err != nil {
			return err
		}
		if err := checkSize(width, height, most); err != nil {
			return err
		}
		p := planesOf(int(width), int(height), space, chroma)
		if p.size == 0 {
			return fmt.Errorf("read HEIC: %w", errFailed)
		}
		out, err := i.room(p.size)
		if err != nil {
			return err
		}
		if err := decode(false, out); err != nil {
			return fmt.Errorf("read HEIC: %w", err)
		}
		pix, err := i.bytes(out, p.size)
		if err != nil {
			return err
		}
		img = p.image(bytes.Clone(pix), premultiplied == 1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return img, nil
}

// planes tells how libheif lays out a picture.
type planes struct {
	rect            image.Rectangle
	space           uint32
	ratio           image.YCbCrSubsampleRatio
	stride, cStride int
	cHeight, size   int
}

// planesOf gives planes of size 0 for what is not known.
func planesOf(w, h int, space, chroma uint32) planes {
	p := planes{rect: image.Rect(0, 0, w, h), space: space, stride: heifStride(w, 1)}
	switch space {
	case heifGrey:
		p.size = p.stride * h
	case heifRGB:
		p.stride = heifStride(w, 4)
		p.size = p.stride * h
	case heifYCbCr:
		cw := (w + 1) / 2
		p.cHeight = h
		switch chroma {
		case heif420:
			p.ratio, p.cHeight = image.YCbCrSubsampleRatio420, (h+1)/2
		case heif422:
			p.ratio = image.YCbCrSubsampleRatio422
		case heif444:
			p.ratio, cw = image.YCbCrSubsampleRatio444, w
		default:
			return p
		}
		p.cStride = heifStride(cw, 1)
		p.size = p.stride*h + 2*p.cStride*p.cHeight
	}
	return p
}

// heifStride is the length of a row: libheif makes planes at least 64 pixels wide, and rows
// multiples of 16 bytes.
func heifStride(width, bytes int) int { return (max((width+1)&^1, 64)*bytes + 15) &^ 15 }

func (p planes) image(pix []byte, premultiplied bool) image.Image {
	switch {
	case p.space == heifGrey:
		return &image.Gray{Pix: pix, Stride: p.stride, Rect: p.rect}
	case p.space == heifRGB && premultiplied:
		return &image.RGBA{Pix: pix, Stride: p.stride, Rect: p.rect}
	case p.space == heifRGB:
		return &image.NRGBA{Pix: pix, Stride: p.stride, Rect: p.rect}
	}
	cb := p.stride * p.rect.Dy()
	cr := cb + p.cStride*p.cHeight
	return &image.YCbCr{
		Y: pix[:cb:cb], Cb: pix[cb:cr:cr], Cr: pix[cr:], YStride: p.stride, CStride: p.cStride, SubsampleRatio: p.ratio, Rect: p.rect,
	}
}

func checkSize(width, height uint32, most int64) error {
	if width == 0 || height == 0 || int64(width) > most/int64(height) {
		return fmt.Errorf("the picture has %d × %d pixels, which is not what its file declares", width, height)
	}
	return nil
}

// encode has the module write pixels of that size, as its settings say.
func (m *module) encode(ctx context.Context, pixels []byte, r image.Rectangle, settings ...uint64) (made []byte, err error) {
	err = m.use(ctx, func(i instance) error {
		at, err := i.put(pixels)
		if err != nil {
			return err
		}
		size, err := i.room(8)
		if err != nil {
			return err
		}
		out, err := i.call("encode", append([]uint64{uint64(at), uint64(r.Dx()), uint64(r.Dy()), uint64(size)}, settings...)...)
		if err != nil {
			return err
		}
		made, err = i.made(out, size)
		return err
	})
	if err != nil {
		return nil, err // what was made is not to be read then
	}
	return made, nil
}

// made is what was made at a place, whose size is at another one.
func (i instance) made(at, size uint32) ([]byte, error) {
	var n uint32
	if err := i.numbers(size, &n); err != nil {
		return nil, err
	}
	if at == 0 || n == 0 {
		return nil, errFailed
	}
	b, err := i.bytes(at, int(n))
	return bytes.Clone(b), err
}

// packed are the bytes of the pixels without a gap between rows.
func packed(pix []byte, stride int, rect image.Rectangle) []byte {
	row := 4 * rect.Dx()
	if stride == row {
		return pix[:row*rect.Dy()]
	}
	out := make([]byte, 0, row*rect.Dy())
	for y := range rect.Dy() {
		out = append(out, pix[y*stride:][:row]...)
	}
	return out
}

// premultiplied are the bytes of the pixels, each channel multiplied by the transparency.
func premultiplied(img *image.NRGBA) []byte {
	if img.Opaque() {
		return packed(img.Pix, img.Stride, img.Rect)
	}
	out := image.NewRGBA(img.Rect)
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Src)
	return out.Pix
}

func flag(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
