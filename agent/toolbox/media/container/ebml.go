package container

import "math/bits"

// The elements of Matroska and WebM that lead to the tracks (RFC 9559, section 5).
const (
	idEBML       = 0x1A45DFA3
	idSegment    = 0x18538067
	idTracks     = 0x1654AE6B
	idTrackEntry = 0xAE
	idTrackType  = 0x83
)

// element reads the head of the element at a place (RFC 8794, section 4). One of unknown
// length, as recorders write them, goes to the end of its parent, and open tells so. It is not
// ok where there is none that ends within its parent.
func (w *walk) element(at, end int64) (e part, open, ok bool) {
	if !w.step() {
		return part{}, false, false
	}
	var buffer [12]byte
	head := w.read(buffer[:], at, end)
	const longestID, longestSize = 4, 8
	id, n := number(head, longestID)
	size, m := number(head[n:], longestSize)
	if n == 0 || m == 0 {
		return part{}, false, false
	}
	e = part{kind: uint32(id), from: at + int64(n+m), to: end}
	marker := uint64(1) << (7 * m)
	if size -= marker; size == marker-1 {
		return e, true, true
	}
	if size > uint64(end-e.from) {
		return part{}, false, false
	}
	e.to = e.from + int64(size)
	return e, false, true
}

// number is one of variable length, with the mark of its length, and how many bytes it has: 0
// where there is none.
func number(b []byte, longest int) (uint64, int) {
	if len(b) == 0 {
		return 0, 0
	}
	n := bits.LeadingZeros8(b[0]) + 1
	if n > longest || n > len(b) {
		return 0, 0
	}
	value := uint64(0)
	for _, digit := range b[:n] {
		value = value<<8 | uint64(digit)
	}
	return value, n
}

// segment counts the tracks of a file of Matroska. They stand before what they hold, where it
// is written as all do; where they do not, what has no length is not passed.
func (w *walk) segment(size int64) (found Tracks, ok bool) {
	head, open, ok := w.element(0, size)
	if !ok || open || head.kind != idEBML {
		return found, false
	}
	segment, _, ok := w.element(head.to, size)
	if !ok || segment.kind != idSegment {
		return found, false
	}
	for at := segment.from; at < segment.to; {
		e, open, ok := w.element(at, segment.to)
		switch {
		case !ok || open:
			return found, false
		case e.kind == idTracks:
			return found, w.entries(e, &found)
		}
		at = e.to
	}
	return found, false
}

// entries counts the tracks of an element that holds them.
func (w *walk) entries(all part, found *Tracks) bool {
	return w.within(all, func(entry part) bool {
		return entry.kind != idTrackEntry || w.within(entry, func(e part) bool {
			if e.kind != idTrackType {
				return true
			}
			var buffer [1]byte
			sort := w.read(buffer[:], e.from, e.to)
			if len(sort) != 1 || e.to != e.from+1 {
				return false
			}
			const video, audio, complexTrack = 1, 2, 3
			switch sort[0] {
			case audio:
				found.Sound++
			case video, complexTrack:
				found.Pictures++
			}
			return true
		})
	})
}

// within does something with each element in another. It is not ok where what lies there is
// not elements from beginning to end.
func (w *walk) within(all part, each func(e part) bool) bool {
	for at := all.from; at < all.to; {
		e, open, ok := w.element(at, all.to)
		if !ok || open || !each(e) {
			return false
		}
		at = e.to
	}
	return true
}
