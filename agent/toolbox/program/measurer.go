package program

import (
	"context"
	"errors"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/facts"
)

// Measurer returns a measurer for the files of a call.
func (b *Backend) Measurer(call toolbox.Call) facts.Measurer { return measurer{b.machine, call} }

// measurer implements [facts.Measurer].
type measurer struct {
	machine

	call toolbox.Call
}

func (m measurer) Look(ctx context.Context, path string) (ffmpeg.Look, error) {
	return m.config.FFmpeg.Look(ctx, path)
}

func (m measurer) Pages(ctx context.Context, path string) ([]float64, error) {
	return documents{m.machine}.pages(ctx, m.call, path)
}

func (m measurer) Listen(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (facts.Heard, error) {
	r, err := recordingOf(v.Path, look)
	if err != nil {
		return facts.Heard{}, err
	}
	l, err := sounds{m.machine}.listen(ctx, m.call, r, longestFilm+time.Second)
	if err == nil && l.length == 0 {
		err = r.fault(errors.New("nothing was decoded"), plan.Say("has no sound."))
	}
	return facts.Heard{Length: l.length, Voice: isVoice(v, l)}, err
}

func (m measurer) Loudness(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (ffmpeg.Loudness, error) {
	r, err := recordingOf(v.Path, look)
	if err != nil {
		return ffmpeg.Loudness{}, err
	}
	return sounds{m.machine}.measure(ctx, m.call, r, "anull", ffmpeg.SamplePeaks)
}
