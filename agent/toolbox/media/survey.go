package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"time"

	"atelier/agent/toolbox/media/exif"
)

// survey is what a walk over the parts of a picture file finds, without decoding any.
type survey struct {
	exif   []byte        // a TIFF structure
	icc    []byte        // a colour profile
	frames int           // 0 or 1 for a still picture
	length time.Duration // of the frames of a GIF or WebP in all
	// orientation is the one that counts where the EXIF does not; 0 where it does.
	orientation int
	turned      bool // the decoder turns the picture
	// still is a file of its own for the first frame of an animation that the decoder
	// does not take, and offset is where that frame lies; nil for all others.
	still  []byte
	offset image.Point
}

// upright is how the decoded picture is to be turned, by the numbers of EXIF.
func (s survey) upright() int {
	if s.orientation != 0 {
		return s.orientation
	}
	return exif.Orientation(s.exif)
}

// maxProfile is the largest colour profile that is unpacked; real ones are far smaller.
const maxProfile = 4 << 20

func surveyBMP([]byte) (survey, error) { return survey{}, nil }

// surveyTIFF gives the file itself: EXIF has the form of a TIFF file.
func surveyTIFF(b []byte) (survey, error) { return survey{exif: b}, nil }

// surveyJPEG reads the segments that stand before the picture's data.
func surveyJPEG(b []byte) (survey, error) {
	var s survey
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
		if exif, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok && marker == app1 && s.exif == nil {
			s.exif = exif
		}
		// A profile may be spread over segments, numbered, and in practice in order.
		if part, ok := bytes.CutPrefix(body, []byte("ICC_PROFILE\x00")); ok && marker == app2 && len(part) > 2 {
			s.icc = append(s.icc, part[2:]...)
		}
		b = b[size:]
	}
	return s, nil
}

// surveyPNG reads the chunks beside the picture's data.
func surveyPNG(b []byte) (survey, error) {
	var s survey
	const signature, around = 8, 12 // length, type and checksum stand around a chunk's body
	for b = b[signature:]; len(b) >= around; {
		size := int64(binary.BigEndian.Uint32(b))
		if size > int64(len(b)-around) {
			break // the decoder says whether that matters
		}
		body := b[8 : 8+size]
		switch string(b[4:8]) {
		case "eXIf":
			s.exif = body
		case "iCCP":
			s.icc = unpackProfile(body)
		case "acTL":
			if len(body) >= 4 {
				s.frames = int(binary.BigEndian.Uint32(body))
			}
		}
		b = b[around+size:]
	}
	return s, nil
}

// unpackProfile inflates a PNG's colour profile; nil if it is not a sane one, because
// a picture without its profile is still a picture.
func unpackProfile(body []byte) []byte {
	_, packed, ok := bytes.Cut(body, []byte{0})
	if !ok || len(packed) < 2 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(z, maxProfile+1))
	if err = errors.Join(err, z.Close()); err != nil || len(profile) > maxProfile {
		return nil
	}
	return profile
}

// surveyGIF counts the frames and finds out whether the file is whole.
func surveyGIF(b []byte) (survey, error) {
	var s survey
	err := walkGIF(b, func(f gifFrame) error {
		s.frames++
		if len(f.control) > flagsAt+2 {
			s.length += time.Duration(binary.LittleEndian.Uint16(f.control[flagsAt+1:])) * gifTick
		}
		return nil
	})
	if err == nil && s.frames == 0 {
		err = io.ErrUnexpectedEOF
	}
	return s, err
}

// gifFrame is a frame of a GIF, in parts of its file.
type gifFrame struct {
	// start is what stands before all frames: the canvas and the colours of all.
	start []byte
	// control says how long it is shown and what becomes of it then; it may be empty. It
	// belongs to the frame that follows it.
	control []byte
	// loop says how often the animation is shown; empty is once.
	loop []byte
	// image is the frame itself.
	image []byte
}

// walkGIF hands over one frame after the other. That the trailer alone is missing is
// forgiven, as everybody does.
func walkGIF(b []byte, each func(gifFrame) error) error {
	const header = 13
	if len(b) < header {
		return io.ErrUnexpectedEOF
	}
	rest, ok := skip(b[header:], colourTable(b[10]))
	f := gifFrame{start: b[:len(b)-len(rest)]}
	for ok && len(rest) > 0 {
		at := rest
		switch rest[0] {
		case 0x3B: // trailer
			return nil
		case 0x21: // extension: its label, then blocks
			if rest, ok = skip(rest, 2); ok {
				rest, ok = skipBlocks(rest)
			}
			switch part := at[:len(at)-len(rest)]; {
			case !ok:
			case part[1] == 0xF9:
				f.control = part
			case part[1] == 0xFF && bytes.HasPrefix(part[2:], []byte("\x0bNETSCAPE2.0\x03\x01")):
				f.loop = part
			}
		case 0x2C: // frame: its place, its colours, the code size, then blocks
			if len(rest) < 10 {
				return io.ErrUnexpectedEOF
			}
			if rest, ok = skip(rest, 10+colourTable(rest[9])+1); ok {
				rest, ok = skipBlocks(rest)
			}
			if f.image = at[:len(at)-len(rest)]; !ok {
				break
			}
			if err := each(f); err != nil {
				return err
			}
			f.control = nil
		default:
			return errors.New("gif: a block of an unknown kind")
		}
	}
	if !ok {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// colourTable is the size in bytes of the table that these flags announce.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func skip(b []byte, n int) ([]byte, bool) {
	if n > len(b) {
		return nil, false
	}
	return b[n:], true
}

func skipBlocks(b []byte) ([]byte, bool) {
	for len(b) > 0 {
		size := int(b[0])
		rest, ok := skip(b, size+1)
		if !ok || size == 0 {
			return rest, ok
		}
		b = rest
	}
	return nil, false
}
