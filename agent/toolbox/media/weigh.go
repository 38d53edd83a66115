package media

import (
	"errors"
	"io"

	"atelier/agent/toolbox/media/imagefile"
)

// Weight is what a picture takes of memory.
type Weight struct {
	// MIME is that of [Info].
	MIME string
	// Width and Height are its sides as it is stored.
	Width, Height int
	// Animated tells that the file may hold an animation of which all frames can be read.
	Animated bool
	// Reading is how many bytes reading it takes at most, its file included.
	Reading int64
}

// Weigh tells what the picture in the file will take, by the beginning of the file. It is
// zero for a file that is refused before it is decoded.
func Weigh(path string, l Limits) Weight {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return Weight{}
	}
	w := f.weight(l)
	if f.Close() != nil {
		return Weight{}
	}
	return w
}

// Bytes is what it takes to read the picture and to work on it by means that hold so many
// bytes for each of its pixels, the picture included: four for each picture of its size.
func (w Weight) Bytes(perPixel int64) int64 { return max(w.Reading, perPixel*w.Pixels()) }

// Pixels is how many it has.
func (w Weight) Pixels() int64 { return int64(w.Width) * int64(w.Height) }

// weight leaves the file at its beginning.
func (f *file) weight(l Limits) Weight {
	format, ok := imagefile.Of(f.kind.mime)
	if !ok {
		return Weight{}
	}
	cfg, err := format.Config(f)
	if errors.Join(err, f.rewind()) != nil || cfg.Width <= 0 || cfg.Height <= 0 || int64(cfg.Width) > l.Pixels/int64(cfg.Height) {
		return Weight{}
	}
	head, err := io.ReadAll(io.LimitReader(f, imagefile.HeadLength))
	if errors.Join(err, f.rewind()) != nil {
		return Weight{}
	}
	w := Weight{MIME: f.kind.mime, Width: cfg.Width, Height: cfg.Height}
	w.Animated = w.MIME == "image/gif" || w.MIME == "image/webp" && imagefile.SaysAnimated(head)
	w.Reading = f.size + w.Pixels()*imagefile.ReadingRate(f.kind.mime, cfg, head)
	return w
}

func (f *file) rewind() error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}
