package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// sound are the operations on sound, by name. Each takes the first sound of a file, of a
// video too, and leaves out what the file tells besides.
func (b *Backend) sound() map[string]operation {
	return map[string]operation{
		"convert_audio":      {ffmpegs, tidied(b.convertAudio)},
		"cut_audio":          {ffmpegs, tidied(b.cutAudio)},
		"denoise_audio":      {ffmpegs, tidied(b.denoiseAudio)},
		"extract_audio":      {ffmpegs, tidied(b.extractAudio)},
		"join_audio":         {ffmpegs, tidied(b.joinAudio)},
		"normalize_loudness": {ffmpegs, tidied(b.normalizeLoudness)},
		"spectrogram_image":  {ffmpegs, tidied(b.spectrogramImage)},
		"waveform_image":     {ffmpegs, tidied(b.waveformImage)},
	}
}

// recording is a file with sound that was looked at.
type recording struct {
	path string
	look ffmpeg.Look
}

// name is what people call it.
func (r recording) name() string { return filepath.Base(r.path) }

// input is the recording as a program reads it.
func (r recording) input() ffmpeg.Input { return ffmpeg.Input{Path: r.path, Type: plan.Audio} }

// sound is how ffmpeg names its sound where it is that input.
func (r recording) sound(input int) string { return r.look.Audio().Of(input) }

// fault is an error about the recording; the sentence begins with its name.
func (r recording) fault(err error, is plan.Message) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", r.name(), is), Err: err}
}

// recorded looks at a file and finds sound in it.
func (b *Backend) recorded(ctx context.Context, path string) (recording, error) {
	look, err := b.config.FFmpeg.Look(ctx, path)
	if err != nil {
		return recording{}, fmt.Errorf("look at a sound: %w", err)
	}
	r := recording{path, look}
	if look.Audio() == nil {
		return recording{}, r.fault(errors.New("no stream of sound has samples"), plan.Say("holds no sound."))
	}
	return r, nil
}

// recording is the file of an argument.
func (b *Backend) recording(ctx context.Context, c toolbox.Call, arg string) (recording, error) {
	path, err := fileIn(c, arg)
	if err != nil {
		return recording{}, err
	}
	return b.recorded(ctx, path)
}

// soundTime is how long a sound may be worked on: hours of it take minutes.
const soundTime = 10 * time.Minute

// render writes a sound that a filter makes of a recording, "" as it is.
func (b *Backend) render(ctx context.Context, c toolbox.Call, r recording, f soundFormat, filter string) (string, error) {
	args := []string{"-map", r.sound(0)}
	if filter != "" {
		args = append(args, "-af", filter)
	}
	return b.renderAll(ctx, c, []recording{r}, f, args)
}

// renderAll writes a sound made of recordings.
func (b *Backend) renderAll(ctx context.Context, c toolbox.Call, rs []recording, f soundFormat, args []string) (string, error) {
	job := ffmpeg.Job{Args: append(args, f.args...), Output: filepath.Join(c.Dir, "sound."+f.ending), Timeout: soundTime}
	for _, r := range rs {
		job.Inputs = append(job.Inputs, r.input())
	}
	if err := b.config.FFmpeg.Do(ctx, job); err != nil {
		return "", fmt.Errorf("write a sound: %w", err)
	}
	return job.Output, nil
}
