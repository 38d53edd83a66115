package imagefile

import (
	"encoding/binary"
	"image"
	"io"
	"time"

	"golang.org/x/image/webp"
)

// The format of WebP: https://developers.google.com/speed/webp/docs/riff_container
const (
	WebPAnimated    = 1 << 1 // flag of the file
	WebPFrameHeader = 16
	RIFFHeader      = 12
)

// SurveyWebP reads the chunks of a WebP file. The decoder only reads still pictures, so the first
// frame of an animation is turned into a file of its own.
func SurveyWebP(b []byte) (Survey, error) {
	var s Survey
	if len(b) < RIFFHeader || int64(binary.LittleEndian.Uint32(b[4:]))+8 > int64(len(b))+1 {
		return s, io.ErrUnexpectedEOF
	}
	for kind, body := range RIFFChunks(b[RIFFHeader:]) {
		switch kind {
		case "EXIF":
			s.EXIF = body
		case "ICCP":
			s.ICC = body
		case "ANMF":
			if len(body) >= WebPFrameHeader {
				s.Length += time.Duration(Uint24(body[12:])) * time.Millisecond
			}
			if s.Frames++; s.Frames == 1 {
				s.Still, s.Offset = StillWebP(body)
			}
		}
	}
	return s, nil
}

// IsAnimated reports whether a file declares an animation.
func IsAnimated(head []byte) bool {
	for kind, body := range RIFFChunks(head[min(RIFFHeader, len(head)):]) {
		return kind == "VP8X" && len(body) > 0 && body[0]&WebPAnimated != 0
	}
	return false
}

// RIFFChunks iterates over chunks: four letters, a little-endian length, the body, and a padding byte
// after odd lengths. It stops at a truncated chunk.
func RIFFChunks(b []byte) func(func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for len(b) >= 8 {
			size := int64(binary.LittleEndian.Uint32(b[4:]))
			if size > int64(len(b)-8) || !yield(string(b[:4]), b[8:8+size]) {
				return
			}
			b = b[min(8+size+size%2, int64(len(b))):]
		}
	}
}

// StillWebP wraps one frame of an animation as a still picture and returns its position on the canvas.
func StillWebP(frame []byte) ([]byte, image.Point) {
	if len(frame) < WebPFrameHeader {
		return []byte{}, image.Point{} // the decoder will reject it
	}
	offset := image.Pt(2*Uint24(frame), 2*Uint24(frame[3:]))
	chunks := frame[WebPFrameHeader:]
	var extended []byte
	for kind := range RIFFChunks(chunks) {
		if kind == "ALPH" { // transparency needs an extended header
			extended = append([]byte("VP8X\x0A\x00\x00\x00\x10\x00\x00\x00"), frame[6:12]...)
		}
	}
	body := append([]byte("WEBP"), append(extended, chunks...)...)
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)))
	return append(out, body...), offset
}

// Uint24 reads a 3-byte little-endian number.
func Uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// DecodeWebP decodes with correct colours. Lossy WebP uses the video range, 16 to 235, but the
// decoder's types imply the full range.
func DecodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller adds context
	}
	var planes image.YCbCr
	var alpha *image.NYCbCrA
	switch p := img.(type) {
	case *image.YCbCr:
		planes = *p
	case *image.NYCbCrA:
		planes, alpha = p.YCbCr, p
	default:
		return img, nil
	}
	b := planes.Rect
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := out.Pix[y*out.Stride:]
		for x := range b.Dx() {
			c := planes.COffset(b.Min.X+x, b.Min.Y+y)
			// Factors as in libwebp.
			light := int(planes.Y[planes.YOffset(b.Min.X+x, b.Min.Y+y)]) * 19077 >> 8
			u, v := int(planes.Cb[c]), int(planes.Cr[c])
			row[4*x] = clip(light + v*26149>>8 - 14234)
			row[4*x+1] = clip(light - u*6419>>8 - v*13320>>8 + 8708)
			row[4*x+2] = clip(light + u*33050>>8 - 17685)
			row[4*x+3] = 255
			if alpha != nil {
				row[4*x+3] = alpha.A[alpha.AOffset(b.Min.X+x, b.Min.Y+y)]
			}
		}
	}
	return out, nil
}

// clip converts a 14-bit channel to 8 bits.
func clip(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
