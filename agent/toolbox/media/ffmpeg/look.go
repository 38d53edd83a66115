package ffmpeg

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"atelier/agent/plan"
)

// Stream is an audio or video stream of a file.
type Stream struct {
	// Index is its index among all streams of the file, including those not listed here.
	Index int
	// Kind is video or audio; cover pictures are not video.
	Kind string
	// Codec is ffmpeg's name of the codec, such as h264.
	Codec string
	// Pixels is ffmpeg's name of the pixel format, such as yuv420p.
	Pixels string
	// Width and Height are the displayed size, with rotation applied and square pixels.
	Width, Height int
	// Plain holds the filters that make frames plain, each with a comma behind it: with square pixels, and without a high
	// dynamic range. It is mostly empty.
	Plain string
	// Rate is the average frame rate; 0 if unknown.
	Rate float64
	// Variable reports a variable frame rate.
	Variable bool
	// Alpha reports whether pictures may be transparent.
	Alpha bool
	// Frequency is the sample rate in hertz.
	Frequency int
	Channels  int
	// Packets is the number of packets; for video, of frames.
	Packets int
	// Duration is 0 if the file does not store it per stream.
	Duration time.Duration
}

// Of returns the stream specifier for ffmpeg's options and filters, for the input with that index from 0.
func (s Stream) Of(input int) string { return fmt.Sprintf("%d:%d", input, s.Index) }

// Even reports whether both sides are even, as common video codecs require.
func (s Stream) Even() bool { return s.Width%2 == 0 && s.Height%2 == 0 }

// Look describes the content of an audio or video file.
type Look struct {
	// Type is audio if there is no video stream, whatever the file's extension.
	Type plan.Type
	MIME string
	// Duration is 0 if unknown.
	Duration time.Duration
	// Streams lists the non-empty streams.
	Streams []Stream
	// Subtitles lists the subtitle tracks.
	Subtitles []Subtitle
	// Tags are the title, artist, album, date and genre, as far as the file tells them.
	Tags map[string]string
	// Cover reports whether there is a cover picture.
	Cover bool
}

// Subtitle is a subtitle track.
type Subtitle struct {
	// Codec is ffmpeg's name: "subrip", "mov_text".
	Codec string
	// Text is false for subtitles stored as pictures, as on discs.
	Text bool
}

// TextSubtitles returns the number of text subtitle tracks and the index of the first among all subtitle tracks.
func (l Look) TextSubtitles() (count, first int) {
	for i, s := range slices.Backward(l.Subtitles) {
		if s.Text {
			count, first = count+1, i
		}
	}
	return count, first
}

// Video returns the first video stream, nil if there is none.
func (l Look) Video() *Stream { return l.first("video") }

// Audio returns the first audio stream, nil if there is none.
func (l Look) Audio() *Stream { return l.first("audio") }

// LeftOut says if there are sound tracks besides the first, which alone is used.
func (l Look) LeftOut() plan.Message {
	tracks := 0
	for _, s := range l.Streams {
		if s.Kind == "audio" {
			tracks++
		}
	}
	if tracks < 2 {
		return plan.Message{}
	}
	return plan.Say("It has %d sound tracks; only the first was used.", tracks)
}

// LongSide and ShortSide are the maximum sides of a video that plays everywhere, in pixels.
const (
	LongSide  = 3840
	ShortSide = 2160
)

// Universal reports whether the video stream plays everywhere in an MP4 without re-encoding.
func (l Look) Universal() bool {
	v := l.Video()
	return slices.Contains([]string{"video/mp4", "video/x-m4v", "video/quicktime"}, l.MIME) && v != nil &&
		v.Codec == "h264" && v.Pixels == "yuv420p" && v.Even() && max(v.Width, v.Height) <= LongSide && min(v.Width, v.Height) <= ShortSide
}

func (l Look) first(kind string) *Stream {
	for i := range l.Streams {
		if l.Streams[i].Kind == kind {
			return &l.Streams[i]
		}
	}
	return nil
}

// Look inspects an audio or video file without decoding it. It rejects files that are too long, too
// large, damaged, truncated or of another type.
func (f *FFmpeg) Look(ctx context.Context, path string) (Look, error) {
	found, err := f.programs()
	if err != nil {
		return Look{}, err
	}
	return f.lookAt(ctx, found, path, false)
}

func (f *FFmpeg) lookAt(ctx context.Context, found programs, path string, ours bool) (Look, error) {
	s, err := f.open(ctx, found, path, ours)
	if err != nil {
		return Look{}, err
	}
	return s.look, nil
}

// mostLooks is the maximum number of cached looks.
const mostLooks = 256

// identity identifies a version of a file.
type identity struct {
	path    string
	size    int64
	changed int64 // modification time in nanoseconds
}

// content is the SHA-256 of a file. Zero means unknown.
type content [sha256.Size]byte

// found is the cached result for a file.
type found struct {
	look  Look
	plays bool // whether its beginning was decoded
}

// looks caches results by file content, so that a file is inspected once when it arrives, and not
// again as the copy that each step gets. It is safe for concurrent use.
type looks struct {
	mu       sync.Mutex
	contents map[identity]content
	known    map[content]found
}

// content returns the hash of the file at an absolute path. It is cached until the file changes.
func (l *looks) content(path string) content {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return content{}
	}
	id := identity{path, info.Size(), info.ModTime().UnixNano()}
	l.mu.Lock()
	c, ok := l.contents[id]
	l.mu.Unlock()
	if ok {
		return c
	}
	if c, err = sum(path); err != nil {
		return content{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.contents) >= mostLooks {
		clear(l.contents)
	}
	l.contents[id] = c
	return c
}

func sum(path string) (c content, err error) {
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return content(h.Sum(nil)), errors.Join(err, f.Close())
}

func (l *looks) of(c content) (found, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[c]
	known.look.Streams = slices.Clone(known.look.Streams)
	return known, ok && c != content{}
}

func (l *looks) remember(c content, what found) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= mostLooks {
		clear(l.known)
	}
	what.look.Streams = slices.Clone(what.look.Streams)
	l.known[c] = what
}
