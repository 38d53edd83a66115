// Package sound reads, measures and writes sounds: loudness, pauses, voices, spectrograms and parts.
package sound

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
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/machine"
)

// Sounds reads, measures and writes sounds.
type Sounds struct{ machine.Machine }

// Operations are those on sounds, and on the sound of a file.
func (s Sounds) Operations() map[string]machine.Operation {
	return map[string]machine.Operation{
		"audio_loudness":     {Needs: machine.FFmpegNeeds(), Do: s.loudnessOf("audio")},
		"video_loudness":     {Needs: machine.FFmpegNeeds(), Do: s.loudnessOf("video")},
		"normalize_loudness": {Needs: machine.FFmpegNeeds(), Do: s.normalizeLoudness},
		"reverse_audio":      {Needs: machine.FFmpegNeeds(), Do: s.reverse},
		"spectrogram_image":  {Needs: machine.FFmpegNeeds(), Do: s.spectrogramImage},
		"split_audio":        {Needs: machine.FFmpegNeeds(), Do: s.splitAudio},
	}
}

// Recording is a file with sound, and its probe result.
type Recording struct {
	Path string
	Look ffmpeg.Look
}

// NewRecording makes a recording of a probed file, which must have sound.
func NewRecording(path string, look ffmpeg.Look) (Recording, error) {
	r := Recording{path, look}
	if look.Audio() == nil {
		return Recording{}, &plan.Fault{
			Sentence: plan.Say("%q %s", r.name(), plan.Say("has no sound.")), Err: errors.New("no audio stream has samples"),
			Final: true, // no other backend finds one
		}
	}
	return r, nil
}

// Input is the recording as an input of ffmpeg.
func (r Recording) Input() ffmpeg.Input {
	return ffmpeg.Input{Path: r.Path, Type: plan.Audio}
}

// Fault is an error about the recording; the sentence begins with its name.
func (r Recording) Fault(err error, is plan.Message) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", r.name(), is), Err: err}
}

// Probe probes a file, which must have sound.
func (s Sounds) Probe(ctx context.Context, path string) (Recording, error) {
	look, err := s.FFmpeg.Look(ctx, path)
	if err != nil {
		return Recording{}, fmt.Errorf("probe a sound: %w", err)
	}
	return NewRecording(path, look)
}

// Given probes the file of an argument.
func (s Sounds) Given(ctx context.Context, c toolbox.Call, arg string) (Recording, error) {
	path, err := machine.FileIn(c, arg)
	if err != nil {
		return Recording{}, err
	}
	return s.Probe(ctx, path)
}

// Timeout is the timeout of work on a sound: hours of sound take minutes.
const Timeout = 10 * time.Minute

// Render writes a recording in a format, through a filter, under a name without extension.
func (s Sounds) Render(ctx context.Context, c toolbox.Call, r Recording, f format.Sound, filter, name string) (toolbox.Output, error) {
	job := ffmpeg.Job{Inputs: []ffmpeg.Input{r.Input()}, Args: append([]string{"-map", "0:a:0", "-af", filter}, f.Coding.All()...), Timeout: Timeout}
	return s.Write(ctx, job, c.Dir, name+"."+f.Ending)
}

// waveHead is the size of the header of a WAV file that ffmpeg writes without metadata
// (http://soundfile.sapp.org/doc/WaveFormat/).
const waveHead = 44

// mostDecoded is the maximum size of decoded samples, in bytes. They are only a temporary file.
const mostDecoded = 512 << 20

// Decode writes the beginning of a recording as a mono WAV file with 16-bit samples.
func (s Sounds) Decode(ctx context.Context, c toolbox.Call, r Recording, rate int, most time.Duration) (string, error) {
	job := ffmpeg.Job{
		Inputs: []ffmpeg.Input{r.Input()}, Most: mostDecoded, Timeout: Timeout,
		Args: []string{"-map", "0:a:0", "-t", ffmpeg.Seconds(most), "-ac", "1", "-ar", strconv.Itoa(rate), "-c:a", "pcm_s16le"},
	}
	out, err := s.Write(ctx, job, c.Dir, "samples.wav")
	return out.Path, err
}

// Format returns the recording's own format if we can write it, else MP3.
func (r Recording) Format() format.Sound {
	f, _ := format.OfFile(r.Look.MIME, r.Look.Audio().Codec)
	return f
}

// Fitting returns the recording's own format or a smaller one ([format.Sound.Fitting]) for a part of that length, and what
// is to be said of the new file.
func (r Recording) Fitting(most int64, length time.Duration) (format.Sound, plan.Message) {
	f, note := r.Format().Fitting(most, length, r.Look.Audio().Frequency, r.Look.Audio().Channels)
	return f, plan.Sentences(note, r.LeftOut())
}

// LeftOut says what else is in the file, such as its tags, which may be private.
func (r Recording) LeftOut() plan.Message {
	tags := plan.Message{}
	switch {
	case r.Look.Type != plan.Audio:
	case r.Look.Cover:
		tags = plan.Say("Its tags and its cover picture were left out.")
	case len(r.Look.Tags) > 0:
		tags = plan.Say("Its tags, such as the title, were left out.")
	}
	return plan.Sentences(r.Look.LeftOut(), tags)
}

// name is the file name.
func (r Recording) name() string { return filepath.Base(r.Path) }
