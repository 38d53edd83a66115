package container

import (
	"encoding/binary"
	"math"
)

// part is a piece of a container: its kind and the position of its body.
type part struct {
	kind     uint32
	from, to int64
}

func fourCC(name string) uint32 { return binary.BigEndian.Uint32([]byte(name)) }

// box reads the header of the box at a position (ISO/IEC 14496-12, 4.2; the same in Apple's QuickTime
// File Format). It returns false unless the box ends within its parent.
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
	case size == 0: // up to the end
		size = end - at
	case size == 1 && len(head) == 16: // a 64-bit size follows
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

// inside calls each for every box in a range. It returns false unless the range consists of whole boxes.
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

// film counts the tracks of a file of boxes. They are listed in one box, which may be the last.
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

// track counts a track by its media handler (8.4.3). Subtitles, time codes and other tracks are ignored.
func (w *walk) track(trak part, found *Tracks) bool {
	return w.inside(trak.from, trak.to, func(mdia part) bool {
		if mdia.kind != fourCC("mdia") {
			return true
		}
		return w.inside(mdia.from, mdia.to, func(hdlr part) bool {
			if hdlr.kind != fourCC("hdlr") {
				return true
			}
			const before = 8 // version, flags, and four unrelated bytes
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
