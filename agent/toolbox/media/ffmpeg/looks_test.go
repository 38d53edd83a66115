package ffmpeg

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/sandbox"
)

// TestLooksAreRemembered only while the content is the same.
func TestLooksAreRemembered(t *testing.T) {
	t.Parallel()
	var started atomic.Int32
	box, err := sandbox.New(sandbox.Config{Starting: func(sandbox.Command) { started.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	f := newFFmpeg(t, Config{Sandbox: box})
	content, err := os.ReadFile(made(t, "tone.wav", lavfi(tone)...))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tone.wav")
	put := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil { //nolint:gosec // the test names the file
			t.Fatal(err)
		}
	}
	programs := func(do func() error) int32 {
		t.Helper()
		before := started.Load()
		if err := do(); err != nil {
			t.Error(err)
		}
		return started.Load() - before
	}
	look := func(path string) func() error {
		return func() error {
			found, err := f.Look(t.Context(), path)
			if err == nil {
				found.Streams[0].Kind = "spoilt by the caller"
			}
			return err
		}
	}

	put(content)
	if first, again := programs(look(path)), programs(look(path)); first == 0 || again != 0 {
		t.Errorf("%d programs look first, and %d again", first, again)
	}
	if found, err := f.Look(t.Context(), path); err != nil || found.Audio() == nil {
		t.Errorf("what is remembered was changed: %+v, %v", found, err)
	}
	out := filepath.Join(t.TempDir(), "made.wav")
	job := Job{Inputs: []Input{{Path: path, Type: plan.Audio}}, Output: out}
	work := programs(func() error { return f.Do(t.Context(), job) })
	if again := programs(look(out)); work == 0 || again != 0 {
		t.Errorf("%d programs make it, and %d look at it again", work, again)
	}

	if played := programs(func() error { _, err := f.Plays(t.Context(), out); return err }); played != 0 {
		t.Errorf("%d programs see whether it plays, which they saw when it was made", played)
	}

	other := filepath.Join(t.TempDir(), "copy.wav")
	if err := os.Rename(path, other); err != nil {
		t.Fatal(err)
	}
	put(content)
	if again := programs(look(other)) + programs(look(path)); again != 0 {
		t.Errorf("%d programs look at a copy", again)
	}
	changed := slices.Clone(content)
	changed[len(changed)-1]++
	put(changed)
	if err := os.Chtimes(path, time.Time{}, time.Unix(1_700_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if again := programs(look(path)); again == 0 {
		t.Error("a file with another content is not looked at")
	}
	put(content[:len(content)/2])
	if _, err := f.Look(t.Context(), path); err == nil {
		t.Error("a file that was cut off since is taken")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Look(t.Context(), path); err == nil {
		t.Error("a file that is gone is taken")
	}
}
