package ffmpeg

import (
	"context"
	"errors"
	"time"

	"atelier/agent/plan"
)

// Input is a file that is read.
type Input struct {
	Path string
	// Type is what it must be: image, video or audio; "" is any of them. A video is
	// taken for an audio as well where it has sound.
	Type plan.Type
	// Before are options of the program's own, before the input: "-ss", "1.5",
	// "-stream_loop", "-1", "-loop", "1". No word of a user.
	Before []string
}

// Job is one use of ffmpeg.
type Job struct {
	Inputs []Input
	// Args are everything after the inputs but for the output: filters, maps and
	// codecs. No word of a user.
	Args []string
	// Output is the file that is written; its ending says in which format. It lies in the
	// call's folder, and so do Files.
	Output string
	// Files are further files that filters read, of our own making: subtitles, texts.
	Files []string
	// Timeout is how long it may take; 0 is the program's own.
	Timeout time.Duration
}

// Stream is one of a file's.
type Stream struct {
	// Kind is video or audio; a cover picture is no video.
	Kind  string
	Codec string
	// Width and Height are of the pictures as people see them, turned as the file says.
	Width, Height int
	// Rate is how many pictures a second, on average; 0 if unknown.
	Rate float64
	// Frequency is of the samples of a sound, in hertz.
	Frequency int
	Channels  int
	Alpha     bool
}

// Look is what a file of sound or video holds.
type Look struct {
	Type plan.Type // video or audio
	MIME string
	// Duration is 0 where it is not known.
	Duration time.Duration
	Streams  []Stream
}

// Video is the first stream with moving pictures, nil if there is none.
func (l Look) Video() *Stream { return l.first("video") }

// Audio is the first stream with sound, nil if there is none.
func (l Look) Audio() *Stream { return l.first("audio") }

func (l Look) first(kind string) *Stream {
	for i := range l.Streams {
		if l.Streams[i].Kind == kind {
			return &l.Streams[i]
		}
	}
	return nil
}

// Look looks at a file of sound or video without decoding it. What is too long, too
// large, damaged or something else is refused.
func (f *FFmpeg) Look(ctx context.Context, path string) (Look, error) {
	return Look{}, errors.New("look")
}

// Do does a job. What it is given is looked at first (see Look).
func (f *FFmpeg) Do(ctx context.Context, j Job) error {
	return errors.New("do")
}
