package container

import (
	"encoding/binary"
	"math"
)

// part is a piece of a container: what it is, and where its body lies.
type part struct {
	kind     uint32
	from, to int64
}

func fourCC(name string) uint32 { return binary.BigEndian.Uint32([]byte(name)) }

// box reads the head of the box at a place (ISO/IEC 14496-12, 4.2; the same in Apple's
// QuickTime File Format). It is not ok where there is none that ends within its parent.
func (w *walk) box(at, end int64) (part, bool) {
	if !w.step() {
		return part{}, false
	}
	var buffer [16]byte
	head := w.read(buffer[:], at, end)
	if len(head) < 8 {
		return part{}, false
	}
	size, body := int64(binary.BigEndian.Uint32(head)), at+8
	switch {
	case size == 0: // to the end
		size = end - at
	case size == 1 && len(head) == 16: // it follows, in 64 bits
		long := binary.BigEndian.Uint64(head[8:])
		if long > math.MaxInt64 {
			return part{}, false
		}
		size, body = int64(long), at+16
	}
	if size < body-at || size > end-at {
		return part{}, false
	}
	return part{binary.BigEndian.Uint32(head[4:]), body, at + size}, true
}

// inside does something with each box within a place. It is not ok where what lies there is
// not boxes from beginning to end.
func (w *walk) inside(from, to int64, each func(b part) bool) bool {
	for at := from; at < to; {
		b, ok := w.box(at, to)
		if !ok || !each(b) {
			return false
		}
		at = b.to
	}
	return true
}

// film counts the tracks of a file of boxes. They are told in one box, which may be the last.
func (w *walk) film(size int64) (found Tracks, ok bool) {
	for at := int64(0); at < size; {
		b, there := w.box(at, size)
		if !there {
			return found, false
		}
		if b.kind == fourCC("moov") {
			ok = w.inside(b.from, b.to, func(b part) bool { return b.kind != fourCC("trak") || w.track(b, &found) })
			return found, ok
		}
		at = b.to
	}
	return found, false
}

// track counts a track by what handles its media (8.4.3). What is neither seen nor heard, such
// as a subtitle or a time code, does not count.
func (w *walk) track(trak part, found *Tracks) bool {
	return w.inside(trak.from, trak.to, func(mdia part) bool {
		if mdia.kind != fourCC("mdia") {
			return true
		}
		return w.inside(mdia.from, mdia.to, func(hdlr part) bool {
			if hdlr.kind != fourCC("hdlr") {
				return true
			}
			const before = 8 // version, flags, and four bytes of another use
			var buffer [4]byte
			handler := w.read(buffer[:], hdlr.from+before, hdlr.to)
			if len(handler) < len(buffer) {
				return false
			}
			switch string(handler) {
			case "soun":
				found.Sound++
			case "vide", "pict", "auxv":
				found.Pictures++
			}
			return true
		})
	})
}
