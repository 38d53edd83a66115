package ffmpeg

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
)

const (
	// longestSide is the maximum side of a picture, in pixels.
	longestSide = 768
	// apart is the minimum time between pictures.
	apart = 250 * time.Millisecond
	// maxFrame is the maximum size of a picture, in bytes.
	maxFrame = 8 << 20
)

// Frames extracts a limited number of pictures from a video, evenly spaced, and writes them into dir as JPEG
// files of at most 768 pixels a side, in chronological order.
func (f *FFmpeg) Frames(ctx context.Context, path, dir string, most int) ([]media.Frame, error) {
	found, err := f.programs()
	if err != nil {
		return nil, err
	}
	mine, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	frames, err := f.frames(mine, found, path, dir, most)
	switch {
	case ctx.Err() != nil:
		return nil, media.Stopped(ctx)
	case mine.Err() != nil:
		return nil, fault(path, err, "took longer than %s to analyse; send a shorter or smaller video.", plan.Span(f.timeout))
	case err != nil:
		return nil, err
	}
	return frames, nil
}

// Plays inspects an audio or video file like Look, and decodes its beginning. It also fails if nothing can be decoded.
func (f *FFmpeg) Plays(ctx context.Context, path string) (Look, error) {
	found, err := f.programs()
	if err != nil {
		return Look{}, err
	}
	s, err := f.open(ctx, found, path, false)
	if err != nil {
		return Look{}, err
	}
	if s.plays {
		return s.look, nil
	}
	var streams []string
	for _, stream := range []*Stream{s.look.Video(), s.look.Audio()} {
		if stream != nil {
			streams = append(streams, "-map", stream.Of(0))
		}
	}
	err = s.begin(ctx, streams...)
	switch {
	case ctx.Err() != nil:
		return Look{}, media.Stopped(ctx)
	case err != nil:
		return Look{}, s.damaged(ctx, err)
	}
	return s.look, nil
}

func (f *FFmpeg) frames(ctx context.Context, found programs, path, dir string, most int) ([]media.Frame, error) {
	if most < 1 {
		return nil, errors.New("no frames were requested")
	}
	v, err := f.open(ctx, found, path, false)
	if err == nil {
		err = v.is(plan.Video)
	}
	if err != nil {
		return nil, err
	}
	frames, err := f.take(ctx, v, dir, v.times(most))
	if len(frames) == 0 && ctx.Err() == nil {
		frames, err = f.take(ctx, v, dir, []time.Duration{0}) // it may be shorter than declared
	}
	if len(frames) == 0 {
		return nil, fault(path, err, "is damaged or in a format that cannot be read here: no picture could be extracted from it.")
	}
	return frames, nil
}

// take extracts the pictures at the given times, skipping unreadable ones; last is the error of the last skipped one.
func (f *FFmpeg) take(ctx context.Context, v *source, dir string, times []time.Duration) (frames []media.Frame, last error) {
	name := rand.Text()
	for i, at := range times {
		picture, err := v.still(ctx, at)
		if err == nil && len(picture) == 0 {
			continue
		}
		to := filepath.Join(dir, fmt.Sprintf("frame-%s-%02d.jpg", name, i+1))
		if err == nil {
			err = f.keep(ctx, to, picture)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			last = err
			continue
		}
		frames = append(frames, media.Frame{Path: to, At: at})
	}
	return frames, last
}

// keep writes a picture to a new file and checks that it is valid.
func (f *FFmpeg) keep(ctx context.Context, to string, picture []byte) (err error) {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(picture)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	info, err := media.Inspect(ctx, to, f.limits)
	if err == nil && info.MIME != "image/jpeg" {
		err = &plan.Fault{Sentence: plan.Say("The picture is not a JPEG."), Err: errors.New(info.MIME)}
	}
	return err
}

// times returns the midpoints of equal parts of the video.
func (s *source) times(most int) []time.Duration {
	if s.look.Duration <= 0 {
		return []time.Duration{0}
	}
	n := max(1, min(most, int(s.look.Duration/apart)))
	times := make([]time.Duration, n)
	for i := range times {
		times[i] = s.look.Duration * time.Duration(2*i+1) / time.Duration(2*n)
	}
	return times
}

// still decodes one picture; it is empty if the video ends earlier.
func (s *source) still(ctx context.Context, at time.Duration) ([]byte, error) {
	side := strconv.Itoa(longestSide)
	return s.run(ctx, s.programs.ffmpeg, maxFrame, s.args(
		[]string{"-nostdin", "-ss", Seconds(at)},
		"-map", s.look.Video().Of(0), "-frames:v", "1", "-an", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1",
		"-filter_threads", "1", "-vf", s.look.Video().Plain+`scale=w=min(`+side+`\,iw):h=min(`+side+`\,ih):force_original_aspect_ratio=decrease`,
		"-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p", "-flags:v", "+bitexact", "-fflags", "+bitexact",
		"-f", "image2pipe", "pipe:1",
	))
}

// beginning is how many seconds are decoded to check whether a file plays.
const beginning = "2"

// begin decodes the beginning of the streams.
func (s *source) begin(ctx context.Context, streams ...string) error {
	_, err := s.run(ctx, s.programs.ffmpeg, 1<<10, s.args([]string{"-nostdin", "-xerror"}, append(streams, "-t", beginning, "-f", "null", "-")...))
	return err
}
