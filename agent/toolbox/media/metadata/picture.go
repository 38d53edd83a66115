package metadata

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"atelier/agent/toolbox/media/exif"
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

// upright returns an EXIF structure with only the orientation of another; nil if that is the default.
// bare reports whether the other has nothing else.
func upright(from []byte) (only []byte, bare bool) {
	o := exif.Orientation(from)
	if o == 1 {
		return nil, false
	}
	only = []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // followed by the first directory
		0, 1, // with one entry:
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(o), 0, 0, // orientation, one short number
		0, 0, 0, 0, // no further directory
	}
	return only, bytes.Equal(only, from)
}

// shown lists the ancillary PNG chunks that the picture needs (the specification's third edition, section 11.3).
var shown = []string{
	"tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "hIST", "pHYs", "sPLT", "acTL", "fcTL", "fdAT",
}

// png walks the chunks of a PNG file.
func (k *kept) png(b []byte) {
	const signature, around = 8, 12 // length, type and checksum around a chunk's body
	k.keep(0, signature)
	for at := signature; at+around <= len(b); {
		next := at + around + int(binary.BigEndian.Uint32(b[at:]))
		if next > len(b) {
			k.keep(int64(at), int64(len(b))) // truncated: keep the rest
			return
		}
		kind := string(b[at+4 : at+8])
		switch critical := kind[0]&0x20 == 0; {
		case kind == "eXIf":
			switch only, bare := upright(b[at+8 : next-4]); {
			case bare:
				k.keep(int64(at), int64(next))
			case only != nil:
				k.put(chunk(kind, only))
			}
		case critical, slices.Contains(shown, kind):
			k.keep(int64(at), int64(next))
		}
		if kind == "IEND" {
			return
		}
		at = next
	}
}

func chunk(kind string, body []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	c = append(append(c, kind...), body...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

// loops are the application blocks that affect how a GIF is shown: its loop count and its colours.
var loops = []string{"NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"}

// gif walks the blocks of a GIF file (GIF89a, sections 14 and following).
func (k *kept) gif(b []byte) {
	const header = 13
	if len(b) < header {
		k.all()
		return
	}
	at := header + colours(b[10])
	k.keep(0, int64(min(at, len(b))))
	for at < len(b) {
		var next int
		keep := true
		switch {
		case b[at] == 0x3B: // trailer
			k.keep(int64(at), int64(at+1))
			return
		case b[at] == 0x2C && at+10 < len(b): // frame: position, colours, code size, then its data
			next = blocks(b, at+10+colours(b[at+9])+1)
		case b[at] == 0x21 && at+2 < len(b): // extension
			next = blocks(b, at+2)
			const comment, application = 0xFE, 0xFF
			keep = b[at+1] != comment && (b[at+1] != application || at+14 <= len(b) && slices.Contains(loops, string(b[at+3:at+14])))
		default: // not a valid GIF
			k.all()
			return
		}
		next = min(next, len(b))
		if keep {
			k.keep(int64(at), int64(next))
		}
		at = next
	}
}

// colours returns the size in bytes of the colour table given by the flags.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// blocks returns the end of the data blocks that start at that offset.
func blocks(b []byte, at int) int {
	for at < len(b) && b[at] != 0 {
		at += 1 + int(b[at])
	}
	return at + 1
}
