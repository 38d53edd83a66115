package video

import (
	"context"
	"strconv"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/sound"
)

// splitVideo splits a video. The parts are re-encoded, so that each begins exactly at its time.
func (v Videos) splitVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err == nil {
		err = packable(f.look.Duration)
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	parts, err := sound.Pieces(c, f.look.Duration, nil)
	if err != nil {
		return toolbox.Output{}, err
	}
	return sound.Parts(parts, func(i int, p sound.Piece) (toolbox.Output, error) {
		job, length := ffmpeg.Job{Inputs: []ffmpeg.Input{f.Input("-ss", ffmpeg.Seconds(p.From))}}, p.To-p.From
		if i < len(parts)-1 {
			job.Args = []string{"-t", ffmpeg.Seconds(length)}
		}
		return v.Encode(ctx, job, f, length, format.Videos()["mp4"], c.Dir, "part-"+strconv.Itoa(i+1))
	})
}
