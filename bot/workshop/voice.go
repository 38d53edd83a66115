package workshop

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/jobs"
	"atelier/storage"
)

var _ jobs.Speaker = jobsAgent{}

const (
	// reader is the tool of the catalogue that reads texts aloud.
	reader = "text_to_speech"
	// sampled is how many samples a second are looked at for the waveform.
	sampled = 8000
	// aPart is how long a part of the waveform is at least, as Discord's own clients have it.
	aPart = 100 * time.Millisecond
)

// voices make voice messages of sounds.
type voices struct {
	blobs storage.Blobs
	films *ffmpeg.FFmpeg
	files Pictures // fetches blobs into passing files
}

// Voice makes a voice message of what a run read aloud in the end.
func (a jobsAgent) Voice(ctx context.Context, made *plan.Route, folder string) (*adapters.Voice, error) {
	ends, steps := made.Ends(), made.Steps()
	if len(ends) != 1 || len(steps) == 0 || steps[len(steps)-1].Action.Tool != reader {
		return nil, nil //nolint:nilnil // there is none
	}
	if err := a.voices.films.Probe(ctx); err != nil {
		return nil, nil //nolint:nilnil,nilerr // ffmpeg is not here: the answer has its file
	}
	return a.voices.of(ctx, ends[0].Blob, path.Join(folder, "voice.ogg"))
}

// of makes a voice message of a sound, and stores it under a key.
func (v voices) of(ctx context.Context, sound, key string) (_ *adapters.Voice, err error) {
	dir, err := os.MkdirTemp(v.files.scratch, "atelier-voice-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	from, to, raw := filepath.Join(dir, "sound"+path.Ext(sound)), filepath.Join(dir, "voice.ogg"), filepath.Join(dir, "raw.wav")
	if err := v.files.fetch(ctx, sound, from); err != nil {
		return nil, fmt.Errorf("fetch a sound: %w", err)
	}
	in := []ffmpeg.Input{{Path: from, Type: plan.Audio}}
	err = v.films.Do(ctx, ffmpeg.Job{Inputs: in, Output: to, Args: []string{"-map", "0:a:0", "-ac", "1", "-ar", "48000", "-c:a", "libopus", "-b:a", "48k"}})
	if err == nil {
		err = v.films.Do(ctx, ffmpeg.Job{Inputs: in, Output: raw, Args: []string{"-map", "0:a:0", "-ac", "1", "-ar", strconv.Itoa(sampled), "-c:a", "pcm_u8"}})
	}
	if err != nil {
		return nil, err
	}
	samples, err := readSamples(raw)
	if err != nil {
		return nil, err
	}
	opus, err := os.ReadFile(to)
	if err != nil {
		return nil, fmt.Errorf("read a voice message: %w", err)
	}
	if err := v.blobs.Put(ctx, key, bytes.NewReader(opus)); err != nil {
		return nil, fmt.Errorf("store a voice message: %w", err)
	}
	return &adapters.Voice{
		Handle: key, Size: int64(len(opus)), Duration: time.Duration(len(samples)) * time.Second / sampled, Waveform: waveform(samples),
	}, nil
}

// readSamples are the samples of a WAV file, a byte each.
func readSamples(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	const head, chunk = 12, 8
	for at := head; at+chunk <= len(b); {
		size := int(binary.LittleEndian.Uint32(b[at+4:]))
		at += chunk
		if string(b[at-chunk:at-4]) == "data" && size > 0 {
			return b[at:min(at+size, len(b))], nil
		}
		at += size + size%2
	}
	return nil, errors.New("the WAV file has no samples")
}

// waveform is how loud samples are in equal parts of them: the loudest of each.
func waveform(samples []byte) []byte {
	const silence = 128
	parts := make([]byte, min(max(1, len(samples)/int(sampled*aPart/time.Second)), adapters.MaxWaveform))
	for i, s := range samples {
		at := i * len(parts) / len(samples)
		loud := min(2*max(int(s)-silence, silence-int(s)), 255)
		parts[at] = max(parts[at], byte(loud)) //nolint:gosec // it is within a byte
	}
	return parts
}
