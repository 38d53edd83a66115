package ffmpeg

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"atelier/agent/plan"
)

func TestDo(t *testing.T) {
	t.Parallel()
	f := newFFmpeg(t, Config{})
	path := film(t, "film of mine.mp4", "-pix_fmt", "yuv420p")
	dir := t.TempDir()
	out := filepath.Join(dir, "cut.mp4")
	err := f.Do(t.Context(), Job{
		Inputs: []Input{{Path: path, Type: plan.Video, Before: []string{"-ss", Seconds(time.Second), "-t", Seconds(2 * time.Second)}}},
		Args:   []string{"-c:v", "libx264", "-pix_fmt", "yuv420p"},
		Output: out,
	})
	if err != nil {
		t.Fatal(err)
	}
	look, err := f.Look(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if look.Type != plan.Video || look.Duration != 2*time.Second || len(look.Streams) != 1 || look.Video().Width != 1600 || look.Audio() != nil {
		t.Errorf("made %+v", look)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
