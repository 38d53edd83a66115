package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// sounds reads, measures and writes sounds.
type sounds struct{ machine }

func (s sounds) operations() map[string]operation {
	return map[string]operation{
		"audio_loudness":     {ffmpegs(), s.loudnessOf("audio")},
		"video_loudness":     {ffmpegs(), s.loudnessOf("video")},
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
	look, err := s.FFmpeg.Look(ctx, path)
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

// render writes a recording in a format, through a filter, under a name without extension.
func (s sounds) render(ctx context.Context, c toolbox.Call, r recording, f soundFormat, filter, name string) (toolbox.Output, error) {
	job := ffmpeg.Job{Inputs: []ffmpeg.Input{r.input()}, Args: append([]string{"-map", r.sound(), "-af", filter}, f.coding.all()...), Timeout: soundTime}
	return s.write(ctx, job, c.Dir, name+"."+f.ending)
}

// waveHead is the size of the header of a WAV file that ffmpeg writes without metadata
// (http://soundfile.sapp.org/doc/WaveFormat/).
const waveHead = 44

// mostDecoded is the maximum size of decoded samples, in bytes. They are only a temporary file.
const mostDecoded = 512 << 20

// decode writes the beginning of a recording as a mono WAV file with 16-bit samples.
func (s sounds) decode(ctx context.Context, c toolbox.Call, r recording, rate int, most time.Duration) (string, error) {
	job := ffmpeg.Job{
		Inputs: []ffmpeg.Input{r.input()}, Most: mostDecoded, Timeout: soundTime,
		Args: []string{"-map", r.sound(), "-t", ffmpeg.Seconds(most), "-ac", "1", "-ar", strconv.Itoa(rate), "-c:a", "pcm_s16le"},
	}
	out, err := s.write(ctx, job, c.Dir, "samples.wav")
	return out.Path, err
}

// same returns the recording's own format if we can write it, else MP3: for the sound of videos,
// phones and old programs.
func (r recording) same() soundFormat {
	codec := r.look.Audio().Codec
	switch r.look.MIME {
	case "audio/wav":
		if strings.Contains(codec, "24") || strings.Contains(codec, "32") || strings.Contains(codec, "64") {
			return wav24
		}
		return wav
	case "audio/flac":
		return flac
	case "audio/ogg", "application/ogg":
		switch codec {
		case "opus":
			return opusInOgg
		case "flac":
			return flac
		}
		return vorbis
	case "audio/mp4", "audio/x-m4a", "audio/aac":
		return m4a
	case "audio/aiff":
		return aiff
	}
	return mp3
}
