package imagefile

import (
	"bytes"
	"image"
	"image/color"
)

// HeadLength is how much of a file is read to choose how to decode it.
const HeadLength = 1 << 20

// ReadingRate returns the maximum memory per pixel, in bytes, for decoding to an upright 8-bit
// picture: the decoder's output, its working memory, and a copy.
func ReadingRate(mime string, cfg image.Config, head []byte) int64 {
	const upright, copied = 8, 4
	given := bytesOf(cfg.ColorModel)
	besides := int64(0)
	switch mime {
	case "image/png":
		if reducible(head) {
			return upright
		}
		if len(head) > interlaceAt && head[interlaceAt] != 0 { // in passes of up to half the picture
			besides = given / 2
		}
	case "image/jpeg":
		if given == 4 { // CMYK and RGB are assembled from their channels
			besides = 4
		}
		if progressive(head) { // four bytes per value until the last scan
			besides += 4 * given
		}
	case "image/webp":
		besides = 8 // buffers for transparency or transforms
	case AVIF: // memory of the library in its sandbox, measured
		besides = 36
	case JXL:
		besides = 32
	case "image/heic", "image/heif":
		besides = 24
	case "image/tiff":
		besides = 2 * given // decompressed strips, possibly a single one
	}
	return max(upright, given+besides+copied)
}

// bytesOf returns the bytes per pixel in a colour model.
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

// progressive reports whether a JPEG is progressive, or may be, as far as its beginning shows.
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

// Offsets in a PNG, whose first chunk has a fixed length.
const (
	depthAt     = 24
	colourAt    = 25
	interlaceAt = 28
	firstPart   = 33
)

// reducible reports whether a 16-bit PNG can be read directly as 8-bit: one that is not interlaced and
// has no transparent colour.
func reducible(b []byte) bool {
	if len(b) < firstPart || b[depthAt] != 16 || b[interlaceAt] != 0 {
		return false
	}
	before, _, found := bytes.Cut(b, []byte("IDAT"))
	return found && !bytes.Contains(before, []byte("tRNS"))
}
