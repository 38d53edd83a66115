package media

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
)

func TestSizeOf(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB (1,000 bytes)", 52_300: "52.3 kB (52,300 bytes)", 2_345_678: "2.3 MB (2,345,678 bytes)",
	} {
		if got := SizeOf(n); got != want {
			t.Errorf("%d is %q, not %q", n, got, want)
		}
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	if got, want := Details(Detail{"File type", KindName("image/jpeg")}, Detail{"Camera", ""}, Detail{"Frames", "3"}), "File type: JPEG picture\nFrames: 3"; got != want {
		t.Errorf("got %q, not %q", got, want)
	}
	if got := KindName("font/woff"); got != "font/woff" {
		t.Errorf("got %q", got)
	}
}

// made is a file of a tone, a test picture or both, made by ffmpeg.
func made(t *testing.T, name, what string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := []string{"-f", "lavfi", "-i", "sine=duration=0.3", "-f", "lavfi", "-i", "testsrc=duration=0.3:size=64x48:rate=10"}
	ffmpeg(t, append(append(args, strings.Fields(what)...), path)...)
	return path
}

func ffmpeg(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-v", "error"}, args...)
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil { //nolint:gosec // the tests' own words
		t.Fatalf("ffmpeg %q: %v: %s", args, err, out)
	}
}

// TestSoundInAContainerOfFilms: a file without video is audio, whatever its format and extension; with
// video it is a video.
func TestSoundInAContainerOfFilms(t *testing.T) {
	t.Parallel()
	const both, sound, pictures = "-map 0 -map 1 ", "-map 0 ", "-map 1 "
	for name, c := range map[string]struct {
		make string
		want Info
	}{
		"voice.webm":   {sound + "-c:a libopus", Info{Type: plan.Audio, MIME: "audio/webm", Ext: ".webm"}},
		"stream.webm":  {sound + "-c:a libopus -live 1", Info{Type: plan.Audio, MIME: "audio/webm", Ext: ".webm"}},
		"voice.weba":   {sound + "-c:a libopus -f webm", Info{Type: plan.Audio, MIME: "audio/webm", Ext: ".webm"}},
		"voice.mka":    {sound + "-c:a libopus", Info{Type: plan.Audio, MIME: "audio/x-matroska", Ext: ".mka"}},
		"voice.mkv":    {sound + "-c:a pcm_s16le", Info{Type: plan.Audio, MIME: "audio/x-matroska", Ext: ".mka"}},
		"voice.mp4":    {sound + "-c:a aac", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"first.mp4":    {sound + "-c:a aac -movflags faststart", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"parts.mp4":    {sound + "-c:a aac -movflags frag_keyframe+empty_moov", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"voice.mov":    {sound + "-c:a pcm_s16le", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"voice.3gp":    {sound + "-c:a aac", Info{Type: plan.Audio, MIME: "audio/mp4", Ext: ".m4a"}},
		"both.webm":    {both + "-c:a libopus -c:v libvpx", Info{Type: plan.Video, MIME: "video/webm", Ext: ".webm"}},
		"live.webm":    {both + "-c:a libopus -c:v libvpx -live 1", Info{Type: plan.Video, MIME: "video/webm", Ext: ".webm"}},
		"silent.mkv":   {pictures + "-c:v mpeg4", Info{Type: plan.Video, MIME: "video/x-matroska", Ext: ".mkv"}},
		"both.mp4":     {both + "-c:a aac -c:v mpeg4", Info{Type: plan.Video, MIME: "video/mp4", Ext: ".mp4"}},
		"inparts.mp4":  {both + "-c:a aac -c:v mpeg4 -movflags frag_keyframe+empty_moov", Info{Type: plan.Video, MIME: "video/mp4", Ext: ".mp4"}},
		"pictures.mov": {pictures + "-c:v mpeg4", Info{Type: plan.Video, MIME: "video/quicktime", Ext: ".mov"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Inspect(t.Context(), made(t, name, c.make), Limits{})
			if err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

// TestSoundWithoutTracks has the kind given by its first bytes.
func TestSoundWithoutTracks(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]string{"cut.mp4": "-map 0 -c:a aac", "cut.webm": "-map 0 -c:a libopus"} {
		path := made(t, name, what)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		most := len(b) - 10 // the box of tracks is the last
		if name == "cut.webm" {
			most = bytes.Index(b, []byte("A_OPUS"))
		}
		if got, err := Inspect(t.Context(), store(t, name, b[:most]), Limits{}); err != nil || got.Type != plan.Video {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
