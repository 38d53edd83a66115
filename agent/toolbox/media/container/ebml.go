package container

import "math/bits"

// The Matroska and WebM elements that lead to the tracks (RFC 9559, section 5).
const (
	idEBML       = 0x1A45DFA3
	idSegment    = 0x18538067
	idTracks     = 0x1654AE6B
	idTrackEntry = 0xAE
	idTrackType  = 0x83
)

// element reads the header of the element at a position (RFC 8794, section 4). An element of unknown
// length, as written by recorders, extends to the end of its parent and is open. ok is false unless
// the element ends within its parent.
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

// number reads a variable-length number, including its length marker, and returns its length in bytes; 0 if invalid.
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

// segment counts the tracks of a Matroska file. Writers usually put them before the media data;
// otherwise elements of unknown length cannot be skipped.
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

// entries counts the tracks in a Tracks element.
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

// within calls each for every child element. It returns false unless the parent consists of whole elements.
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
