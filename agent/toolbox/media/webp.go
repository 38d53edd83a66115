package media

import (
	"encoding/binary"
	"image"
	"io"
)

// surveyWebP reads the chunks of a WebP file. The decoder at hand takes only still
// pictures, so the first frame of an animation is made into a file of its own.
func surveyWebP(b []byte) (survey, error) {
	var s survey
	const riffHeader = 12
	if len(b) < riffHeader || int64(binary.LittleEndian.Uint32(b[4:]))+8 > int64(len(b))+1 {
		return s, io.ErrUnexpectedEOF
	}
	for kind, body := range riffChunks(b[riffHeader:]) {
		switch kind {
		case "EXIF":
			s.exif = body
		case "ICCP":
			s.icc = body
		case "ANMF":
			if s.frames++; s.frames == 1 {
				s.still, s.offset = stillWebP(body)
			}
		}
	}
	return s, nil
}

// riffChunks walks over chunks: four letters, a little-endian length, the body, and a
// byte of padding after odd lengths. It ends where a chunk is cut off.
func riffChunks(b []byte) func(func(string, []byte) bool) {
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

// stillWebP wraps one frame of an animation as a still picture and tells where on the
// canvas it lies.
func stillWebP(frame []byte) ([]byte, image.Point) {
	const frameHeader = 16
	if len(frame) < frameHeader {
		return []byte{}, image.Point{} // the decoder will refuse it
	}
	offset := image.Pt(2*uint24(frame), 2*uint24(frame[3:]))
	chunks := frame[frameHeader:]
	var extended []byte
	for kind := range riffChunks(chunks) {
		if kind == "ALPH" { // an extended header must announce transparency
			extended = append([]byte("VP8X\x0A\x00\x00\x00\x10\x00\x00\x00"), frame[6:12]...)
		}
	}
	body := append([]byte("WEBP"), append(extended, chunks...)...)
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)))
	return append(out, body...), offset
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
