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

// measureTime is the timeout for measuring loudness: hours of audio take minutes.
const measureTime = 10 * time.Minute

// ErrUnmeasured means that no audio could be decoded from a file.
var ErrUnmeasured = errors.New("the report contains no loudness")

// Loudness is the loudness of audio by EBU R 128 (ITU-R BS.1770).
type Loudness struct {
	// LUFS is the integrated loudness.
	LUFS float64
	// Peak is the highest peak, in dBFS, or in dBTP for [TruePeaks].
	Peak float64
}

// Silent reports whether there is nothing to amplify: the measurement starts at -70 LUFS.
func (l Loudness) Silent() bool { return l.LUFS <= -69.9 }

// Peaks is a way to measure peaks.
type Peaks string

const (
	// SamplePeaks are the highest samples.
	SamplePeaks Peaks = "sample"
	// TruePeaks also include peaks between samples, which takes twice as long.
	TruePeaks Peaks = "true"
)

// Loudness decodes all audio of an inspected file and measures it after applying a filter; "anull"
// leaves it unchanged. It works in the folder dir and leaves nothing there. It returns [ErrUnmeasured]
// if no audio can be decoded.
func (f *FFmpeg) Loudness(ctx context.Context, path string, look Look, filter string, peaks Peaks, dir string) (Loudness, error) {
	sound := look.Audio()
	if sound == nil {
		return Loudness{}, ErrUnmeasured
	}
	input := Input{Path: path, Type: plan.Audio}
	if look.Duration < time.Second { // too short for the measurement, which uses blocks of 0.4 s
		input.Before = []string{"-stream_loop", "20"}
	}
	report := filepath.Join(dir, "loudness.txt")
	defer os.Remove(report) //nolint:errcheck // best effort
	// The job writes no audio: its output is the report of the measuring filter.
	err := f.Do(ctx, Job{
		Inputs: []Input{input},
		Args:   []string{"-map", "0:a:0", "-af", filter + ",ebur128=peak=" + string(peaks) + ":metadata=1,ametadata=mode=print:file=out.txt", "-f", "null"},
		Output: report, Timeout: measureTime,
	})
	if err != nil {
		return Loudness{}, fmt.Errorf("measure the loudness: %w", err)
	}
	return readLoudness(report)
}

// readLoudness reads the last value of each measure in a report; these are for the whole file.
func readLoudness(path string) (Loudness, error) {
	f, err := os.Open(path)
	if err != nil {
		return Loudness{}, fmt.Errorf("open the report: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
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
			l.Peak = 20 * math.Log10(max(v, 1e-3)) // reported to three decimals
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
