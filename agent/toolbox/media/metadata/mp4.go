package metadata

import (
	"encoding/binary"
	"slices"
)

// boxed reports whether a box of that kind may start a file.
func boxed(kind string) bool {
	return slices.Contains([]string{"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"}, kind)
}

// stills are the brands of HEIC and AVIF pictures. They store the position of their pixels in boxes
// that are metadata in other files.
var stills = []string{"heic", "heix", "heim", "heis", "hevc", "hevm", "hevs", "hevx", "mif1", "mif2", "msf1", "avif", "avis", "avci", "avcs", "jpeg", "jpgs"}

// mp4 replaces metadata boxes by free space of the same length, so that offsets stay valid (ISO/IEC
// 14496-12; Apple's QuickTime File Format).
func (k *kept) mp4(in source) error {
	head, err := in.bytes(0, 12)
	if err != nil {
		return err
	}
	if string(head[4:8]) == "ftyp" && slices.Contains(stills, string(head[8:])) {
		k.all()
		return nil
	}
	return k.boxes(in, 0, in.size, 0)
}

// boxes processes the boxes between two positions.
func (k *kept) boxes(in source, from, to int64, depth int) error {
	for at := from; at < to; {
		kind, body, next, err := in.box(at, to)
		if err != nil {
			return err
		}
		switch {
		case next == 0: // not a box: keep the rest
			k.keep(at, to)
			return nil
		case slices.Contains([]string{"udta", "meta", "uuid"}, kind):
			k.free(at, body, next)
		case kind == "trak":
			notes, err := in.isMetadata(body, next)
			if err != nil {
				return err
			}
			if notes {
				k.free(at, body, next)
				break
			}
			fallthrough
		case (kind == "moov" || kind == "moof" || kind == "traf") && depth < 4:
			k.keep(at, body)
			if err := k.boxes(in, body, next, depth+1); err != nil {
				return err
			}
		default:
			k.keep(at, next)
		}
		at = next
	}
	return nil
}

// free replaces a box by free space of the same length.
func (k *kept) free(at, body, next int64) {
	k.keep(at, at+4)
	k.put([]byte("free"))
	k.keep(at+8, body) // the 64-bit length, if any
	k.blank(body, next)
}

// isMetadata reports whether a track contains timed metadata, such as camera positions, instead of video or audio.
func (s source) isMetadata(from, to int64) (bool, error) {
	for at := from; at < to; {
		kind, body, next, err := s.box(at, to)
		if err != nil || next == 0 {
			return false, err
		}
		switch kind {
		case "mdia":
			return s.isMetadata(body, next)
		case "hdlr":
			b, err := s.bytes(body, 12)
			return err == nil && len(b) == 12 && string(b[8:]) == "meta", err
		}
		at = next
	}
	return false, nil
}

// box reads the header of a box and returns the start of its body and of the next box; next is 0 if
// there is no valid box.
func (s source) box(at, to int64) (kind string, body, next int64, err error) {
	head, err := s.bytes(at, 16)
	if err != nil || len(head) < 8 {
		return "", 0, 0, err
	}
	size, body := int64(binary.BigEndian.Uint32(head)), at+8
	switch {
	case size == 0: // up to the end
		size = to - at
	case size == 1 && len(head) == 16:
		size, body = int64(binary.BigEndian.Uint64(head[8:])), at+16
	}
	if size < body-at || size > to-at {
		return "", 0, 0, nil
	}
	return string(head[4:8]), body, at + size, nil
}
