// Package codec writes WebP, AVIF and JPEG XL, and reads AVIF, HEIC and JPEG XL, with the usual
// libraries: libwebp, libavif with libaom, libheif with libde265, and libjxl.
//
// Guarantees:
//   - The libraries are WebAssembly and run in a sandbox: they see the bytes of one picture and
//     nothing else. No system library is ever loaded.
//   - A picture has limits of memory and time, and stops soon after its context ends.
//   - A damaged picture is an error. It cannot harm the next one, which gets memory of its own.
//   - Callers first compare the declared size with their limits; a picture larger than declared
//     is an error.
//
// wasm/README.md says where the libraries come from.
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

// MaxWebP is the maximum side of a WebP picture.
const MaxWebP = 16383

// EncodeWebP writes a picture as WebP with a JPEG-like quality from 1 to 100.
func EncodeWebP(ctx context.Context, img *image.NRGBA, quality int, lossless bool) ([]byte, error) {
	const method, rgba = 2, 0
	made, err := webpModule.encode(ctx, packed(img.Pix, img.Stride, img.Rect), img.Rect, rgba, uint64(quality), method, flag(lossless), 0)
	if err != nil {
		return nil, fmt.Errorf("write WebP: %w", err)
	}
	return made, nil
}

// avifSpeed is libavif's speed, 0 to 10. Slower speeds take too long for large photos.
const avifSpeed = 8

// EncodeAVIF writes a picture as AVIF with a JPEG-like quality from 1 to 100.
func EncodeAVIF(ctx context.Context, img *image.NRGBA, quality int) ([]byte, error) {
	const yuv420, alphaQuality = 3, 90
	own := uint64(max(quality-20, 1)) // on libavif's scale, photos look about as good there
	made, err := avifEncoder.encode(ctx, premultiplied(img), img.Rect, own, alphaQuality, avifSpeed, yuv420)
	if err != nil {
		return nil, fmt.Errorf("write AVIF: %w", err)
	}
	return made, nil
}

// MaxJXL is the maximum number of pixels of a JPEG XL picture to write: the library takes 84 bytes per pixel.
const MaxJXL = 20_000_000

// jxlEffort is libjxl's effort, 1 to 10. Higher efforts take too long for large photos.
const jxlEffort = 3

// EncodeJXL writes a picture as JPEG XL with a JPEG-like quality from 1 to 100; 100 is lossless.
func EncodeJXL(ctx context.Context, img *image.NRGBA, quality int) ([]byte, error) {
	made, err := jxlEncoder.encode(ctx, packed(img.Pix, img.Stride, img.Rect), img.Rect, uint64(quality), jxlEffort)
	if err != nil {
		return nil, fmt.Errorf("write JPEG XL: %w", err)
	}
	return made, nil
}

// DecodeAVIF reads a picture of at most maxPixels pixels as stored, without applying its orientation. For
// an animation it returns the first frame.
func DecodeAVIF(ctx context.Context, data []byte, maxPixels int64) (image.Image, error) {
	pix, rect, err := decoded(ctx, avifDecoder, data, maxPixels, func(depth uint32) bool { return depth > 8 }, 1)
	if err != nil {
		return nil, fmt.Errorf("read AVIF: %w", err)
	}
	return &image.RGBA{Pix: pix, Stride: 4 * rect.Dx(), Rect: rect}, nil
}

// DecodeJXL reads a picture of at most maxPixels pixels, with its orientation applied. For an animation it
// returns the first frame.
func DecodeJXL(ctx context.Context, data []byte, maxPixels int64) (image.Image, error) {
	pix, rect, err := decoded(ctx, jxlDecoder, data, maxPixels, func(depth uint32) bool { return depth == 16 }, 0)
	if err != nil {
		return nil, fmt.Errorf("read JPEG XL: %w", err)
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * rect.Dx(), Rect: rect}, nil
}

// decoded returns the pixels of a picture with four 8-bit channels. For deep pictures the module
// returns two bytes per channel; high is the index of the high byte.
func decoded(ctx context.Context, m *module, data []byte, maxPixels int64, deep func(bits uint32) bool, high int) ([]byte, image.Rectangle, error) {
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
		delays, err := i.room(mostDelays) // more frames than that only corrupt the module's own memory
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
		if err := checkSize(width, height, maxPixels); err != nil {
			return err
		}
		size, wide := int(width)*int(height)*4, 1 // bytes per channel
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

// mostDelays is the size of the buffer for frame delays, in bytes.
const mostDelays = 1 << 16

// libheif's constants for colour spaces and chroma subsampling.
const (
	heifYCbCr = 0
	heifRGB   = 1
	heifGrey  = 2
	heif420   = 1
	heif422   = 2
	heif444   = 3
)

// DecodeHEIC reads a picture of at most maxPixels pixels, with its orientation applied.
func DecodeHEIC(ctx context.Context, data []byte, maxPixels int64) (image.Image, error) {
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
		if len(data) >= 12 && !i.mod.Memory().WriteString(in+8, "heic") { // other brands would be rejected
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
		if err := checkSize(width, height, maxPixels); err != nil {
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

// planes describes libheif's memory layout of a picture.
type planes struct {
	rect            image.Rectangle
	space           uint32
	ratio           image.YCbCrSubsampleRatio
	stride, cStride int
	cHeight, size   int
}

// planesOf returns planes of size 0 for unknown layouts.
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

// heifStride returns the length of a row in bytes: libheif's planes are at least 64 pixels wide, and
// rows are multiples of 16 bytes.
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

func checkSize(width, height uint32, maxPixels int64) error {
	if width == 0 || height == 0 || int64(width) > maxPixels/int64(height) {
		return fmt.Errorf("the picture has %d × %d pixels, unlike its header", width, height)
	}
	return nil
}

// encode encodes pixels of the given size with the module's encode function and its settings.
func (m *module) encode(ctx context.Context, pixels []byte, r image.Rectangle, settings ...uint64) ([]byte, error) {
	var made []byte // no named result: a return would write to it while do may still run
	err := m.use(ctx, func(i instance) error {
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
		return nil, err // ignore any output then
	}
	return made, nil
}

// made reads the output at a position, whose length is stored at size.
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

// packed returns the bytes of the pixels without gaps between rows.
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

// premultiplied returns the bytes of the pixels with colours multiplied by alpha.
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
