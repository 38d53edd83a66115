// Package media reads and writes media files safely.
//
// Guarantees:
//   - A file's kind is detected from its first bytes, whatever its name. Only kinds on the allow-list
//     are accepted: no SVG, web pages, office documents, archives or programs. A text with the name of
//     a picture, sound or video is rejected, since nobody meant to send a text.
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
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/imagefile"
	"atelier/agent/toolbox/memory"
)

// Limits bound what is read. A zero field means its default.
type Limits struct {
	// Bytes is the largest file; 100 MB by default.
	Bytes int64
	// Pixels is the largest picture, width × height; 64 million by default.
	Pixels int64
	// Frames is the most frames that an animated picture may have; 1000 by default.
	Frames int
	// Memory is what [Inspect] takes its memory of while it looks. What else reads pictures
	// leaves that to its caller, who knows what is done with them ([Weigh]). nil has no bound.
	Memory *memory.Budget
	// Pages takes web pages too: those that were made here, and not what people send.
	Pages bool
}

// OrDefault is l with the defaults in place of zeros and negatives.
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

// Info tells what a file is.
type Info struct {
	Type plan.Type // image, video, audio, document or text, html with Limits.Pages
	MIME string    // without parameters: "image/png"
	Ext  string    // the usual ending with its dot: ".png"
	// Width and Height are those of a picture as people see it, 0 for other kinds.
	Width, Height int
	// Frames is 1 for a still picture, more for an animated one, 0 for other kinds.
	Frames int
	// Length is how long the frames of a GIF or WebP are shown in all, 0 where the file does not tell.
	Length time.Duration
}

// Inspect tells what the file is, or why it cannot be taken: it is missing, empty,
// not what its ending says, cut off, too large, or of a kind that is not on the list.
// A picture is decoded once to prove that it is whole. Sound and video are known by their
// first bytes, and in MP4, WebM and Matroska apart by which tracks they have. It stops when
// ctx ends.
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

// Describe tells what a file says that it is, without decoding it: the pixels may be damaged.
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
