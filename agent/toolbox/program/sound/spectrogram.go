package sound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/program/plot"
)

// spectrogramImage draws a spectrogram.
func (s Sounds) spectrogramImage(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := s.Given(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	decoded, err := s.Decode(ctx, c, r, r.drawnRate(), r.Look.Duration+time.Minute)
	if err != nil {
		return toolbox.Output{}, err
	}
	f, err := os.Open(decoded)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("open the decoded sound: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was read
	info, err := f.Stat()
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("measure the decoded sound: %w", err)
	}
	size := info.Size() - waveHead
	img, err := plot.Spectrum(ctx, plot.Samples{From: io.NewSectionReader(f, waveHead, size), Rate: r.drawnRate(), Count: size / 2})
	switch {
	case errors.Is(err, plot.ErrNoSamples):
		return toolbox.Output{}, r.Fault(err, plan.Say("is damaged: no sound could be read out of it. Please send it again."))
	case ctx.Err() != nil:
		return toolbox.Output{}, media.Stopped(ctx)
	case err != nil:
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The picture could not be drawn."), Err: err}
	}
	path := filepath.Join(c.Dir, "picture.png")
	if err := media.EncodeImage(ctx, path, img, media.PNG); err != nil {
		return toolbox.Output{}, fmt.Errorf("write the picture: %w", err)
	}
	return toolbox.Output{Path: path, About: plan.Say("the spectrogram")}, nil
}

// drawnRate is the sample rate of the spectrogram: up to the full audible range, lower for sounds
// of several hours so that the samples fit.
func (r Recording) drawnRate() int {
	rate := min(max(r.Look.Audio().Frequency, 8000), 44_100)
	if length := r.Look.Duration.Seconds(); length > 0 {
		rate = min(rate, max(int(0.98*mostDecoded/2/length), 1000)) // two bytes each
	}
	return rate
}
