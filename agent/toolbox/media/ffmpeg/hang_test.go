//go:build unix

package ffmpeg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"atelier/agent/plan"
)

// TestAHangIsKilled: programs that hang are killed with their children. The pipe that
// all of them hold open ends when the last one is gone.
func TestAHangIsKilled(t *testing.T) {
	t.Parallel()
	path := film(t, "film.mp4", "-pix_fmt", "yuv420p")
	dir := t.TempDir()
	alive := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec 3>%s\nsleep 1000 &\necho started >&3\nsleep 1000\n", alive)
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := newFFmpeg(t, Config{Path: filepath.Join(dir, "ffmpeg")}).Frames(ctx, path, dir, 2)
		ended <- err
	}()
	pipe, err := os.Open(alive)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close() //nolint:errcheck // it was read
	lines := bufio.NewReader(pipe)
	if line, err := lines.ReadString('\n'); line != "started\n" {
		t.Fatalf("%q, %v", line, err)
	}
	cancel()
	if _, err := lines.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the programs still speak: %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) || plan.Sentence(err, plan.Message{}).String() == "" {
		t.Errorf("got %v", err)
	}
}
