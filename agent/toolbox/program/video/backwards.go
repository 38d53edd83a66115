package video

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/sound"
)

// reverse writes a video from its end to its beginning.
func (v Videos) reverse(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	return v.backwards(ctx, c, false)
}

// boomerang writes a video as it is, and then from its end to its beginning.
func (v Videos) boomerang(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	return v.backwards(ctx, c, true)
}

// backwards reverses a video in pieces, and joins them without encoding their frames again.
func (v Videos) backwards(ctx context.Context, c toolbox.Call, forth bool) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	r := newReversal(f, v.Reversed, forth)
	if err := packable(r.length()); err != nil {
		return toolbox.Output{}, err
	}
	pictures, lost, err := v.reversed(ctx, c, f, r)
	if err != nil {
		return toolbox.Output{}, err
	}
	job, err := sound.Joined(c.Dir, "pictures.txt", pictures)
	if err != nil {
		return toolbox.Output{}, err
	}
	streams := []string{"-map", "0:v", "-c:v", "copy"}
	if f.look.Audio() != nil {
		sounds, err := v.reversedSound(ctx, c, f, r)
		if err != nil {
			return toolbox.Output{}, err
		}
		joined, err := sound.Joined(c.Dir, "sounds.txt", sounds)
		if err != nil {
			return toolbox.Output{}, err
		}
		job.Files = append(job.Files, joined.Files...)
		job.Args = append(job.Args, joined.Args...)
		streams = append(append(streams, "-map", "1:a"), format.AAC().All()...)
	}
	job.Args, job.Timeout = slices.Concat(job.Args, streams, format.FastStart()), Timeout
	out, err := v.Write(ctx, job, c.Dir, "video.mp4")
	out.Note = plan.Sentences(lost, f.look.LeftOut())
	return out, err
}

// reversal says how a video is reversed: at a constant frame rate, so that its pieces meet exactly.
type reversal struct {
	rate   float64
	frames int // of the whole video
	piece  int // how many frames a piece has
	forth  bool
}

func newReversal(f Film, kept int, forth bool) reversal {
	r := reversal{rate: min(f.pictures.Rate, mostPictures), forth: forth}
	if r.rate <= 0 {
		r.rate = 30
	}
	w, h := canvas(f.pictures.Width, f.pictures.Height)
	r.frames = max(1, int(math.Round(f.look.Duration.Seconds()*r.rate)))
	// Larger frames may take more memory: ffmpeg has some for each pixel.
	const more, bytesOfPixel = 32, 1.5
	r.piece = min(r.frames, max(1, int(float64(kept+more*w*h)/(bytesOfPixel*float64(w*h)))))
	return r
}

// at returns the time of a frame.
func (r reversal) at(frame int) time.Duration {
	return time.Duration(float64(frame) / r.rate * float64(time.Second))
}

// length returns the length of the result.
func (r reversal) length() time.Duration {
	if r.forth {
		return 2 * r.at(r.frames)
	}
	return r.at(r.frames)
}

// reversed writes the frames of the result in pieces.
func (v Videos) reversed(ctx context.Context, c toolbox.Call, f Film, r reversal) (all []sound.Clip, lost plan.Message, err error) {
	write := func(from, count int, then string) error {
		// ffmpeg seeks to the key frame before: the frame that is shown at that time may have begun earlier. What a
		// video lacks at its beginning and end is filled with its first and last frame.
		at := ffmpeg.Seconds(r.at(from))
		job := ffmpeg.Job{
			Inputs: []ffmpeg.Input{f.Input("-noaccurate_seek", "-copyts", "-start_at_zero", "-ss", at)},
			Args: []string{"-map", "0:V:0", "-an", "-vf", fmt.Sprintf("fps=%f:start_time=%s,tpad=stop=-1:stop_mode=clone,trim=end_frame=%d,"+
				"setpts=PTS-STARTPTS,%syuv420p%s", r.rate, at, count, everywhere, then)},
		}
		out, err := v.Encode(ctx, job, f, r.length(), format.Videos()["mp4"], c.Dir, "piece-"+strconv.Itoa(len(all)))
		all, lost = append(all, sound.Clip{Path: out.Path, Length: r.at(count)}), out.Note
		return err
	}
	if r.forth {
		if err := write(0, r.frames, ""); err != nil {
			return nil, lost, err
		}
	}
	for end := r.frames; end > 0; {
		from := max(0, end-r.piece)
		if err := write(from, end-from, ",reverse"); err != nil {
			return nil, lost, err
		}
		end = from
	}
	return all, lost, nil
}

// reversedSound writes the sound of the result in pieces.
func (v Videos) reversedSound(ctx context.Context, c toolbox.Call, f Film, r reversal) ([]sound.Clip, error) {
	sounds := sound.Sounds{Machine: v.Machine}
	rec, err := sound.NewRecording(f.path, f.look)
	if err != nil {
		return nil, err
	}
	back, err := sounds.Backwards(ctx, c, rec, r.at(r.frames))
	if err != nil || !r.forth {
		return back, err
	}
	whole, err := sounds.Forwards(ctx, c, rec, r.at(r.frames))
	return append([]sound.Clip{whole}, back...), err
}
