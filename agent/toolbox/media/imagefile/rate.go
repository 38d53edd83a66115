package imagefile

import (
	"bytes"
	"image"
	"image/color"
)

// HeadLength is how much of a file is looked at for how it is to be read.
const HeadLength = 1 << 20

// ReadingRate is how many bytes a pixel takes at most from the file to a picture of eight
// bits a channel, upright: what the decoder gives and needs besides, and a copy of it.
func ReadingRate(mime string, cfg image.Config, head []byte) int64 {
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
	case AVIF: // what the library holds in its sandbox, measured
		besides = 36
	case JXL:
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
