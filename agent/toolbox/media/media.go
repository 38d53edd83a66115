// Package media reads and writes media files safely.
//
// Guarantees:
//   - A file's kind is detected from its first bytes, whatever its name. Only kinds on the allow-list
//     are accepted: no SVG, web pages, archives or programs, and office documents only on request. A
//     text with the name of a picture, sound or video is rejected, since nobody meant to send a text.
//   - AVIF, HEIC and JPEG XL are read, and WebP, AVIF and JPEG XL written, in a sandbox of WebAssembly
//     ([codec]).
//   - A picture is measured before it is decoded. One that claims to exceed the limits is rejected
//     in bounded memory.
//   - A picture is decoded as people see it (EXIF orientation, sRGB, the first frame of an animation),
//     and is written without any metadata.
//   - Everything stops soon after its context ends, even in the middle of a large picture.
//   - Every error is a [plan.Fault] with one sentence, which names the file by its base name and
//     never by its path.
package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/imagefile"
	"atelier/agent/toolbox/memory"
)

// Limits bound what is read. A zero field means its default.
type Limits struct {
	// Bytes is the maximum file size; 100 MB by default.
	Bytes int64
	// Pixels is the maximum picture size, width × height; 64 million by default.
	Pixels int64
	// Frames is the maximum number of frames of an animation; 1000 by default.
	Frames int
	// Memory is the budget from which [Inspect] reserves its memory. Other functions leave this to
	// their callers, who know what they do with the pictures ([Weigh]). Nil means no limit.
	Memory *memory.Budget
	// Pages also accepts web pages made here. Web pages that people send are never accepted.
	Pages bool
	// Office also accepts office documents: .docx, .xlsx, .pptx, .odt, .ods, .odp.
	Office bool
}

// OrDefault replaces zero and negative fields by their defaults.
func (l Limits) OrDefault() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 100_000_000
	}
	if l.Pixels <= 0 {
		l.Pixels = 64_000_000
	}
	if l.Frames <= 0 {
		l.Frames = 1000
	}
	return l
}

// Info describes a file.
type Info struct {
	Type plan.Type // image, video, audio, document or text; html with Limits.Pages
	MIME string    // without parameters: "image/png"
	Ext  string    // usual extension with its dot: ".png"
	// Width and Height are the displayed size of a picture, 0 for other kinds.
	Width, Height int
	// Frames is 1 for still pictures, more for animations, 0 for other kinds.
	Frames int
	// Length is the total duration of the frames of a GIF or WebP, 0 if unknown.
	Length time.Duration
}

// Inspect identifies a file, or returns an error if it is missing, empty, truncated, too large, of a
// kind that is not accepted, or does not match its extension. Pictures are decoded once to check that
// they are valid. Audio and video are recognized by their first bytes, and in MP4, WebM and Matroska
// by their tracks. It stops when ctx ends.
func Inspect(ctx context.Context, path string, l Limits) (Info, error) {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return Info{}, err
	}
	if f.kind.typ != plan.Image {
		return f.kind.info(), f.close()
	}
	giveBack, err := l.Memory.Take(ctx, f.weight(l).Reading)
	if err != nil {
		return Info{}, errors.Join(err, f.close())
	}
	defer giveBack()
	raw, s, err := f.raw(ctx, l)
	if err != nil {
		return Info{}, err
	}
	return f.info(raw.Bounds().Dx(), raw.Bounds().Dy(), s), nil
}

// Describe identifies a file without decoding it: its pixels may be damaged.
func Describe(ctx context.Context, path string, l Limits) (Info, error) {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return Info{}, err
	}
	if f.kind.typ != plan.Image {
		return f.kind.info(), f.close()
	}
	giveBack, err := l.Memory.Take(ctx, f.size)
	if err != nil {
		return Info{}, errors.Join(err, f.close())
	}
	defer giveBack()
	data, err := f.all()
	if err != nil {
		return Info{}, err
	}
	format, _ := imagefile.Of(f.kind.mime)
	cfg, err := format.Config(bytes.NewReader(data))
	if err != nil {
		return Info{}, f.broken(err)
	}
	s, err := format.Survey(data)
	if err != nil {
		return Info{}, f.broken(err)
	}
	return f.info(cfg.Width, cfg.Height, s), nil
}

// Frame is a still picture from a video.
type Frame struct {
	Path string // a JPEG file
	// At is its time from the start of the video.
	At time.Duration
}

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
