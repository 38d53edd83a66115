package media

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"
)

// Weight is what a picture takes of memory.
type Weight struct {
	// MIME is that of [Info].
	MIME string
	// Width and Height are its sides as it is stored.
	Width, Height int
	// Animated tells that the file may hold an animation of which all frames can be read.
	Animated bool
	// Reading is how many bytes reading it takes at most, its file included.
	Reading int64
}

// Weigh tells what the picture in the file will take, by the beginning of the file. It is
// zero for a file that is refused before it is decoded.
func Weigh(path string, l Limits) Weight {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return Weight{}
	}
	w := f.weight(l)
	if f.Close() != nil {
		return Weight{}
	}
	return w
}

// Bytes is what it takes to read the picture and to work on it by means that hold so many
// bytes for each of its pixels, the picture included: four for each picture of its size.
func (w Weight) Bytes(perPixel int64) int64 { return max(w.Reading, perPixel*w.Pixels()) }

// Pixels is how many it has.
func (w Weight) Pixels() int64 { return int64(w.Width) * int64(w.Height) }

// headLength is how much of a file is looked at for how it is to be read.
const headLength = 1 << 20

// weight leaves the file at its beginning.
func (f *file) weight(l Limits) Weight {
	format, ok := formats[f.kind.mime]
	if !ok {
		return Weight{}
	}
	cfg, err := format.config(f)
	if errors.Join(err, f.rewind()) != nil || cfg.Width <= 0 || cfg.Height <= 0 || int64(cfg.Width) > l.Pixels/int64(cfg.Height) {
		return Weight{}
	}
	head, err := io.ReadAll(io.LimitReader(f, headLength))
	if errors.Join(err, f.rewind()) != nil {
		return Weight{}
	}
	w := Weight{MIME: f.kind.mime, Width: cfg.Width, Height: cfg.Height}
	w.Animated = w.MIME == "image/gif" || w.MIME == "image/webp" && saysAnimated(head)
	w.Reading = f.size + w.Pixels()*readingRate(f.kind.mime, cfg, head)
	return w
}

func (f *file) rewind() error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// readingRate is how many bytes a pixel takes at most from the file to a picture of eight
// bits a channel, upright: what the decoder gives and needs besides, and a copy of it.
func readingRate(mime string, cfg image.Config, head []byte) int64 {
	const upright, copied = 8, 4
	given := bytesOf(cfg.ColorModel)
	besides := int64(0)
	switch mime {
	case "image/png":
		if reducible(head) {
			return upright
		}
		if len(head) > interlaceAt && head[interlaceAt] != 0 { // in passes of up to half of it
			besides = given / 2
		}
	case "image/jpeg":
		if given == 4 { // CMYK and RGB are put together of their channels
			besides = 4
		}
		if progressive(head) { // four bytes for each value, until the last scan
			besides += 4 * given
		}
	case "image/webp":
		besides = 8 // what its transparency, or its transforms, are unpacked into
	case avif: // what the library holds in its sandbox, measured
		besides = 36
	case jpegXL:
		besides = 32
	case "image/heic", "image/heif":
		besides = 24
	case "image/tiff":
		besides = 2 * given // the parts that are unpacked, which may be one
	}
	return max(upright, given+besides+copied)
}

// bytesOf is how many bytes a pixel has of a picture in that model of colours.
func bytesOf(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 4
}

// progressive tells a JPEG that comes in scans over the whole picture; one of which the
// head does not tell counts as such.
func progressive(head []byte) bool {
	for b := head[min(2, len(head)):]; len(b) >= 4 && b[0] == 0xFF; {
		switch b[1] {
		case 0xFF: // padding
			b = b[1:]
			continue
		case 0xC0, 0xC1:
			return false
		}
		size := int(b[2])<<8 + int(b[3]) + 2
		if size > len(b) {
			break
		}
		b = b[size:]
	}
	return true
}

// Where things stand in a PNG, whose first part is always of the same length.
const (
	depthAt     = 24
	colourAt    = 25
	interlaceAt = 28
	firstPart   = 33
)

// reducible tells a PNG that is read with eight bits a channel at once, though it has
// sixteen: one that is not interlaced, and of which no colour counts as transparent.
func reducible(b []byte) bool {
	if len(b) < firstPart || b[depthAt] != 16 || b[interlaceAt] != 0 {
		return false
	}
	before, _, found := bytes.Cut(b, []byte("IDAT"))
	return found && !bytes.Contains(before, []byte("tRNS"))
}
