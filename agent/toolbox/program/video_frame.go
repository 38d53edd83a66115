package program

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/quantity"
)

// extractFrames takes the picture that is seen at a moment, in the middle if none is
// said.
func (b *Backend) extractFrames(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	at := f.look.Duration / 2
	if moment, ok := toolbox.Param[quantity.Instant](c, "moment"); ok {
		at = moment.Of(f.look.Duration)
	}
	if at > f.look.Duration {
		return toolbox.Output{}, refusal("The video is only %s long; name an earlier moment.", plan.Span(f.look.Duration))
	}
	output := filepath.Join(c.Dir, "frame.png")
	// The picture that is seen at a moment has begun some time before it, in a recording of
	// a screen long before.
	for _, before := range []time.Duration{f.step(), time.Second, at} {
		if err = b.config.FFmpeg.Do(ctx, f.still(max(0, at-before), at, output)); err == nil || ctx.Err() != nil || before >= at {
			break
		}
	}
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("take a picture out of a video: %w", err)
	}
	return toolbox.Output{Path: output, About: plan.Say("at %s", onClock(at))}, nil
}

// step is a little more than the time from one picture to the next.
func (f film) step() time.Duration {
	rate := f.pictures.Rate
	if rate <= 0 {
		rate = 25
	}
	return time.Duration(1.5 / rate * float64(time.Second))
}

// still takes the last picture that begins between two times: each is written over the
// one before. It has square pixels, as people see it.
func (f film) still(from, at time.Duration, output string) ffmpeg.Job {
	filter := fmt.Sprintf("trim=end=%s,scale=%d:%d,setsar=1", inSeconds(at-from+time.Millisecond), f.pictures.Width, f.pictures.Height)
	args := []string{"-map", "0:V:0", "-vf", filter, "-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-update", "1"}
	return ffmpeg.Job{Inputs: []ffmpeg.Input{f.input("-ss", inSeconds(from))}, Args: args, Output: output}
}
