package probe_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/media/probe"
	"atelier/agent/toolbox/sandbox"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	confined, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	films, err := ffmpeg.New(ffmpeg.Config{Sandbox: confined})
	if err != nil {
		t.Fatal(err)
	}
	prober := probe.Prober{FFmpeg: films, Sandbox: confined}
	tests := []struct {
		file string
		args []string
		want []string
	}{
		{"photo.png", []string{"-i", "color=red:s=64x48", "-frames:v", "1"}, []string{"image/png", "64 × 48 pixels"}},
		{"clip.mp4", []string{"-i", "testsrc2=s=64x48:r=10:d=2", "-pix_fmt", "yuv420p"}, []string{"video/mp4", "2.00 seconds", "no sound"}},
		{"tone.wav", []string{"-i", "sine=d=3:r=8000"}, []string{"3.00 seconds", "pcm_s16le sound, 8000 Hz, 1 channels"}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), tt.file)
			args := slices.Concat([]string{"-v", "error", "-f", "lavfi"}, tt.args, []string{path})
			if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil { //nolint:gosec // of the test's own
				t.Fatalf("%v: %s", err, out)
			}
			info, err := media.Inspect(t.Context(), path, media.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			facts, err := prober.Facts(t.Context(), path, info)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !slices.Contains(facts, want) {
					t.Errorf("the facts are %s; want %q among them", strings.Join(facts, "; "), want)
				}
			}
		})
	}
}
