package program

import (
	"context"
	"errors"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/command"
	"atelier/agent/toolbox/program/machine"
)

// allPrograms returns the programs that operations start, by their names here.
func allPrograms() []string {
	return []string{"abc2midi", "espeak-ng", "ffmpeg", "ffprobe", "fluidsynth", "pdfinfo", "pdftoppm", "pdftotext", "pocketsphinx", "pocketsphinx_continuous", "qpdf", "tesseract"}
}

// TestEachProgramMissing checks that every operation that needs a missing program names it with its package, and
// takes the blame, and that all others still run.
func TestEachProgramMissing(t *testing.T) {
	for _, gone := range []string{"abc2midi", "espeak-ng", "ffmpeg", "ffprobe", "fluidsynth", "pdfinfo", "pdftoppm", "pdftotext", "pocketsphinx", "qpdf", "tesseract"} {
		t.Run(gone, func(t *testing.T) {
			bin := t.TempDir()
			for _, name := range allPrograms() {
				path, err := exec.LookPath(name)
				if err != nil || strings.HasPrefix(name, gone) {
					continue
				}
				if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin)
			b := newBackend(t)
			type use struct {
				toolbox.Backend

				how   toolbox.Candidate
				needs []machine.Need
			}
			var all []use
			for run, op := range b.operations {
				if run == "document_to_pdf" { // needs LibreOffice, which CI does not install
					continue
				}
				all = append(all, use{b, toolbox.Candidate{Backing: toolbox.Backing{Kind: "program", Run: run}}, op.Needs})
			}
			for _, tool := range commands(t) {
				how := tool.Backends[recipeOf(tool)]
				if needs := command.Needs(how); !slices.ContainsFunc(needs, func(n machine.Need) bool { return !slices.Contains(allPrograms(), n.Program) }) {
					all = append(all, use{b.Commands(), toolbox.Candidate{Backing: how}, needs})
				}
			}
			for _, u := range all {
				at := slices.IndexFunc(u.needs, func(n machine.Need) bool { return n.Program == gone || n.Program == "" && n.Debian == gone })
				err := u.Probe(t.Context(), u.how)
				if at < 0 {
					if err != nil {
						t.Errorf("%s is not there: %v", u.how.Run, err)
					}
					continue
				}
				holds(t, plan.OperatorSentence(err, plan.Message{}).String(), gone, "apt-get install "+u.needs[at].Debian)
				if _, err := u.Run(t.Context(), u.how, callOf(t, nil)); !errors.Is(err, toolbox.ErrDown) {
					t.Errorf("%s gives %v", u.how.Run, err)
				}
			}
		})
	}
}

// TestEachProgramHanging checks that a hanging program ends with the context of the call, and leaves nothing behind.
// Package ffmpeg has its own test of this.
func TestEachProgramHanging(t *testing.T) {
	words := writePNG(t, "words.png", filled(40, 30, color.Black))
	sound := fileOf(plan.Audio, tone(t, "tone.wav", "440", "1"))
	for program, c := range map[string]struct {
		run  string
		args args
	}{
		"espeak-ng":    {"text_to_speech", args{"text": "hello"}},
		"tesseract":    {"tesseract", args{"image": fileOf(plan.Image, words)}},
		"pocketsphinx": {"speech_to_text", args{"audio": sound}},
		"abc2midi":     {"text_to_music", args{"prompt": "piano"}},
		"fluidsynth":   {"text_to_music", args{"prompt": "piano"}},
	} {
		t.Run(program, func(t *testing.T) {
			bin := t.TempDir()
			// It waits until somebody writes to it, which shows that it has begun, and then forever.
			const script = "#!/bin/sh\nread word < begun\nexec sleep 100000\n"
			for _, name := range allPrograms() {
				if !strings.HasPrefix(name, program) {
					continue
				}
				if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			call := callOf(t, c.args)
			pipe := filepath.Join(call.Dir, "begun")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := newBackend(t).Run(ctx, toolbox.Candidate{Backing: toolbox.Backing{Kind: "program", Run: c.run}}, call)
				// where it never began, nobody else opens the pipe
				if f, failed := os.OpenFile(pipe, os.O_RDWR, 0); failed == nil {
					failed = errors.Join(err, f.Close())
					err = failed
				}
				ended <- err
			}()
			begun, err := os.OpenFile(pipe, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) || errors.Is(err, toolbox.ErrDown) {
				t.Errorf("it ended with %v", err)
			}
			if err := begun.Close(); err != nil {
				t.Error(err)
			}
			left, err := os.ReadDir(call.Dir)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
