package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// What sounds are brought to: the loudness that is asked for of podcasts and streams (-16
// LUFS: AES TD1004.1.15-10, at most -16; Apple Podcasts, -16 ± 1), with peaks that stay
// below what lossy codecs overshoot (-1 dBTP asked for by both, and half a decibel to spare).
const (
	loudness = -16.0 // LUFS, measured by EBU R 128 (ITU-R BS.1770)
	truePeak = -1.5  // dBTP
)

// loud is how loud a sound is, by EBU R 128.
type loud struct {
	// integrated is its loudness, in LUFS.
	integrated float64
	// peak is the highest true peak, in dBTP.
	peak float64
}

// silent tells that there is nothing that could be made louder: -70 LUFS is where the
// measure begins.
func (l loud) silent() bool { return l.integrated <= -69.9 }

// normalizeLoudness brings a sound to -16 LUFS in two passes: it is measured, then turned
// up or down as a whole. Where peaks would be cut off by that, they alone are held down,
// and what that takes of the loudness is made good.
func (b *Backend) normalizeLoudness(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.recording(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	was, err := b.measure(ctx, c, r, "anull")
	if err != nil {
		return toolbox.Output{}, err
	}
	if was.silent() {
		return toolbox.Output{}, r.fault(errors.New("below -70 LUFS"), plan.Say("is silent, so it cannot be made louder."))
	}
	gain := loudness - was.integrated
	filter := turned(gain)
	if was.peak+gain > truePeak {
		if filter, err = b.limited(ctx, c, r, gain); err != nil {
			return toolbox.Output{}, err
		}
	}
	f, note := b.same(r, r.look.Duration)
	path, err := b.render(ctx, c, r, f, filter)
	if err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: plan.Say("at %s LUFS (it was at %s)", decibels(loudness), decibels(was.integrated)), Note: note}, nil
}

func decibels(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', 1, 64), "-", "−", 1)
}

// turned is the filter that turns a sound up or down by so many decibels.
func turned(gain float64) string { return fmt.Sprintf("volume=%.2fdB:precision=double", gain) }

// limited is the filter that turns a sound up and holds its peaks down.
func (b *Backend) limited(ctx context.Context, c toolbox.Call, r recording, gain float64) (string, error) {
	const (
		looks = 3   // how often it is measured again
		near  = 0.5 // LU
		most  = 12  // dB beyond the first gain: what is nearly all peaks cannot be loud
	)
	first := gain
	for range looks {
		now, err := b.measure(ctx, c, r, limiting(gain, r.look.Audio().Frequency))
		if err != nil {
			return "", err
		}
		off := loudness - now.integrated
		if math.Abs(off) < near {
			break
		}
		gain = min(gain+off, first+most)
	}
	return limiting(gain, r.look.Audio().Frequency), nil
}

// limiting holds peaks down at 192 kHz, where they are seen that lie between the samples of
// the sound (BS.1770, annex 2).
func limiting(gain float64, rate int) string {
	return fmt.Sprintf("%s,aresample=192000,alimiter=level=disabled:limit=%.4f:attack=2:release=80:asc=1,aresample=%d",
		turned(gain), math.Pow(10, truePeak/20), min(max(rate, 8000), 48_000))
}

// measure measures what a filter makes of a recording. What it gives is no sound but what
// the measuring filter tells of it, which that writes where the output belongs.
func (b *Backend) measure(ctx context.Context, c toolbox.Call, r recording, filter string) (loud, error) {
	input := r.input()
	if r.look.Duration < time.Second { // too short for the measure, which takes 0.4 s at a time
		input.Before = []string{"-stream_loop", "20"}
	}
	path := filepath.Join(c.Dir, "loudness.txt")
	defer os.Remove(path) //nolint:errcheck // the folder is left tidy in any case
	err := b.config.FFmpeg.Do(ctx, ffmpeg.Job{
		Inputs: []ffmpeg.Input{input},
		Args:   []string{"-map", r.sound(0), "-af", filter + ",ebur128=peak=true:metadata=1,ametadata=mode=print:file=out.txt", "-f", "null"},
		Output: path, Timeout: soundTime,
	})
	if err != nil {
		return loud{}, fmt.Errorf("measure the loudness: %w", err)
	}
	l, err := readLoudness(path)
	if err != nil {
		return loud{}, r.fault(err, plan.Say("is damaged: no sound could be read out of it. Please send it again."))
	}
	return l, nil
}

// readLoudness reads the last that a report says of each figure: those are of the whole.
func readLoudness(path string) (loud, error) {
	f, err := os.Open(path)
	if err != nil {
		return loud{}, fmt.Errorf("open the report: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was read
	const tail = 16 << 10
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		if _, err := f.Seek(-tail, io.SeekEnd); err != nil {
			return loud{}, fmt.Errorf("read the report: %w", err)
		}
	}
	l := loud{integrated: math.NaN(), peak: -99}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		switch name {
		case "lavfi.r128.I":
			l.integrated = v
		case "lavfi.r128.true_peak":
			l.peak = 20 * math.Log10(max(v, 1e-3)) // it is told to a thousandth
		}
	}
	if err := lines.Err(); err != nil {
		return loud{}, fmt.Errorf("read the report: %w", err)
	}
	if math.IsNaN(l.integrated) {
		return loud{}, errors.New("the report tells no loudness")
	}
	return l, nil
}
