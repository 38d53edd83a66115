package program

import (
	"context"
	"time"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/facts"
)

// measurer implements [facts.Measurer].
type measurer struct {
	machine

	call toolbox.Call
}

func (m measurer) Look(ctx context.Context, path string) (ffmpeg.Look, error) {
	return m.FFmpeg.Look(ctx, path)
}

func (m measurer) Pages(ctx context.Context, path string) ([]float64, error) {
	return documents{m.machine}.pages(ctx, m.call, path)
}

func (m measurer) Listen(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (facts.Heard, error) {
	return sounds{m.machine}.listen(ctx, m.call, v, look, longestFilm+time.Second)
}

func (m measurer) Loudness(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (ffmpeg.Loudness, error) {
	r, err := recordingOf(v.Path, look)
	if err != nil {
		return ffmpeg.Loudness{}, err
	}
	return sounds{m.machine}.measure(ctx, m.call, r, "anull", ffmpeg.SamplePeaks)
}
