package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
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
	first, err := openThread(t.Context(), data, "holiday")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openThread(ctx, data, "holiday"); !errors.Is(err, context.Canceled) {
		t.Errorf("it was opened twice: %v", err)
	}
	first.Turns = []plan.Turn{{Wish: "blur it", Reply: "Done."}}
	if err := errors.Join(first.save(), first.close()); err != nil {
		t.Fatal(err)
	}
	second, err := openThread(t.Context(), data, "holiday")
	if err != nil {
		t.Fatal(err)
	}
	if len(second.Turns) != 1 || second.Turns[0].Wish != "blur it" {
		t.Errorf("it remembers %+v", second.Turns)
	}
	if err := second.close(); err != nil {
		t.Error(err)
	}
}

func TestThreadOfOneCallLeavesNothing(t *testing.T) {
	t.Parallel()
	th, err := openThread(t.Context(), t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(th.save(), th.close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(th.folder); !errors.Is(err, os.ErrNotExist) {
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
	if err := os.WriteFile(filepath.Join(folder, "thread.json"), []byte(`{"version":99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := openThread(t.Context(), data, "old")
	if got := plan.Sentence(err, ""); !strings.Contains(got, "another version") {
		t.Errorf("got %v", err)
	}
}

func TestAttachKnowsAFileAgain(t *testing.T) {
	t.Parallel()
	th, err := openThread(t.Context(), t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := th.close(); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, other := write("a.png", pictureBytes(4, 4)), write("b/a.png", pictureBytes(8, 8))
	note := write("note.txt", []byte("Buy milk."))
	limits := Config{FileMB: 1, Pixels: 1}.limits()
	given, err := th.attachAll(t.Context(), []string{one, other, one, note}, limits)
	if err != nil {
		t.Fatal(err)
	}
	if len(given) != 3 || given[0].Name == given[1].Name || given[0].File != "a.png" || given[1].File != "a.png" {
		t.Fatalf("given: %+v", given)
	}
	if given[2].Type != plan.Text || given[2].Value != "Buy milk." || given[2].Blob != "" {
		t.Errorf("the note is %+v", given[2])
	}
	th.remember(plan.Request{Given: given}, &plan.Plan{}, agent.Outcome{}, "")
	again, err := th.attachAll(t.Context(), []string{one, note, note}, limits)
	if err != nil || len(again) != 2 || again[0].Name != given[0].Name || again[1].Name != given[2].Name {
		t.Errorf("again: %+v, %v", again, err)
	}
	if r := th.request("blur it", again); len(r.Given) != 2 || len(r.Earlier) != 1 {
		t.Errorf("%d given, %d earlier", len(r.Given), len(r.Earlier))
	}
	note = write("note.txt", []byte("Buy bread."))
	if other, err := th.attachAll(t.Context(), []string{note}, limits); err != nil || other[0].Name == given[2].Name {
		t.Errorf("another note of that name: %+v, %v", other, err)
	}
}

func TestRememberKeepsTheOpenQuestion(t *testing.T) {
	t.Parallel()
	th := &thread{}
	asks := &plan.Plan{Question: "Which one?"}
	th.remember(plan.Request{Wish: "blur it"}, asks, agent.Outcome{}, "Which one?")
	if th.Question == nil || th.Question.Wish != "blur it" {
		t.Fatalf("%+v", th.Question)
	}
	th.remember(th.request("the second", nil), asks, agent.Outcome{}, "Which one?")
	if th.Question.Wish != "blur it, the second" {
		t.Errorf("%+v", th.Question)
	}
	th.remember(th.request("a.png", nil), &plan.Plan{}, agent.Outcome{}, "Done.")
	if th.Question != nil || len(th.Turns) != 3 {
		t.Errorf("%+v after %d turns", th.Question, len(th.Turns))
	}
}
