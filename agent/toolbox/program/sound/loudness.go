package sound

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
)

// The default loudness is that of podcasts and streams (-16 LUFS: AES TD1004.1.15-10, at most -16;
// Apple Podcasts, -16 ± 1). Both require peaks below -1 dBTP, since lossy codecs overshoot; half a
// decibel is added for safety.
const (
	Loudness = -16.0 // LUFS, measured by EBU R 128 (ITU-R BS.1770)
	truePeak = -1.5  // dBTP
)

// normalizeLoudness brings a sound to a target, by default -16 LUFS, in two passes: it measures the
// sound, then changes its gain. If peaks would clip, they are limited, and the gain is raised to
// compensate.
func (s Sounds) normalizeLoudness(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := s.Given(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	filter, about, err := s.ToTarget(ctx, c, r)
	if err != nil {
		return toolbox.Output{}, err
	}
	f, note := r.Fitting(s.Limits.Bytes, r.Look.Duration)
	out, err := s.Render(ctx, c, r, f, filter, "sound")
	out.About, out.Note = about, note
	return out, err
}

// ToTarget returns the filter that brings a recording to the loudness that a call asks for, and what the answer says.
func (s Sounds) ToTarget(ctx context.Context, c toolbox.Call, r Recording) (filter string, about plan.Message, err error) {
	target, ok := toolbox.Param[float64](c, "target")
	if !ok {
		target = Loudness
	}
	filter, was, err := s.ToLoudness(ctx, c, r, target)
	if err == nil && was.Silent() {
		err = r.Fault(errors.New("below -70 LUFS"), plan.Say("is silent, so it cannot be made louder."))
	}
	return filter, plan.Say("at %s LUFS (it was at %s)", decibels(target), decibels(was.LUFS)), err
}

// loudnessOf returns the operation that measures how loud the file of an argument is.
func (s Sounds) loudnessOf(arg string) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		r, err := s.Given(ctx, c, arg)
		if err != nil {
			return toolbox.Output{}, err
		}
		is, err := s.Measure(ctx, c, r, "anull", ffmpeg.TruePeaks)
		if err != nil {
			return toolbox.Output{}, err
		}
		all := []media.Detail{{Name: "Loudness", Value: decibels(is.LUFS) + " LUFS"}, {Name: "Peak", Value: decibels(is.Peak) + " dBTP"}}
		if is.Silent() {
			all = []media.Detail{{Name: "Loudness", Value: "silent (below −70 LUFS)"}}
		}
		return toolbox.Output{Value: media.Details(all...), About: plan.Say("facts about the file")}, nil
	}
}

func decibels(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', 1, 64), "-", "−", 1)
}

// ToLoudness returns the filter that brings a recording to a loudness, and its present loudness.
// Silence stays silent.
func (s Sounds) ToLoudness(ctx context.Context, c toolbox.Call, r Recording, target float64) (string, ffmpeg.Loudness, error) {
	was, err := s.Measure(ctx, c, r, "anull", ffmpeg.TruePeaks)
	gain := target - was.LUFS
	if err != nil || was.Silent() || was.Peak+gain <= truePeak {
		return turned(gain), was, err
	}
	filter, err := s.limited(ctx, c, r, gain, target)
	return filter, was, err
}

// turned returns the filter that changes the gain, in decibels.
func turned(gain float64) string { return fmt.Sprintf("volume=%.2fdB:precision=double", gain) }

// limited returns the filter that raises the gain and limits the peaks.
func (s Sounds) limited(ctx context.Context, c toolbox.Call, r Recording, gain, target float64) (string, error) {
	const (
		looks = 3   // how many times the result is measured
		near  = 0.5 // LU
		most  = 12  // dB beyond the first gain: a sound that is mostly peaks cannot become loud
	)
	first := gain
	for range looks {
		now, err := s.Measure(ctx, c, r, limiting(gain, r.Look.Audio().Frequency), ffmpeg.SamplePeaks)
		if err != nil {
			return "", err
		}
		off := target - now.LUFS
		if math.Abs(off) < near {
			break
		}
		gain = min(gain+off, first+most)
	}
	return limiting(gain, r.Look.Audio().Frequency), nil
}

// limiting limits peaks at 192 kHz, which reveals peaks between the samples of the sound (BS.1770,
// annex 2).
func limiting(gain float64, rate int) string {
	return fmt.Sprintf("%s,aresample=192000,alimiter=level=disabled:limit=%.4f:attack=2:release=80:asc=1,aresample=%d",
		turned(gain), math.Pow(10, truePeak/20), min(max(rate, 8000), 48_000))
}

// Measure measures the loudness of a filtered recording.
func (s Sounds) Measure(ctx context.Context, c toolbox.Call, r Recording, filter string, peaks ffmpeg.Peaks) (ffmpeg.Loudness, error) {
	l, err := s.FFmpeg.Loudness(ctx, r.Path, r.Look, filter, peaks, c.Dir)
	if errors.Is(err, ffmpeg.ErrUnmeasured) {
		return ffmpeg.Loudness{}, r.Fault(err, plan.Say("is damaged: no sound could be read out of it. Please send it again."))
	}
	return l, err
}
