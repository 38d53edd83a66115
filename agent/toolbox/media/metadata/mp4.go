package metadata

import (
	"encoding/binary"
	"slices"
)

// boxed reports whether a file of boxes may begin with one of that kind.
func boxed(kind string) bool {
	return slices.Contains([]string{"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"}, kind)
}

// stills are the brands of pictures that lie in boxes, HEIC and AVIF. Where their pixels are is
// said in what is notes elsewhere.
var stills = []string{"heic", "heix", "heim", "heis", "hevc", "hevm", "hevs", "hevx", "mif1", "mif2", "msf1", "avif", "avis", "avci", "avcs", "jpeg", "jpgs"}

// mp4 makes the boxes that tell of a film free space of the same length, so that nothing
// moves (ISO/IEC 14496-12; Apple's QuickTime File Format).
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

// boxes looks at the boxes from one place to another.
func (k *kept) boxes(in source, from, to int64, depth int) error {
	for at := from; at < to; {
		kind, body, next, err := in.box(at, to)
		if err != nil {
			return err
		}
		switch {
		case next == 0: // no box: as much as there is
			k.keep(at, to)
			return nil
		case slices.Contains([]string{"udta", "meta", "uuid"}, kind):
			k.free(at, body, next)
		case kind == "trak":
			notes, err := in.ofNotes(body, next)
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

// free keeps of a box its length.
func (k *kept) free(at, body, next int64) {
	k.keep(at, at+4)
	k.put([]byte("free"))
	k.keep(at+8, body) // a length of 64 bits
	k.blank(body, next)
}

// ofNotes reports whether a track holds no picture and no sound but what is noted about them,
// as where a camera was.
func (s source) ofNotes(from, to int64) (bool, error) {
	for at := from; at < to; {
		kind, body, next, err := s.box(at, to)
		if err != nil || next == 0 {
			return false, err
		}
		switch kind {
		case "mdia":
			return s.ofNotes(body, next)
		case "hdlr":
			b, err := s.bytes(body, 12)
			return err == nil && len(b) == 12 && string(b[8:]) == "meta", err
		}
		at = next
	}
	return false, nil
}

// box reads the head of a box: where its body begins, and the next box. That is 0 where no box
// is.
func (s source) box(at, to int64) (kind string, body, next int64, err error) {
	head, err := s.bytes(at, 16)
	if err != nil || len(head) < 8 {
		return "", 0, 0, err
	}
	size, body := int64(binary.BigEndian.Uint32(head)), at+8
	switch {
	case size == 0: // to the end
		size = to - at
	case size == 1 && len(head) == 16:
		size, body = int64(binary.BigEndian.Uint64(head[8:])), at+16
	}
	if size < body-at || size > to-at {
		return "", 0, 0, nil
	}
	return string(head[4:8]), body, at + size, nil
}
