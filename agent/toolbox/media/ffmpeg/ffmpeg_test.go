package ffmpeg

import (
	"context"
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/slow"
)

func TestMain(m *testing.M) {
	sandbox.Enter()
	goleak.VerifyTestMain(m)
}

// film makes a video with ffmpeg: two seconds of red and two of blue.
func film(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	all := append([]string{
		"-v", "error", "-nostdin",
		"-f", "lavfi", "-i", "color=red:size=1600x800:rate=5:duration=2",
		"-f", "lavfi", "-i", "color=blue:size=1600x800:rate=5:duration=2",
		"-filter_complex", "[0:v][1:v]concat=n=2:v=1", "-metadata", "title=a secret place",
	}, args...)
	program(t, "ffmpeg", append(all, path)...)
	return path
}

// program runs a program and returns its output.
func program(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput() //nolint:gosec // the tests' own words
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return string(out)
}

func newFFmpeg(t *testing.T, c Config) *FFmpeg {
	t.Helper()
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFrames(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, path := range map[string]string{
		"MP4":                     film(t, "film.mp4", "-pix_fmt", "yuv420p"),
		"Matroska":                film(t, "film.mkv", "-c:v", "mpeg4"),
		"AVI":                     film(t, "film.avi", "-c:v", "mpeg4"),
		"MPEG":                    film(t, "film.mpg", "-c:v", "mpeg2video", "-r", "25"),
		"Flash":                   film(t, "film.flv", "-c:v", "flv"),
		"Matroska without length": film(t, "live.mkv", "-c:v", "mpeg4", "-f", "matroska", "-live", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFFmpeg(t, Config{})
			if err := f.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			frames, err := f.Frames(t.Context(), path, dir, 4)
			if err != nil {
				t.Fatal(err)
			}
			if len(frames) != 4 {
				t.Fatalf("%d pictures", len(frames))
			}
			for i, frame := range frames {
				want := time.Duration(2*i+1) * 500 * time.Millisecond
				if d := (frame.At - want).Abs(); d > 200*time.Millisecond {
					t.Errorf("picture %d is at %s, want about %s", i+1, frame.At, want)
				}
				checkFrame(t, frame.Path, dir, i < 2)
			}
		})
	}
}

// checkFrame checks the time, size and colour of a picture.
func checkFrame(t *testing.T, path, dir string, red bool) {
	t.Helper()
	if filepath.Dir(path) != dir {
		t.Errorf("a picture lies at %s", path)
	}
	p, err := media.ReadPicture(t.Context(), path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if size := p.Image.Rect.Size(); p.Info.MIME != "image/jpeg" || size != image.Pt(768, 384) {
		t.Errorf("a picture is %s of %v", p.Info.MIME, size)
	}
	if c := p.Image.NRGBAAt(300, 200); (c.R > 150) != red || (c.B > 150) == red {
		t.Errorf("a picture is %v", c)
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), "secret") || strings.Contains(string(b), "Lavc") {
		t.Errorf("a picture tells more than it shows: %v", err)
	}
}

func TestFramesOfAShortVideo(t *testing.T) {
	t.Parallel()
	path := film(t, "short.mp4", "-pix_fmt", "yuv420p", "-t", "0.2")
	frames, err := newFFmpeg(t, Config{}).Frames(t.Context(), path, t.TempDir(), 8)
	if err != nil || len(frames) != 1 {
		t.Errorf("got %v, %v", frames, err)
	}
}

func TestFramesRefuses(t *testing.T) {
	t.Parallel()
	good := film(t, "good.mp4", "-pix_fmt", "yuv420p")
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	sound := filepath.Join(t.TempDir(), "sound.mp4")
	program(t, "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "aac", sound)
	file := func(name, content string) string {
		path := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		config Config
		path   string
		want   string
	}{
		"a script in the place of a video": {path: file("trick.mp4", "ffconcat version 1.0\nfile "+good+"\n"), want: "does not match its file extension"},
		"a playlist":                       {path: file("list.mp4", "#EXTM3U\n#EXTINF:1,\n"+good+"\n"), want: "does not match its file extension"},
		"garbage behind a good beginning":  {path: file("broken.mp4", string(whole[:40])+strings.Repeat("x", 5000)), want: "is damaged"},
		"cut off":                          {path: file("cut.mp4", string(whole[:len(whole)/2])), want: "is damaged"},
		"a picture":                        {path: file("photo.png", "\x89PNG\r\n\x1a\n"), want: "cut off or damaged"},
		"a text":                           {path: file("text.txt", "hello"), want: "but sound or a video is needed"},
		"sound alone":                      {path: sound, want: "has no video"},
		"nothing":                          {path: filepath.Join(t.TempDir(), "none.mp4"), want: "There is no file"},
		"too large":                        {config: Config{Limits: media.Limits{Bytes: 100}}, path: good, want: "is too large"},
		"too many pixels":                  {config: Config{Limits: media.Limits{Pixels: 1000 * 1000}}, path: good, want: "has frames of 1600 × 800 pixels, and the limit is 1 million"},
		"too long":                         {config: Config{Longest: time.Second}, path: good, want: "seconds long, and the limit is a second"},
		"no time":                          {config: Config{Timeout: 1}, path: good, want: "took longer than a second"},
		"no program":                       {config: Config{Path: "/nowhere/ffmpeg"}, path: good, want: "needs a program that I do not have"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, err := newFFmpeg(t, c.config).Frames(t.Context(), c.path, dir, 3)
			got := plan.Sentence(err, plan.Message{}).String()
			if !strings.Contains(got, c.want) || strings.Contains(got, filepath.Dir(c.path)) {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestOnlyTheSniffedKindIsRead: ffmpeg is restricted to the detected format, and does not open a file
// that a script refers to.
func TestOnlyTheSniffedKindIsRead(t *testing.T) {
	t.Parallel()
	good := film(t, "good.mp4", "-pix_fmt", "yuv420p")
	script := filepath.Join(filepath.Dir(good), "trick.mp4")
	if err := os.WriteFile(script, []byte("ffconcat version 1.0\nfile good.mp4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := newFFmpeg(t, Config{}).programs()
	if err != nil {
		t.Fatal(err)
	}
	// Unrestricted, ffmpeg would open it: the attack works.
	if out := program(t, found.ffprobe, "-v", "error", "-show_entries", "stream=width", "-of", "csv", script); !strings.Contains(out, "1600") {
		t.Fatalf("the trick does not work at all: %s", out)
	}
	v := &source{f: newFFmpeg(t, Config{}), programs: found, path: script, demuxer: "mov", look: Look{Streams: []Stream{{Kind: "video"}}}}
	if a, err := v.probe(t.Context()); err == nil {
		t.Errorf("the script was read: %+v", a)
	}
	if picture, err := v.still(t.Context(), 0); err == nil {
		t.Errorf("the script gave %d bytes", len(picture))
	}
	if d := v.measure(t.Context()); d != 0 {
		t.Errorf("the script is %s long", d)
	}
}

func TestProbeWantsBothPrograms(t *testing.T) {
	t.Parallel()
	alone := filepath.Join(t.TempDir(), "ffmpeg")
	if err := os.WriteFile(alone, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := newFFmpeg(t, Config{Path: alone}).Probe(t.Context())
	if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "needs the program ffprobe") {
		t.Errorf("got %q", got)
	}
	if err := newFFmpeg(t, Config{Path: "ffmpeg"}).Probe(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{Timeout: -1}, {Longest: -1}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func TestFramesWithoutAny(t *testing.T) {
	t.Parallel()
	if _, err := newFFmpeg(t, Config{}).Frames(t.Context(), "x.mp4", t.TempDir(), 0); err == nil {
		t.Error("no picture at all was accepted")
	}
}

func TestFramesStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newFFmpeg(t, Config{}).Frames(ctx, film(t, "film.mp4", "-pix_fmt", "yuv420p"), t.TempDir(), 2)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
