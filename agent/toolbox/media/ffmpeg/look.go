package ffmpeg

import (
	"context"
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
)

// Stream is one of a file's.
type Stream struct {
	// Index is its place among all streams of the file, those too that are left out here.
	Index int
	// Kind is video or audio; a cover picture is no video.
	Kind string
	// Codec is ffmpeg's name for how it is packed, such as h264.
	Codec string
	// Pixels is ffmpeg's name for how the colours are kept, such as yuv420p.
	Pixels string
	// Width and Height are of the pictures as people see them, turned as the file says, and
	// with square pixels.
	Width, Height int
	// Rate is how many pictures a second, on average; 0 if unknown.
	Rate float64
	// Variable is true where the pictures are not equally far apart.
	Variable bool
	// Alpha is true where parts of the pictures may be transparent.
	Alpha bool
	// Frequency is of the samples of a sound, in hertz.
	Frequency int
	Channels  int
	// Packets counts what it consists of: the pictures of a video.
	Packets int
	// Duration is 0 where the file does not tell it of each stream.
	Duration time.Duration
}

// Of is how ffmpeg's options and filters name the stream, where its file is that input of
// theirs, counted from 0.
func (s Stream) Of(input int) string { return fmt.Sprintf("%d:%d", input, s.Index) }

// Even reports whether both sides are even, as the usual codecs of videos need them.
func (s Stream) Even() bool { return s.Width%2 == 0 && s.Height%2 == 0 }

// Look is what a file of sound or video holds.
type Look struct {
	// Type is audio where there are no moving pictures, whatever the file is called.
	Type plan.Type
	MIME string
	// Duration is 0 where it is not known.
	Duration time.Duration
	// Streams are those in which there is something: sound without samples is left out.
	Streams []Stream
	// Subtitles are the tracks of subtitles.
	Subtitles []Subtitle
	// Cover reports whether there is a cover picture.
	Cover bool
}

// Subtitle is a track of subtitles.
type Subtitle struct {
	// Codec is how ffmpeg calls it: "subrip", "mov_text".
	Codec string
	// Text is false where they are pictures, as on discs.
	Text bool
}

// TextSubtitles is the number of tracks of subtitles that are texts, and the place of the first of them
// among all.
func (l Look) TextSubtitles() (count, first int) {
	for i, s := range slices.Backward(l.Subtitles) {
		if s.Text {
			count, first = count+1, i
		}
	}
	return count, first
}

// Video is the first stream with moving pictures, nil if there is none.
func (l Look) Video() *Stream { return l.first("video") }

// Audio is the first stream with sound, nil if there is none.
func (l Look) Audio() *Stream { return l.first("audio") }

// LongSide and ShortSide bound the pictures of videos that play everywhere, in pixels.
const (
	LongSide  = 3840
	ShortSide = 2160
)

// Universal reports whether the pictures play everywhere in an MP4 as they are.
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

// Look looks at a file of sound or video without decoding it. What is too long, too
// large, damaged, cut off or something else is refused.
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
