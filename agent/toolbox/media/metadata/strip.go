// Package metadata removes metadata from files: where and when a photo was taken, by whom and with
// which device, and comments. Tools that create new files write none, but a tool may return its input,
// and programs copy metadata to their output.
//
// Guarantees:
//   - Pictures, audio and video stay the same bit by bit: containers are rewritten, nothing is
//     re-encoded. Colour profiles and animations stay, and so does the EXIF orientation.
//   - Removed are EXIF, XMP, IPTC, comments and data after the end of JPEG, PNG, GIF and WebP; and
//     all tags, cover pictures and locations of MP3, FLAC, WAV and AVI, of Ogg with Vorbis, Opus or
//     Theora, and of MP4 and QuickTime.
//   - A file of another format, or an invalid one, is left unchanged.
//
// Not removed are metadata of HEIC, AVIF, TIFF, BMP, RF64, Matroska and WebM, MPEG streams, AIFF
// and AMR; thumbnails and metadata within a frame of an animated WebP; the creation time of a
// video; and the samples of a metadata track: a location track (of an action camera) is unlisted,
// but its bytes stay in the MP4. The visible content of a picture is not touched.
package metadata

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// File returns the path of a file with the same content and no metadata: path itself if it has none,
// otherwise a new file in the same folder.
func File(ctx context.Context, path string) (_ string, err error) {
	from, kept, err := open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if kept.whole() {
		return path, nil
	}
	to, err := os.CreateTemp(filepath.Dir(path), "stripped-*")
	if err != nil {
		return "", fmt.Errorf("strip metadata: %w", err)
	}
	if err := errors.Join(kept.write(ctx, to, from), to.Close()); err != nil {
		return "", fmt.Errorf("strip metadata: %w", err)
	}
	return to.Name(), nil
}

// Copy writes the content of a file without its metadata, as [File] does. The result is at most a few
// bytes longer than the file.
func Copy(ctx context.Context, to io.Writer, path string) (err error) {
	from, kept, err := open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := kept.write(ctx, to, from); err != nil {
		return fmt.Errorf("strip metadata: %w", err)
	}
	return nil
}

// open opens a file and finds the parts to keep.
func open(path string) (*os.File, *kept, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("look for metadata: %w", err)
	}
	var k *kept
	info, err := f.Stat()
	if err == nil {
		k, err = look(f, info.Size())
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("look for metadata: %w", err), f.Close())
	}
	return f, k, nil
}

// look finds the parts to keep; all if the format is unknown.
func look(r io.ReaderAt, size int64) (*kept, error) {
	head := make([]byte, 12)
	if n, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) || n < len(head) {
		return all(size), ignoreEnd(err)
	}
	k := &kept{size: size}
	begins := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	in := source{r, size}
	switch form := string(head[8:]); {
	case begins("\xFF\xD8\xFF"):
		return k, in.picture(k.jpeg)
	case begins("\x89PNG\r\n\x1A\n"):
		return k, in.picture(k.png)
	case begins("GIF8"):
		return k, in.picture(k.gif)
	case begins("RIFF") && form == "WEBP":
		return k, in.picture(k.webp)
	case begins("RIFF") && form == "WAVE":
		return k, k.wav(in)
	case begins("RIFF") && form == "AVI ":
		return k, k.avi(in)
	case begins("ID3"), head[0] == 0xFF && head[1]&0xE0 == 0xE0:
		return k, k.mp3(in)
	case begins("fLaC"):
		return k, k.flac(in)
	case begins("OggS"):
		return k, k.ogg(in)
	case boxed(string(head[4:8])):
		return k, k.mp4(in)
	default:
		return all(size), nil
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
