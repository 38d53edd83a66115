package ask_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/slow"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// TestTurnIsKeptWithoutOutputFiles checks that a result that cannot be written to the output folder is still in
// the conversation, which continues from there.
func TestTurnIsKeptWithoutOutputFiles(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	dir := t.TempDir()
	photo := filepath.Join(dir, "photo.png")
	bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
	_, first := clitest.AskJSON(t, dir, "--thread", "one", "--file", photo, "blur it")
	if len(first.Files) != 1 {
		t.Fatalf("%+v", first)
	}
	made := first.Files[0]
	// The folder for the file cannot be written to.
	if err := errors.Join(os.Remove(made.Path), os.Remove(filepath.Dir(made.Path)), os.Symlink("nowhere/at/all", filepath.Dir(made.Path))); err != nil {
		t.Fatal(err)
	}
	status, failed := clitest.AskJSON(t, dir, "--thread", "two", "--file", photo, "blur it")
	if want := "Cannot write the file " + filepath.Base(made.Path); status != fault.StatusFailed || !strings.HasPrefix(failed.Text, want) {
		t.Fatalf("status %d: %+v", status, failed)
	}
	bottest.Check(t, os.Remove(filepath.Dir(made.Path)))
	status, next := clitest.AskJSON(t, dir, "--thread", "two", "rotate it by 90 degrees")
	if status != fault.StatusDone || next.Solutions[0].Steps[0].Inputs[0] != made.Name {
		t.Errorf("status %d: %+v", status, next)
	}
}

func TestTooManyThings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"--thread", "many"}
	for i := range ask.MaxFiles {
		photo := filepath.Join(dir, fmt.Sprintf("p%d.png", i))
		bottest.Write(t, photo, string(bottest.PictureBytes(8+i, 8)))
		args = append(args, "--file", photo)
	}
	if status, an := clitest.AskJSON(t, dir, append(args, "--plan", "make a collage of these pictures")...); status != fault.StatusDone {
		t.Fatalf("status %d: %s", status, an.Text)
	}
	more := filepath.Join(dir, "more.png")
	bottest.Write(t, more, string(bottest.PictureBytes(99, 8)))
	status, _, stderr := clitest.Run(t, nil, append([]string{"ask", "--file", more, "make a collage of these pictures"}, args[2:]...)...)
	if status != fault.StatusUsage || !strings.Contains(stderr, "the limit is 64 files") {
		t.Errorf("status %d: %s", status, stderr)
	}
	status, an := clitest.AskJSON(t, dir, "--thread", "many", "--file", more, "make a collage of all the pictures")
	if status != fault.StatusFailed || !strings.HasPrefix(an.Text, "I can work on at most 64 things") {
		t.Errorf("status %d: %s", status, an.Text)
	}
}

// TestReasonNamesNoPath checks that answers do not name the machine's folders.
func TestReasonNamesNoPath(t *testing.T) {
	t.Parallel()
	full := syscall.ENOSPC
	for _, err := range []error{
		&fs.PathError{Op: "write", Path: "/srv/blobs/x", Err: full},
		&os.LinkError{Op: "rename", Old: "/srv/a", New: "/srv/b", Err: full},
		errors.Join(fmt.Errorf("put given/x: %w", &fs.PathError{Op: "write", Path: "/srv/x", Err: full}), nil),
	} {
		for _, sentence := range []string{fault.Reason(err), plan.Sentence(fault.NoScratch(err), plan.Message{}).String()} {
			if strings.Contains(sentence, "/") || !strings.Contains(sentence, full.Error()) {
				t.Errorf("%v became %q", err, sentence)
			}
		}
	}
}

// TestLogQuotesNobody checks that the log has the error without people's words and file names, which the sentence
// for the person may quote.
func TestLogQuotesNobody(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "my secret aunt.jpg")
	if err := os.WriteFile(file, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := clitest.Run(t, map[string]string{"ATELIER_LOG": "warn"}, "ask", "--file", file, "blur my secret uncle")
	if status != fault.StatusFailed || !strings.Contains(stderr, "my secret aunt.jpg") {
		t.Errorf("the reply, with the status %d, is: %s", status, stderr)
	}
	logged := 0
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "time=") {
			continue
		}
		logged++
		if strings.Contains(line, "secret") {
			t.Errorf("the log quotes: %s", line)
		}
	}
	if logged == 0 {
		t.Errorf("nothing was logged: %s", stderr)
	}
}
