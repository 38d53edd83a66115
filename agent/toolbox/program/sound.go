package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// sounds reads, measures and writes sounds.
type sounds struct{ machine }

func (s sounds) operations() map[string]operation {
	return map[string]operation{
		"audio_facts":        {ffmpegs(), s.factsOf("audio")},
		"audio_loudness":     {ffmpegs(), s.loudnessOf("audio")},
		"normalize_loudness": {ffmpegs(), s.normalizeLoudness},
		"spectrogram_image":  {ffmpegs(), s.spectrogramImage},
		"split_audio":        {ffmpegs(), s.splitAudio},
	}
}

// recording is a file with sound, and its probe result.
type recording struct {
	path string
	look ffmpeg.Look
}

// name is the file name.
func (r recording) name() string { return filepath.Base(r.path) }

// input is the recording as an input of ffmpeg.
func (r recording) input() ffmpeg.Input {
	return ffmpeg.Input{Path: r.path, Type: plan.Audio}
}

// sound is ffmpeg's name for the audio stream if the recording is the first input.
func (r recording) sound() string { return r.look.Audio().Of(0) }

// fault is an error about the recording; the sentence begins with its name.
func (r recording) fault(err error, is plan.Message) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", r.name(), is), Err: err}
}

// recorded probes a file, which must have sound.
func (s sounds) recorded(ctx context.Context, path string) (recording, error) {
	look, err := s.config.FFmpeg.Look(ctx, path)
	if err != nil {
		return recording{}, fmt.Errorf("probe a sound: %w", err)
	}
	return recordingOf(path, look)
}

// recordingOf makes a recording of a probed file, which must have sound.
func recordingOf(path string, look ffmpeg.Look) (recording, error) {
	r := recording{path, look}
	if look.Audio() == nil {
		return recording{}, &plan.Fault{
			Sentence: plan.Say("%q %s", r.name(), plan.Say("has no sound.")), Err: errors.New("no audio stream has samples"),
			Final: true, // no other backend finds one
		}
	}
	return r, nil
}

// recording probes the file of the argument "audio".
func (s sounds) recording(ctx context.Context, c toolbox.Call) (recording, error) {
	path, err := fileIn(c, "audio")
	if err != nil {
		return recording{}, err
	}
	return s.recorded(ctx, path)
}

// soundTime is the timeout of work on a sound: hours of sound take minutes.
const soundTime = 10 * time.Minute

// render writes a recording in a format, through a filter unless it is "".
func (s sounds) render(ctx context.Context, c toolbox.Call, r recording, f soundFormat, filter string) (string, error) {
	job := ffmpeg.Job{
		Inputs: []ffmpeg.Input{r.input()}, Args: []string{"-map", r.sound()}, Output: filepath.Join(c.Dir, "sound."+f.ending), Timeout: soundTime,
	}
	if filter != "" {
		job.Args = append(job.Args, "-af", filter)
	}
	job.Args = append(job.Args, f.coding.all()...)
	if err := s.config.FFmpeg.Do(ctx, job); err != nil {
		return "", fmt.Errorf("write a sound: %w", err)
	}
	return job.Output, nil
}

// waveHead is the size of the header of a WAV file that ffmpeg writes without metadata
// (http://soundfile.sapp.org/doc/WaveFormat/).
const waveHead = 44

// mostDecoded is the maximum size of decoded samples, in bytes. They are only a temporary file.
const mostDecoded = 512 << 20

// decode writes the beginning of a recording as a mono WAV file with 16-bit samples.
func (s sounds) decode(ctx context.Context, c toolbox.Call, r recording, rate int, most time.Duration) (string, error) {
	job := ffmpeg.Job{
		Inputs: []ffmpeg.Input{r.input()}, Output: filepath.Join(c.Dir, "samples.wav"), Most: mostDecoded, Timeout: soundTime,
		Args: []string{"-map", r.sound(), "-t", ffmpeg.Seconds(most), "-ac", "1", "-ar", strconv.Itoa(rate), "-c:a", "pcm_s16le"},
	}
	if err := s.config.FFmpeg.Do(ctx, job); err != nil {
		return "", fmt.Errorf("decode a sound: %w", err)
	}
	return job.Output, nil
}
