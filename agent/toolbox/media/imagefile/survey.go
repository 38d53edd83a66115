package imagefile

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

// surveyTIFF returns the file as EXIF, which has the TIFF format.
func surveyTIFF(b []byte) (Survey, error) { return Survey{EXIF: b}, nil }

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
