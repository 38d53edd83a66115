//go:build unix

package ffmpeg

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// TestLinksAreNotPassedOn: an ffmpeg taken over by a file leaves a link in place of its output. It is
// not delivered, and nothing is left behind.
func TestLinksAreNotPassedOn(t *testing.T) {
	t.Parallel()
	secret := film(t, "secret.mp4", "-pix_fmt", "yuv420p")
	path := film(t, "film.mp4", "-pix_fmt", "yuv420p")
	prober, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]string{
		"a link":        "ln -s " + secret,
		"a second name": "ln " + secret,
		"a pipe":        "mkfifo",
		"a folder":      "mkdir",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, dir := t.TempDir(), t.TempDir()
			if err := errors.Join(
				os.WriteFile(filepath.Join(bin, "ffprobe"), []byte("#!/bin/sh\nexec "+prober+" \"$@\"\n"), 0o700),
				os.WriteFile(filepath.Join(bin, "ffmpeg"), []byte("#!/bin/sh\nfor last; do :; done\ncase $last in file:*) "+leave+" ${last#file:};; esac\nexit 0\n"), 0o700),
			); err != nil {
				t.Fatal(err)
			}
			f := newFFmpeg(t, Config{Path: filepath.Join(bin, "ffmpeg")})
			err := f.Do(t.Context(), Job{Inputs: []Input{{Path: path}}, Output: filepath.Join(dir, "out.mp4")})
			if got := plan.Sentence(err, plan.Message{}).String(); !strings.Contains(got, "ffmpeg's result is not valid") {
				t.Errorf("got %q (%v)", got, err)
			}
			alone(t, dir)
		})
	}
}

// TestNoLinkIsRead: the output of a program is only read if it is a regular file.
func TestNoLinkIsRead(t *testing.T) {
	t.Parallel()
	f := newFFmpeg(t, Config{})
	dir := t.TempDir()
	link := filepath.Join(dir, "words.wav")
	if err := os.Symlink(made(t, "secret.wav", lavfi(tone)...), link); err != nil {
		t.Fatal(err)
	}
	_, looked := f.Look(t.Context(), link)
	_, played := f.Plays(t.Context(), link)
	_, taken := f.Frames(t.Context(), link, dir, 1)
	done := f.Do(t.Context(), Job{Inputs: []Input{{Path: link}}, Output: filepath.Join(dir, "out.wav")})
	for what, err := range map[string]error{"a look": looked, "a try": played, "pictures": taken, "a job": done} {
		if got := plan.Sentence(err, plan.Message{}).String(); got != "\"words.wav\" cannot be opened." {
			t.Errorf("%s: %q (%v)", what, got, err)
		}
	}
	alone(t, dir, "words.wav")
}
