package program

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// splitAudio cuts a sound into parts of equal length: two, unless the call says otherwise.
func (b *Backend) splitAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.recording(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	parts, asked := toolbox.Param[int](c, "parts")
	if !asked {
		parts = 2
	}
	length := r.look.Duration
	each := length / time.Duration(parts)
	if each < time.Second/10 {
		return toolbox.Output{}, refusal("The sound is only %s long. That is too short for %d parts.", plan.Span(length), parts)
	}
	format, note := b.fitting(r.same(), each, r.look.Audio().Frequency, r.look.Audio().Channels)
	all := make([]toolbox.Output, parts)
	for i := range all {
		from, to := time.Duration(i)*each, time.Duration(i+1)*each
		filter := fmt.Sprintf("atrim=start=%f:end=%f,asetpts=PTS-STARTPTS", from.Seconds(), to.Seconds())
		if i == parts-1 { // to the end, whatever the rounding
			filter = fmt.Sprintf("atrim=start=%f,asetpts=PTS-STARTPTS", from.Seconds())
		}
		job := ffmpeg.Job{
			Inputs: []ffmpeg.Input{r.input()}, Args: append([]string{"-map", r.sound(), "-af", filter}, format.args...),
			Output: filepath.Join(c.Dir, fmt.Sprintf("part-%d.%s", i+1, format.ending)), Timeout: soundTime,
		}
		if err := b.config.FFmpeg.Do(ctx, job); err != nil {
			return toolbox.Output{}, fmt.Errorf("write a part of a sound: %w", err)
		}
		all[i] = toolbox.Output{Path: job.Output, About: plan.Say("part %d", i+1)}
	}
	all[0].More, all[0].Note = all[1:], note
	return all[0], nil
}
