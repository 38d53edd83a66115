package metadata

import (
	"bytes"
	"encoding/binary"
)

// jpeg walks the segments of a JPEG file (ITU T.81, annex B). Data after its end, where phones store a
// video, is dropped.
func (k *kept) jpeg(b []byte) {
	const soi = 2
	k.keep(0, soi)
	exifs := 0
	for at := soi; ; {
		at += untilMarker(b[at:]) // decoders also skip data between segments
		if at+2 > len(b) {
			return
		}
		const end, scan, jfif, app1 = 0xD9, 0xDA, 0xE0, 0xE1
		marker := b[at+1]
		if marker == end {
			k.keep(int64(at), int64(at+2))
			return
		}
		if at+4 > len(b) {
			return
		}
		next := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if next < at+4 { // not a segment
			at += 2
			continue
		}
		next = min(next, len(b))
		body := b[at+4 : next]
		if marker == scan {
			next += untilMarker(b[next:])
		}
		exif, isEXIF := bytes.CutPrefix(body, []byte("Exif\x00\x00"))
		switch {
		case marker == app1 && isEXIF:
			if exifs++; exifs == 1 { // readers ignore further ones
				k.exif(exif, int64(at), int64(next))
			}
		case marker == jfif && len(body) > bareJFIF && keepsSegment(marker, body):
			k.put(append([]byte{0xFF, jfif, 0, 2 + bareJFIF}, body[:bareJFIF-2]...))
			k.put([]byte{0, 0}) // the thumbnail's size
		case keepsSegment(marker, body):
			k.keep(int64(at), int64(next))
		}
		at = next
	}
}

// exif keeps only the orientation of an EXIF segment.
func (k *kept) exif(exif []byte, at, next int64) {
	switch only, bare := upright(exif); {
	case bare:
		k.keep(at, next)
	case only != nil:
		k.put(binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(2+len("Exif\x00\x00")+len(only))))
		k.put(append([]byte("Exif\x00\x00"), only...))
	}
}

// bareJFIF is the length of a JFIF segment without a thumbnail.
const bareJFIF = 14

// keepsSegment reports whether the picture needs a segment.
func keepsSegment(marker byte, body []byte) bool {
	switch marker {
	case 0xE0: // JFIF, but not its extension with a thumbnail
		return bytes.HasPrefix(body, []byte("JFIF\x00"))
	case 0xE2: // but not the list of pictures after the end
		return bytes.HasPrefix(body, []byte("ICC_PROFILE\x00"))
	case 0xEE:
		return bytes.HasPrefix(body, []byte("Adobe"))
	case 0xFE: // a comment
		return false
	default: // no other application segments
		return marker < 0xE0 || marker > 0xEF
	}
}

// untilMarker returns the distance to the next marker that starts a segment or ends the picture,
// skipping scan data and meaningless bytes.
func untilMarker(b []byte) int {
	for at := 0; at+1 < len(b); at++ {
		if b[at] == 0xFF && !alone(b[at+1]) {
			return at
		}
	}
	return len(b)
}

// alone reports whether the byte after 0xFF does not start a segment: 0 in scan data, padding, and
// markers without a length (TEM, RST0 to RST7, SOI).
func alone(marker byte) bool {
	return marker <= 0x01 || marker >= 0xD0 && marker <= 0xD8 || marker == 0xFF
}
