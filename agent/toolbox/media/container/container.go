// Package container counts the tracks of MP4 and Matroska files, which may hold sound, pictures or both.
//
// Guarantees:
//   - Only the heads of parts are read, and of no more than [MaxParts] of them.
//   - A damaged file has no tracks. It is no error: others say whether a file is whole.
package container

import "io"

// Tracks counts what a file holds, as far as people see or hear it.
type Tracks struct{ Sound, Pictures int }

// MP4 counts the tracks of a file in the format of MP4, QuickTime or 3GP. It reports false if they are not found.
func MP4(r io.ReaderAt, size int64) (Tracks, bool) {
	return (&walk{r: r, left: MaxParts}).film(size)
}

// Matroska counts the tracks of a Matroska or WebM file. It reports false if they are not found.
func Matroska(r io.ReaderAt, size int64) (Tracks, bool) {
	return (&walk{r: r, left: MaxParts}).segment(size)
}

// MaxParts is how many parts of a container are looked at. What stands before its tracks, and
// in them, are a few dozen; each costs a read of some bytes.
const MaxParts = 4096

// walk reads the heads of a container's parts.
type walk struct {
	r    io.ReaderAt
	left int // parts that may be looked at still
}

// read reads bytes at a place, as many as there are before the end.
func (w *walk) read(to []byte, at, end int64) []byte {
	to = to[:max(0, min(int64(len(to)), end-at))]
	n, _ := w.r.ReadAt(to, at) //nolint:errcheck // what is not there is not looked at
	return to[:n]
}

// step reports whether one more part may be looked at.
func (w *walk) step() bool {
	w.left--
	return w.left >= 0
}
