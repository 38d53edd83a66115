package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/letter"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/document"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/program/sound"
	"atelier/agent/toolbox/program/video"
	"atelier/agent/toolbox/sandbox"
)

// Measurer implements [facts.Measurer].
type Measurer struct {
	machine.Machine

	Call toolbox.Call
}

// Look probes a sound or a video.
func (m Measurer) Look(ctx context.Context, path string) (ffmpeg.Look, error) {
	return m.FFmpeg.Look(ctx, path)
}

// Pages returns the areas of a document's pages, in square points.
func (m Measurer) Pages(ctx context.Context, path string) ([]float64, error) {
	return document.Documents{Machine: m.Machine}.Areas(ctx, m.Call, path)
}

// Listen decodes as much of a sound as a video may have.
func (m Measurer) Listen(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (facts.Heard, error) {
	return sound.Sounds{Machine: m.Machine}.Listen(ctx, m.Call, v, look, video.Longest+time.Second)
}

// Audible returns when a sound begins and ends, without the silence around it.
func (m Measurer) Audible(ctx context.Context, v toolbox.Value, look ffmpeg.Look) ([2]time.Duration, error) {
	r, err := sound.NewRecording(v.Path, look)
	if err != nil {
		return [2]time.Duration{}, err
	}
	p, err := sound.Sounds{Machine: m.Machine}.Audible(ctx, m.Call, r)
	return [2]time.Duration{p.From, p.To}, err
}

// Loudness measures the loudness of a sound, with the peaks of its samples.
func (m Measurer) Loudness(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (ffmpeg.Loudness, error) {
	r, err := sound.NewRecording(v.Path, look)
	if err != nil {
		return ffmpeg.Loudness{}, err
	}
	return sound.Sounds{Machine: m.Machine}.Measure(ctx, m.Call, r, "anull", ffmpeg.SamplePeaks)
}

// Font finds a font for the characters of a text. Latin, Greek and Cyrillic ones are in the usual font, which is used
// for all others too if fontconfig is not installed.
func (m Measurer) Font(ctx context.Context, text string) (facts.Font, error) {
	special := letter.Charset(text)
	if special == "" {
		return facts.Font{}, nil
	}
	if installed := m.Require([]machine.Need{{Program: "fc-list"}, {Program: "fc-match"}}) == nil; !installed {
		return facts.Font{Lacking: true}, nil
	}
	listed := func(program string, args ...string) ([]string, error) {
		said, err := m.Run(ctx, sandbox.Command{Program: program, Args: args, Dir: m.Call.Dir})
		return strings.Split(strings.TrimSpace(string(said)), "\n"), err
	}
	wanted := ":charset=" + special + ":color=False" // drawtext cannot use colour fonts
	full, err := listed("fc-list", "-f", "%{file}\n", wanted)
	if err != nil {
		return facts.Font{}, err
	}
	best, err := listed("fc-match", "-s", "-f", "%{file}\n", "Sans"+wanted)
	if err != nil {
		return facts.Font{}, err
	}
	best = slices.DeleteFunc(best, func(path string) bool { return strings.ContainsAny(path, `:'\,;[]%`) }) // it becomes part of a filter
	for _, path := range best {
		if slices.Contains(full, path) {
			return facts.Font{Path: path}, nil
		}
	}
	return facts.Font{Path: slices.Concat(best, []string{""})[0], Lacking: true}, nil
}
