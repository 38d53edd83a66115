package ask_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/conversation"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

func TestThreadIsLocked(t *testing.T) {
	t.Parallel()
	data, err := os.MkdirTemp("", "threads-") //nolint:usetesting // whose cleanup fails when the one that waits comes late
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for os.RemoveAll(data) != nil {
			runtime.Gosched()
		}
	})
	config := settings.Config{Data: data}
	first, err := conversation.Open(t.Context(), workshop.Workshop{Config: config}, "holiday")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := conversation.Open(ctx, workshop.Workshop{Config: config}, "holiday"); !errors.Is(err, context.Canceled) {
		t.Errorf("it was opened twice: %v", err)
	}
	if err := errors.Join(first.Place.State.Put(t.Context(), "notes/first", []byte("blur it"), 0), first.Close()); err != nil {
		t.Fatal(err)
	}
	second, err := conversation.Open(t.Context(), workshop.Workshop{Config: config}, "holiday")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := second.Place.State.Get(t.Context(), "notes/first"); string(b) != "blur it" {
		t.Errorf("it remembers %q, %v", b, err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// TestConversationIsForgotten checks that a conversation is deleted by its name, whatever its state, once nothing
// works on it.
func TestConversationIsForgotten(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	config := settings.Config{Data: data}
	forget := func() (status int, said string) {
		status, stdout, stderr := clitest.Called{Env: []string{"ATELIER_DATA=" + data}, Args: []string{"forget", "Holiday"}}.Run(t)
		return status, stdout + stderr
	}
	if status, said := forget(); status != fault.StatusUsage || !strings.Contains(said, "There is no conversation of that name") {
		t.Errorf("one that is not there: %d, %s", status, said)
	}
	th, err := conversation.Open(t.Context(), workshop.Workshop{Config: config}, "Holiday")
	if err != nil {
		t.Fatal(err)
	}
	bottest.Check(t, th.Place.State.Put(t.Context(), "notes/first", []byte("blur it"), 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if there, err := conversation.Forget(ctx, data, "Holiday"); !there || !errors.Is(err, context.Canceled) {
		t.Errorf("while a call works on it: %v, %v", there, err)
	}
	// A concurrent call either starts the conversation anew, or is waited for.
	next := make(chan error, 1)
	go func() {
		th, err := conversation.Open(t.Context(), workshop.Workshop{Config: config}, "Holiday")
		if err == nil {
			err = th.Close()
		}
		next <- err
	}()
	bottest.Check(t, th.Close())
	if _, err := conversation.Forget(t.Context(), data, "Holiday"); err != nil {
		t.Fatal(err)
	}
	bottest.Check(t, <-next)
	th, err = conversation.Open(t.Context(), workshop.Workshop{Config: config}, "Holiday")
	if err != nil {
		t.Fatal(err)
	}
	bottest.Check(t, th.Close())
	if status, said := forget(); status != fault.StatusDone || !strings.Contains(said, "The conversation Holiday was deleted") {
		t.Errorf("%d, %s", status, said)
	}
	if left := clitest.Names(t, filepath.Join(data, "threads")); len(left) != 1 {
		t.Errorf("there is %v still", left)
	}
	folder := filepath.Join(data, "threads", "Holiday")
	bottest.Check(t, os.MkdirAll(folder, 0o700))
	bottest.Write(t, filepath.Join(folder, "state.log"), "something else")
	if status, said := forget(); status != fault.StatusDone {
		t.Errorf("one that cannot be read: %d, %s", status, said)
	}
}

func TestThreadOfOneCallLeavesNothing(t *testing.T) {
	t.Parallel()
	th, err := conversation.Open(t.Context(), workshop.Workshop{Config: settings.Config{Data: t.TempDir()}}, "")
	if err != nil {
		t.Fatal(err)
	}
	folder := th.Place.Scratch.Folder()
	if err := th.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
}

func TestThreadRefusesAnotherVersion(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	folder := filepath.Join(data, "threads", "old")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "state.log"), []byte("atelier state 99\n and more of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := conversation.Open(t.Context(), workshop.Workshop{Config: settings.Config{Data: data}}, "old")
	if got := plan.Sentence(err, plan.Message{}).String(); !strings.HasPrefix(got, `The conversation "old" cannot be opened`) || !strings.Contains(got, "newer version") {
		t.Errorf("got %v", err)
	}
}

// TestThreadKnowsAFileAgain checks that a file that the conversation has keeps its name, and that another file of
// that name is a different one.
func TestThreadKnowsAFileAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		bottest.Write(t, path, content)
		return path
	}
	one, other := put("a.png", string(bottest.PictureBytes(4, 4))), put("b/a.png", string(bottest.PictureBytes(8, 8)))
	const wish = "make a collage of these pictures"
	inputs := func(args ...string) []string {
		t.Helper()
		status, an := clitest.AskJSON(t, dir, append([]string{"--thread", "one", "--plan"}, args...)...)
		if status != fault.StatusDone {
			t.Fatalf("%v: status %d: %+v", args, status, an)
		}
		return an.Solutions[0].Steps[0].Inputs
	}
	given := inputs("--file", one, "--file", other, "--file", one, wish)
	if len(given) != 3 || given[0] == given[1] || given[0] == given[2] { // attached twice, it is two
		t.Fatalf("given: %v", given)
	}
	if again := inputs("--file", one, "blur a.png"); again[0] != given[0] {
		t.Errorf("again it is %s, not %s", again[0], given[0])
	}
	put("a.png", string(bottest.PictureBytes(16, 16)))
	if third := inputs("--file", one, "blur a.png"); third[0] == given[0] || third[0] == given[1] {
		t.Errorf("another one is %s", third[0])
	}
}

// TestOpenQuestionGrows checks that an incomplete answer is added to the open question.
func TestOpenQuestionGrows(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	env := clitest.ModelEnv(server, "ATELIER_DATA="+t.TempDir())
	for _, wish := range []string{"make it black and white", "the second"} {
		if status, an := clitest.AskWith(t, env, "--thread", "one", wish); status != fault.StatusQuestion {
			t.Fatalf("%q: status %d: %+v", wish, status, an)
		}
	}
	if status, an := clitest.AskWith(t, env, "--thread", "one", "--file", "../testdata/photo.jpg", "this one"); status != fault.StatusDone {
		t.Fatalf("status %d: %+v", status, an)
	}
	const whole = "make it black and white, the second"
	asked := server.Requests()
	if !strings.Contains(asked[2].User(), whole) {
		t.Errorf("the model got %s", asked[2].User())
	}
	if status, an := clitest.AskWith(t, env, "--thread", "one", "and now once more"); status != fault.StatusDone {
		t.Fatalf("status %d: %+v", status, an)
	}
	if next := server.Requests()[len(asked)]; strings.Contains(next.User(), whole) {
		t.Errorf("it is still open: %s", next.User())
	}
}
