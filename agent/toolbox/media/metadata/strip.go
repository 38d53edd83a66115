// Package metadata takes out of files what they tell besides what is seen and heard: where and
// when a photo was made, by whom and with which device, and comments. Tools that draw anew
// write none of it, but one may hand an input through, and programs copy it into what they
// make.
//
// Guarantees:
//   - Pictures, sound and film stay as they are, bit by bit: containers are rewritten, nothing
//     is encoded again. Colour profiles and animation stay, and of EXIF the orientation, so
//     that a picture stays upright.
//   - Left out are EXIF, XMP, IPTC, comments and what stands behind the end of JPEG, PNG, GIF
//     and WebP; all tags of MP3, FLAC, WAV and AVI, of Ogg with Vorbis, Opus or Theora, and of
//     MP4 and QuickTime, with their pictures and places.
//   - A file of another kind, or that is not built as its kind is, is left as it is.
//
// What is not stripped: HEIC, AVIF, TIFF, BMP, RF64, Matroska and WebM, MPEG streams, AIFF and
// AMR; thumbnails and notes within a frame of an animated WebP; when a film was made; and what
// is in the samples of a track: a track of places (as action cameras write it) is no longer
// listed, but its bytes stay in an MP4. What is to be seen in a picture is of course not
// touched.
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

// File gives the path of a file with the same content and no metadata: the path itself where
// there are none, and otherwise that of a new file in the same folder. Errors tell of what
// could not be read or written.
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
		return "", fmt.Errorf("leave out metadata: %w", err)
	}
	if err := errors.Join(kept.write(ctx, to, from), to.Close()); err != nil {
		return "", fmt.Errorf("leave out metadata: %w", err)
	}
	return to.Name(), nil
}

// Copy writes the content of a file without metadata, as [File] has it: never more than the
// file has but for a few bytes.
func Copy(ctx context.Context, to io.Writer, path string) (err error) {
	from, kept, err := open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := kept.write(ctx, to, from); err != nil {
		return fmt.Errorf("leave out metadata: %w", err)
	}
	return nil
}

// open opens a file and finds what of it is to be kept.
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

// look finds what is to be kept, all where nothing is known of the file's kind.
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
