//go:build unix

package ffmpeg

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
)

// TestHangingProgramIsKilled: programs that hang are ended with the context or the timeout. The sandbox's tests
// check that nothing of them is left.
func TestHangingProgramIsKilled(t *testing.T) {
	t.Parallel()
	path := film(t, "film.mp4", "-pix_fmt", "yuv420p")
	dir := t.TempDir()
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nsleep 1000 &\nsleep 1000\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	hanging := newFFmpeg(t, Config{Path: filepath.Join(dir, "ffmpeg"), Timeout: 100 * time.Millisecond})
	for name, c := range map[string]struct {
		do   func(ctx context.Context) error
		want string
	}{
		"frames": {func(ctx context.Context) error {
			_, err := hanging.Frames(ctx, path, t.TempDir(), 2)
			return err
		}, "took longer than 0.1 seconds to analyse"},
		"a look": {func(ctx context.Context) error {
			_, err := hanging.Look(ctx, path)
			return err
		}, "took longer than 0.1 seconds, and was stopped"},
		"a job": {func(ctx context.Context) error {
			return hanging.Do(ctx, Job{Inputs: []Input{{Path: path}}, Output: filepath.Join(t.TempDir(), "out.mp4")})
		}, "took longer than 0.1 seconds, and was stopped"},
		"a context": {func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			_, err := newFFmpeg(t, Config{Path: filepath.Join(dir, "ffmpeg")}).Look(ctx, path)
			return err
		}, "It was stopped before it finished."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := plan.Sentence(c.do(t.Context()), plan.Message{}).String(); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
