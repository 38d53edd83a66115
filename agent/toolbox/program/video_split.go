package program

import (
	"context"
	"strconv"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// splitVideo splits a video. The parts are re-encoded, so that each begins exactly at its time.
func (v videos) splitVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err == nil {
		err = packable(f.look.Duration)
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	parts, err := pieces(c, f.look.Duration, nil)
	if err != nil {
		return toolbox.Output{}, err
	}
	return outputs(parts, func(i int, p piece) (toolbox.Output, error) {
		job, length := ffmpeg.Job{Inputs: []ffmpeg.Input{f.input("-ss", ffmpeg.Seconds(p.from))}}, p.to-p.from
		if i < len(parts)-1 {
			job.Args = []string{"-t", ffmpeg.Seconds(length)}
		}
		return v.encode(ctx, job, f, length, filmFormats()["mp4"], c.Dir, "part-"+strconv.Itoa(i+1))
	})
}
