package media

import (
	"io"

	"atelier/agent/plan"
)

// mp4Sound is what a film of boxes without moving pictures is. Phones and recorders give it
// the endings of films.
var mp4Sound = kind{"audio/mp4", plan.Audio, plan.Say("an MP4 sound"), []string{"m4a", "mp4", "m4b", "m4v", "mov", "qt", "3gp", "3g2", "f4v"}}

// soundIn are the kinds that a container of films is where it holds sound alone, by the kind
// that its first bytes tell.
var soundIn = map[string]kind{
	"video/mp4":        mp4Sound,
	"video/x-m4v":      mp4Sound,
	"video/quicktime":  mp4Sound,
	"video/3gpp":       mp4Sound,
	"video/3gpp2":      mp4Sound,
	"video/webm":       {"audio/webm", plan.Audio, plan.Say("a WebM sound"), []string{"webm", "weba", "mkv", "mka"}},
	"video/x-matroska": {"audio/x-matroska", plan.Audio, plan.Say("a Matroska sound"), []string{"mka", "mkv", "webm", "weba"}},
}

// tracks counts what a container holds, as far as people see or hear it.
type tracks struct{ sound, pictures int }

// heardOnly is the kind of a file that looks like k, where a look at its tracks shows that it
// holds sound and no moving pictures. Where they are not found, it is what it looks like:
// whether it is whole is for others to say.
func heardOnly(r io.ReaderAt, size int64, k kind) (kind, bool) {
	sound, ok := soundIn[k.mime]
	if !ok {
		return k, false
	}
	w := &walk{r: r, left: mostParts}
	var found tracks
	if sound.mime == mp4Sound.mime {
		found, ok = w.film(size)
	} else {
		found, ok = w.segment(size)
	}
	if !ok || found.sound == 0 || found.pictures > 0 {
		return k, false
	}
	return sound, true
}

// mostParts is how many parts of a container are looked at. What stands before its tracks, and
// in them, are a few dozen; each costs a read of some bytes.
const mostParts = 4096

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

// step tells whether one more part may be looked at.
func (w *walk) step() bool {
	w.left--
	return w.left >= 0
}
