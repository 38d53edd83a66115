// Package probe measures files: their type, size in pixels, duration, streams and pages. Audio, video
// and documents are only decoded in the sandbox.
package probe

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/sandbox"
)

// Prober measures files. It is safe for concurrent use.
type Prober struct {
	FFmpeg  *ffmpeg.FFmpeg
	Sandbox *sandbox.Sandbox
}

// Facts describes an inspected file for people and models: "video/mp4", "12.40 seconds". The first
// fact is its MIME type. An error, for people, means that the file is damaged.
func (p Prober) Facts(ctx context.Context, path string, info media.Info) ([]string, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("measure the file: %w", err)
	}
	facts := []string{info.MIME, media.SizeOf(stat.Size())}
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	switch info.Type {
	case plan.Image:
		add("%d × %d pixels", info.Width, info.Height)
		if info.Frames > 1 {
			add("%d frames", info.Frames)
		}
	case plan.Video, plan.Audio:
		look, err := p.FFmpeg.Look(ctx, path)
		if err != nil {
			return facts, err
		}
		add("%.2f seconds", look.Duration.Seconds())
		for _, s := range look.Streams {
			if s.Kind == "video" {
				add("%s video of %d × %d pixels, %.3g frames a second", s.Codec, s.Width, s.Height, s.Rate)
			} else {
				add("%s sound, %d Hz, %d channels", s.Codec, s.Frequency, s.Channels)
			}
		}
		if look.Audio() == nil {
			add("no sound")
		}
	case plan.Document:
		if n := p.Pages(ctx, path); n > 0 {
			add("%d pages", n)
		}
	default:
	}
	return facts, nil
}

// Pages returns the number of pages of a PDF, 0 if unknown.
func (p Prober) Pages(ctx context.Context, path string) int {
	said, err := p.Sandbox.Run(ctx, sandbox.Command{Program: "qpdf", Args: []string{"--show-npages", path}, Read: []string{path}})
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(said)))
	if err != nil {
		return 0
	}
	return n
}

// Broken reports whether a PDF whose pages can be counted has faults in its structure, for which some programs
// do not open it.
func (p Prober) Broken(ctx context.Context, path string) bool {
	_, err := p.Sandbox.Run(ctx, sandbox.Command{Program: "qpdf", Args: []string{"--check", path}, Read: []string{path}})
	return err != nil && ctx.Err() == nil
}
