package video

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/machine"
)

const (
	// leastPictures is the minimum video bit rate, in bits per second; below it there is only a blur.
	leastPictures = 24_000
	// bitsPerPixel is the minimum for good quality. Below it, a smaller frame looks better than
	// stronger compression.
	bitsPerPixel = 0.05
	// smallestFilm is the minimum length of the longer side, in pixels.
	smallestFilm = 160
	// fitTries is the maximum number of encodings.
	fitTries = 4
)

// fitVideoSize re-encodes a video to fit a size limit: at a lower bit rate, and if that is not enough,
// at a smaller frame size.
func (v Videos) fitVideoSize(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	limit, err := toolbox.Need[int64](c, "limit")
	if err != nil {
		return toolbox.Output{}, err
	}
	limit = min(limit, v.Limits.Bytes)
	f, err := v.filmed(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	if f.look.Universal() && machine.SizeOf(f.path) <= limit {
		out, err := v.asItIs(ctx, c, f)
		if err != nil || machine.SizeOf(out.Path) <= limit {
			return out, err
		}
		if err := os.Remove(out.Path); err != nil {
			return toolbox.Output{}, unwritten(err)
		}
	}
	if err := packable(f.look.Duration); err != nil {
		return toolbox.Output{}, err
	}
	share := 0.95 // the rest is container overhead
	for range fitTries {
		s, ok := f.squeezed(float64(limit) * share)
		if !ok {
			break
		}
		job := s.job(f)
		tracks, lost := f.tracks(job, format.Videos()["mp4"])
		job.Args = append(job.Args, tracks...)
		out, err := v.Write(ctx, job, c.Dir, "video.mp4")
		if err != nil {
			return toolbox.Output{}, err
		}
		path, size := out.Path, machine.SizeOf(out.Path)
		if size <= limit {
			about := plan.Say("made smaller (%s, %s × %s pixels)", plan.FileSize(size), strconv.Itoa(s.width), strconv.Itoa(s.height))
			return toolbox.Output{Path: path, About: about, Note: plan.Sentences(s.note(f), lost)}, nil
		}
		if err := os.Remove(path); err != nil {
			return toolbox.Output{}, unwritten(err)
		}
		share *= 0.95 * float64(limit) / float64(size)
	}
	return toolbox.Output{}, &plan.Fault{
		Sentence: plan.Say("%s of video cannot be made as small as %s; name a larger limit, or trim it to a shorter part first.",
			plan.Span(f.look.Duration), plan.FileSize(limit)),
		Err: errors.New("no encoding was small enough"), Final: true,
	}
}

// asItIs copies a film that is small enough, without its metadata.
func (v Videos) asItIs(ctx context.Context, c toolbox.Call, f Film) (toolbox.Output, error) {
	args := []string{"-map", "0:V:0", "-map", "0:a:0?", "-c:v", "copy"}
	if a := f.look.Audio(); a != nil && a.Codec == "aac" {
		args = append(args, "-c:a", "copy")
	} else {
		args = append(args, format.AAC().All()...)
	}
	job := ffmpeg.Job{Inputs: []ffmpeg.Input{f.Input()}, Args: append(args, format.FastStart()...), Timeout: Timeout}
	tracks, lost := f.tracks(job, format.Videos()["mp4"])
	job.Args = append(job.Args, tracks...)
	out, err := v.Write(ctx, job, c.Dir, "video.mp4")
	out.Note = lost
	out.About = plan.Say("small enough already (%s)", plan.FileSize(machine.SizeOf(out.Path)))
	return out, err
}

// squeeze holds the encoding parameters for a target size.
type squeeze struct {
	width, height   int
	pictures, sound float64 // bit rates, in bits per second
	rate            float64 // frames per second
	channels        int     // of the sound
	length          time.Duration
}

// squeezed returns the best parameters for a target size in bytes; false if it is too small.
func (f Film) squeezed(bytes float64) (squeeze, bool) {
	s := squeeze{length: f.look.Duration, rate: min(f.pictures.Rate, mostPictures), channels: 2}
	total := bytes * 8 / max(s.length.Seconds(), 0.1)
	if f.look.Audio() != nil {
		s.sound = min(max(total*0.15, 16_000), 128_000)
	}
	if s.sound < 48_000 {
		s.channels = 1
	}
	s.pictures = min(total-s.sound, freeRate)
	if s.rate <= 0 {
		s.rate = 30
	}
	if s.pictures < 400_000 {
		s.rate = min(s.rate, 24)
	}
	w, h := canvas(f.pictures.Width, f.pictures.Height)
	by := min(1, math.Sqrt(s.pictures/(bitsPerPixel*s.rate*float64(w*h))))
	by = max(by, min(1, smallestFilm/float64(max(w, h))))
	s.width, s.height = canvas(int(float64(w)*by), int(float64(h)*by))
	return s, s.pictures >= leastPictures
}

func (s squeeze) job(f Film) ffmpeg.Job {
	filter := fmt.Sprintf("%sfps=%g,scale=%d:%d:flags=bicubic,setsar=1,format=yuv420p", f.opaque(), s.rate, s.width, s.height)
	args := append([]string{"-map", "0:V:0", "-map", "0:a:0?", "-vf", filter}, format.H264().All()...)
	args = append(append(args, "-preset", "fast"), format.Bounded(s.pictures)...)
	args = append(args, "-c:a", "aac", "-b:a", strconv.Itoa(int(s.sound)), "-ar", "44100", "-ac", strconv.Itoa(s.channels))
	return ffmpeg.Job{Inputs: []ffmpeg.Input{f.Input()}, Args: append(args, format.FastStart()...), Timeout: Timeout}
}

// note says what had to change: the size of the frames, their rate, the channels of the sound.
func (s squeeze) note(f Film) plan.Message {
	var notes []plan.Message
	if s.width < f.pictures.Width/2*2 {
		notes = append(notes, plan.Say("Its frames had to be scaled down from %d × %d to %d × %d pixels.",
			f.pictures.Width, f.pictures.Height, s.width, s.height))
	}
	if was := f.pictures.Rate; was > s.rate+0.5 {
		notes = append(notes, plan.Say("It has %.0f frames per second instead of %.0f.", s.rate, was))
	}
	if a := f.look.Audio(); a != nil && a.Channels > 1 && s.channels == 1 {
		notes = append(notes, plan.Say("Its sound is mono now."))
	}
	return plan.Sentences(notes...)
}

func unwritten(err error) error {
	return &plan.Fault{Sentence: plan.Say("The video could not be written."), Err: err}
}
