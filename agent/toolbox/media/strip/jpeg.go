package strip

import (
	"bytes"
	"encoding/binary"
)

// jpeg walks over the segments of a JPEG file (ITU T.81, annex B). What lies behind its end is
// left out, where phones put a film.
func (k *kept) jpeg(b []byte) {
	const soi = 2
	k.keep(0, soi)
	for at := soi; at+2 <= len(b) && b[at] == 0xFF; {
		marker := b[at+1]
		if marker == 0xFF { // padding
			at++
			continue
		}
		const end, scan = 0xD9, 0xDA
		if marker == end {
			k.keep(int64(at), int64(at+2))
			return
		}
		if at+4 > len(b) {
			return
		}
		next := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if next > len(b) || next < at+4 {
			return // decoders end here, too
		}
		body := b[at+4 : next]
		if marker == scan {
			next += untilMarker(b[next:])
		}
		exif, isEXIF := bytes.CutPrefix(body, []byte("Exif\x00\x00"))
		only, bare := upright(exif)
		switch {
		case marker == 0xE1 && isEXIF && only != nil && !bare:
			k.put(binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(2+len("Exif\x00\x00")+len(only))))
			k.put(append([]byte("Exif\x00\x00"), only...))
		case marker == 0xE1 && isEXIF && bare, keepsSegment(marker, body):
			k.keep(int64(at), int64(next))
		}
		at = next
	}
}

// keepsSegment tells of a segment whether the picture needs it.
func keepsSegment(marker byte, body []byte) bool {
	switch marker {
	case 0xE0: // JFIF, and not the extension which holds a thumbnail
		return bytes.HasPrefix(body, []byte("JFIF\x00"))
	case 0xE2: // and not the list of further pictures behind the end
		return bytes.HasPrefix(body, []byte("ICC_PROFILE\x00"))
	case 0xEE:
		return bytes.HasPrefix(body, []byte("Adobe"))
	case 0xFE: // a comment
		return false
	default: // no other application's
		return marker < 0xE0 || marker > 0xEF
	}
}

// untilMarker is how far the data of a scan go.
func untilMarker(b []byte) int {
	for at := 0; at+1 < len(b); at++ {
		if b[at] == 0xFF && b[at+1] != 0 && b[at+1] != 0xFF && (b[at+1] < 0xD0 || b[at+1] > 0xD7) {
			return at
		}
	}
	return len(b)
}
