// Package imagefile reads the headers and parts of picture files, and decodes pictures.
//
// Guarantees:
//   - Headers and parts are read in bounded memory, without decoding pixels.
//   - A truncated or damaged file is an error, or has less metadata.
package imagefile

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"atelier/agent/toolbox/media/codec"
	"atelier/agent/toolbox/media/exif"
)

// MIME types of formats that are decoded in a sandbox.
const (
	AVIF = "image/avif"
	JXL  = "image/jxl"
)

// Format reads one picture format.
type Format struct {
	Config func(io.Reader) (image.Config, error)
	Decode func(io.Reader) (image.Image, error)
	// Survey scans the file's parts without decoding.
	Survey func([]byte) (Survey, error)
	// Sandboxed decodes instead of Decode, for pictures of at most maxPixels pixels.
	Sandboxed func(ctx context.Context, data []byte, maxPixels int64) (image.Image, error)
}

// Of returns the format for a MIME type, if it is a readable picture format.
func Of(mime string) (Format, bool) {
	f, ok := formats[mime]
	return f, ok
}

var formats = map[string]Format{
	"image/png":    {png.DecodeConfig, decodePNG, surveyPNG, nil},
	"image/jpeg":   {jpeg.DecodeConfig, jpeg.Decode, surveyJPEG, nil},
	"image/gif":    {gif.DecodeConfig, gif.Decode, surveyGIF, nil},
	"image/webp":   {webp.DecodeConfig, DecodeWebP, SurveyWebP, nil},
	"image/bmp":    {bmp.DecodeConfig, bmp.Decode, surveyBMP, nil},
	"image/tiff":   {tiffConfig, decodeTIFF, surveyTIFF, nil},
	"image/x-icon": {iconConfig, decodePNG, surveyICO, nil},
	AVIF:           {avifConfig, nil, surveyAVIF, codec.DecodeAVIF},
	"image/heic":   {heicConfig, nil, surveyHEIC, codec.DecodeHEIC},
	"image/heif":   {heicConfig, nil, surveyHEIC, codec.DecodeHEIC},
	JXL:            {jxlConfig, nil, surveyJXL, codec.DecodeJXL},
}

// Survey is the result of scanning the parts of a picture file without decoding.
type Survey struct {
	EXIF   []byte        // a TIFF structure
	ICC    []byte        // a colour profile
	Frames int           // 0 or 1 for a still picture
	Length time.Duration // total duration of the frames of a GIF or WebP
	// orientation overrides the EXIF orientation; 0 means EXIF.
	orientation int
	Turned      bool // whether the decoder applies the orientation
	// Still is the first frame of an animation as a file of its own, if the decoder cannot read
	// animations, and Offset its position; otherwise nil.
	Still  []byte
	Offset image.Point
}

// Upright returns the EXIF orientation to apply to the decoded picture.
func (s Survey) Upright() int {
	if s.orientation != 0 {
		return s.orientation
	}
	return exif.Orientation(s.EXIF)
}

// MaxProfile is the maximum size of a colour profile; real ones are far smaller.
const MaxProfile = 4 << 20

func surveyBMP([]byte) (Survey, error) { return Survey{}, nil }

// surveyTIFF returns the file as EXIF, which has the TIFF format. Its frames are its pages.
func surveyTIFF(b []byte) (Survey, error) { return Survey{EXIF: b, Frames: tiffPages(b)}, nil }

// surveyJPEG reads the segments before the image data.
func surveyJPEG(b []byte) (Survey, error) {
	var s Survey
	for b = b[2:]; len(b) >= 4 && b[0] == 0xFF; {
		marker := b[1]
		if marker == 0xFF { // padding
			b = b[1:]
			continue
		}
		const startOfScan, app1, app2 = 0xDA, 0xE1, 0xE2
		size := int(binary.BigEndian.Uint16(b[2:])) + 2
		if marker == startOfScan || size < 4 || size > len(b) {
			break
		}
		body := b[4:size]
		if exif, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok && marker == app1 && s.EXIF == nil {
			s.EXIF = exif
		}
		// A profile may span several segments, numbered, and in practice in order.
		if part, ok := bytes.CutPrefix(body, []byte("ICC_PROFILE\x00")); ok && marker == app2 && len(part) > 2 {
			s.ICC = append(s.ICC, part[2:]...)
		}
		b = b[size:]
	}
	return s, nil
}

// surveyPNG reads the chunks other than the image data.
func surveyPNG(b []byte) (Survey, error) {
	var s Survey
	const signature, around = 8, 12 // length, type and checksum around a chunk's body
	for b = b[signature:]; len(b) >= around; {
		size := int64(binary.BigEndian.Uint32(b))
		if size > int64(len(b)-around) {
			break // the decoder decides whether that is an error
		}
		body := b[8 : 8+size]
		switch string(b[4:8]) {
		case "eXIf":
			s.EXIF = body
		case "iCCP":
			s.ICC = unpackProfile(body)
		case "acTL":
			if len(body) >= 4 {
				s.Frames = int(binary.BigEndian.Uint32(body))
			}
		}
		b = b[around+size:]
	}
	return s, nil
}

// unpackProfile inflates a PNG's colour profile. It returns nil for an invalid one, since the picture
// is usable without it.
func unpackProfile(body []byte) []byte {
	_, packed, ok := bytes.Cut(body, []byte{0})
	if !ok || len(packed) < 2 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(z, MaxProfile+1))
	if err = errors.Join(err, z.Close()); err != nil || len(profile) > MaxProfile {
		return nil
	}
	return profile
}

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
