package ffmpeg

import (
	"context"
	"fmt"
	"slices"
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
