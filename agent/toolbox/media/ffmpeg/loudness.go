package ffmpeg

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
)

// measureTime is how long a sound may be measured: hours of it take minutes.
const measureTime = 10 * time.Minute

// ErrUnmeasured tells that no sound could be read out of a file.
var ErrUnmeasured = errors.New("the report tells no loudness")

// Loudness is how loud a sound is, by EBU R 128 (ITU-R BS.1770).
type Loudness struct {
	// LUFS is its integrated loudness.
	LUFS float64
	// Peak is the highest peak, in dBFS, or dBTP for [TruePeaks].
	Peak float64
}

// Silent tells that there is nothing that could be made louder: -70 LUFS is where the
// measure begins.
func (l Loudness) Silent() bool { return l.LUFS <= -69.9 }

// Peaks are those that are measured.
type Peaks string

const (
	// SamplePeaks are the highest samples.
	SamplePeaks Peaks = "sample"
	// TruePeaks are also seen between samples, which takes twice as long.
	TruePeaks Peaks = "true"
)

// Loudness decodes all sound of a file that was looked at, and measures what a filter makes of it;
// "anull" is the sound itself. It works in the folder dir and leaves nothing there. A file out of
// which no sound can be read is [ErrUnmeasured].
func (f *FFmpeg) Loudness(ctx context.Context, path string, look Look, filter string, peaks Peaks, dir string) (Loudness, error) {
	sound := look.Audio()
	if sound == nil {
		return Loudness{}, ErrUnmeasured
	}
	input := Input{Path: path, Type: plan.Audio}
	if look.Duration < time.Second { // too short for the measure, which takes 0.4 s at a time
		input.Before = []string{"-stream_loop", "20"}
	}
	report := filepath.Join(dir, "loudness.txt")
	defer os.Remove(report) //nolint:errcheck // the folder is left tidy in any case
	// What the job gives is no sound but what the measuring filter tells of it, which that writes
	// where the output belongs.
	err := f.Do(ctx, Job{
		Inputs: []Input{input},
		Args:   []string{"-map", sound.Of(0), "-af", filter + ",ebur128=peak=" + string(peaks) + ":metadata=1,ametadata=mode=print:file=out.txt", "-f", "null"},
		Output: report, Timeout: measureTime,
	})
	if err != nil {
		return Loudness{}, fmt.Errorf("measure the loudness: %w", err)
	}
	return readLoudness(report)
}

// readLoudness reads the last that a report says of each figure: those are of the whole.
func readLoudness(path string) (Loudness, error) {
	f, err := os.Open(path)
	if err != nil {
		return Loudness{}, fmt.Errorf("open the report: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was read
	const tail = 16 << 10
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		if _, err := f.Seek(-tail, io.SeekEnd); err != nil {
			return Loudness{}, fmt.Errorf("read the report: %w", err)
		}
	}
	l := Loudness{LUFS: math.NaN(), Peak: -99}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		switch name {
		case "lavfi.r128.I":
			l.LUFS = v
		case "lavfi.r128.true_peak", "lavfi.r128.sample_peak":
			l.Peak = 20 * math.Log10(max(v, 1e-3)) // it is told to a thousandth
		}
	}
	if err := lines.Err(); err != nil {
		return Loudness{}, fmt.Errorf("read the report: %w", err)
	}
	if math.IsNaN(l.LUFS) {
		return Loudness{}, ErrUnmeasured
	}
	return l, nil
}
