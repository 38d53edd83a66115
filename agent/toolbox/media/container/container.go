// Package container counts the tracks of MP4 and Matroska files, which may contain sound, pictures or both.
//
// Guarantees:
//   - Only the headers of parts are read, and at most [MaxParts] of them.
//   - A damaged file has no tracks. This is not an error: whether a file is valid is checked elsewhere.
package container

import "io"

// Tracks counts the audible and visible tracks of a file.
type Tracks struct{ Sound, Pictures int }

// MP4 counts the tracks of an MP4, QuickTime or 3GP file. It returns false if they are not found.
func MP4(r io.ReaderAt, size int64) (Tracks, bool) {
	return (&walk{r: r, left: MaxParts}).film(size)
}

// Matroska counts the tracks of a Matroska or WebM file. It returns false if they are not found.
func Matroska(r io.ReaderAt, size int64) (Tracks, bool) {
	return (&walk{r: r, left: MaxParts}).segment(size)
}

// MaxParts is the maximum number of parts that are read, a few bytes each. A valid file needs a few
// dozen up to the end of its tracks.
const MaxParts = 4096

// walk reads the headers of a container's parts.
type walk struct {
	r    io.ReaderAt
	left int // remaining parts
}

// read reads up to len(to) bytes at a position, not beyond end.
func (w *walk) read(to []byte, at, end int64) []byte {
	to = to[:max(0, min(int64(len(to)), end-at))]
	n, _ := w.r.ReadAt(to, at) //nolint:errcheck // the caller checks the length
	return to[:n]
}

// step reports whether one more part may be read.
func (w *walk) step() bool {
	w.left--
	return w.left >= 0
}
