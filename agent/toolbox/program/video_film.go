package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

const (
	// longestFilm is the longest video that is packed anew.
	longestFilm = 30 * time.Minute
	// filmTime is how long that may take.
	filmTime = 20 * time.Minute
	// longSide and shortSide bound the pictures that are made, in pixels.
	longSide, shortSide = 3840, 2160
	// mostPictures is how many pictures a second are made.
	mostPictures = 60
)

// film is a file with moving pictures that was looked at.
type film struct {
	path     string
	look     ffmpeg.Look
	pictures ffmpeg.Stream
}

// film is the file of the argument "video".
func (b *Backend) film(ctx context.Context, c toolbox.Call) (film, error) {
	path, err := fileIn(c, "video")
	if err != nil {
		return film{}, err
	}
	return b.filmAt(ctx, path)
}

func (b *Backend) filmAt(ctx context.Context, path string) (film, error) {
	look, err := b.config.FFmpeg.Look(ctx, path)
	if err != nil {
		return film{}, fmt.Errorf("look at a video: %w", err)
	}
	return filmOf(path, look)
}

// filmOf is a file that was looked at.
func filmOf(path string, look ffmpeg.Look) (film, error) {
	f := film{path: path, look: look}
	v := look.Video()
	if v == nil {
		return film{}, f.fault(errors.New("no stream of moving pictures"), plan.Say("holds no moving pictures."))
	}
	if look.Duration <= 0 {
		return film{}, f.fault(errors.New("no packet has a time"), plan.Say("does not tell how long it is; please send it again as an ordinary MP4."))
	}
	f.pictures = *v
	return f, nil
}

// fault is an error about the film; the sentence begins with its name.
func (f film) fault(err error, is plan.Message) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", filepath.Base(f.path), is), Err: err}
}

// input is the film as a program reads it, with options for that. What is transparent in
// VP8 and VP9 is seen by the decoders of libvpx only.
func (f film) input(before ...string) ffmpeg.Input {
	if decoder := map[string]string{"vp8": "libvpx", "vp9": "libvpx-vp9"}[f.pictures.Codec]; f.pictures.Alpha && decoder != "" {
		before = append(before, "-c:v", decoder)
	}
	return ffmpeg.Input{Path: f.path, Type: plan.Video, Before: before}
}

// packable refuses what would be too long to be packed anew.
func packable(length time.Duration) error {
	if length > longestFilm {
		return &plan.Fault{
			Sentence: plan.Say("That is %s of video, and at most %s can be worked on at a time; cut a shorter part out of it first.",
				plan.Span(length), plan.Span(longestFilm)),
			Err: errors.New("too long to be packed anew"),
		}
	}
	return nil
}

// canvas is the size that pictures of that size are made in: even, within the bounds, and
// of the same shape.
func canvas(width, height int) (w, h int) {
	by := min(1, longSide/float64(max(width, height)), shortSide/float64(min(width, height)))
	even := func(side int) int { return max(2, int(float64(side)*by)/2*2) }
	return even(width), even(height)
}

// shown are the filters that make the film's pictures fit for all players: what is
// transparent becomes black.
func (f film) shown() string {
	w, h := canvas(f.pictures.Width, f.pictures.Height)
	return f.opaque() + f.paced() + fmt.Sprintf("scale=%d:%d,setsar=1,format=yuv420p", w, h)
}

// opaque lays transparent pictures on black.
func (f film) opaque() string {
	if !f.pictures.Alpha {
		return ""
	}
	return "format=yuva444p,split[front][back];[back]drawbox=c=black:t=fill:replace=1[black];[black][front]overlay=format=yuv444,"
}

// paced keeps the number of pictures a second within bounds.
func (f film) paced() string {
	if f.pictures.Rate > mostPictures {
		return fmt.Sprintf("fps=%d,", mostPictures)
	}
	return ""
}

// plays tells whether the film's pictures, as they are packed, play everywhere in an MP4.
func (f film) plays() bool {
	switch f.look.MIME {
	case "video/mp4", "video/x-m4v", "video/quicktime":
	default:
		return false
	}
	w, h := canvas(f.pictures.Width, f.pictures.Height)
	return f.pictures.Codec == "h264" && f.pictures.Pixels == "yuv420p" && w == f.pictures.Width && h == f.pictures.Height
}
