package media

import (
	"errors"
	"io"

	"atelier/agent/toolbox/media/imagefile"
)

// Weight is the memory needed by a picture.
type Weight struct {
	// MIME is the MIME type, as in [Info].
	MIME string
	// Width and Height are the size as stored.
	Width, Height int
	// Animated reports whether the file may be an animation whose frames can all be read.
	Animated bool
	// Reading is the maximum memory for reading it in bytes, including its file.
	Reading int64
}

// Weigh estimates the memory needed for a picture from the beginning of its file. It is zero for a
// file that is rejected before decoding.
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

// Bytes returns the memory for reading the picture and processing it at perPixel bytes per pixel,
// including the picture itself (four bytes).
func (w Weight) Bytes(perPixel int64) int64 { return max(w.Reading, perPixel*w.Pixels()) }

// Pixels returns the number of pixels.
func (w Weight) Pixels() int64 { return int64(w.Width) * int64(w.Height) }

// weight is Weigh for an open file, which it rewinds.
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
	w.Animated = w.MIME == "image/gif" || w.MIME == "image/webp" && imagefile.IsAnimated(head)
	w.Reading = f.size + w.Pixels()*imagefile.ReadingRate(f.kind.mime, cfg, head)
	return w
}

func (f *file) rewind() error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}
