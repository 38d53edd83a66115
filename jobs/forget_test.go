package jobs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/jobs/record"
	"atelier/storage"
	"atelier/storage/disk"
	"atelier/storage/redis/redistest"
	"atelier/storage/storagetest"
)

func TestForgetLeavesNothing(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		t, ctx := h.t, h.t.Context()
		j := h.start()
		e := h.says("t", "ann", "pic-XYLOPHONE|pic2", h.chat.upload("OCARINA.png", "PNG a BASSOON"))
		r := h.ask(j, e)
		h.handle(j, h.reacts("ann", r.Runs[0].Sent, adapters.Digit(1), true))
		h.wait(j, r.ID, 2)
		other := h.ask(j, h.says("other", "ann", "pic", h.chat.upload("a.png", "PNG a")))
		g := h.planner.blocks("slow")
		slow := h.says("t", "ann", "pic9-XYLOPHONE;slow")
		running := h.handle(j, slow)
		<-g.entered
		waiting, stop := h.handle(j, h.says("t", "ann", "slow")), h.says("t", "ann", "stop")
		h.handle(j, stop)
		h.wait(j, waiting, 1)
		words := []string{"XYLOPHONE", "OCARINA", "BASSOON"}
		for _, word := range words {
			if !strings.Contains(h.everything(), word) {
				t.Fatalf("%s is not seen where it is", word)
			}
		}
		n, err := j.Forget(ctx, r.ThreadID)
		check(t, err)
		if n != 3 {
			t.Errorf("%d requests are forgotten", n)
		}
		h.keys(0, record.MessageGroup(stop.Message.Ref.Key()))
		if f := h.chat.forgotten(); len(f) != 1 || f[0] != e.Thread.Key() {
			t.Errorf("the platform has forgotten %v", f)
		}
		<-g.left
		h.handle(j, h.says("third", "ann", "!hello")) // what is left of it has passed then
		h.ask(j, h.says("third", "ann", "!hello"))
		for _, id := range []string{r.ID, running} {
			if _, err := j.Show(ctx, id); !errors.Is(err, jobs.ErrUnknown) {
				t.Errorf("it is shown: %v", err)
			}
			h.keys(0, "request-"+id)
		}
		h.keys(0, "thread-"+r.ThreadID)
		h.keys(1, "thread-"+other.ThreadID)
		h.nowhere(words...)
		for _, blob := range []string{r.Runs[0].Made[0].Blob, r.Asked.Given[0].Blob} {
			if _, err := h.blobs.Stat(ctx, blob); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("%s is there: %v", blob, err)
			}
		}
		for _, blob := range []string{other.Runs[0].Made[0].Blob, other.Asked.Given[0].Blob} {
			if _, err := h.blobs.Stat(ctx, blob); err != nil {
				t.Errorf("what is of another thread is gone: %v", err)
			}
		}
		h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🔁", true)) // no longer has an effect
		for _, id := range []string{r.ThreadID, "unknown", "", "../other"} {
			if _, err := j.Forget(ctx, id); !errors.Is(err, jobs.ErrUnknown) {
				t.Errorf("%q: %v", id, err)
			}
		}
		again := h.ask(j, h.says("t", "ann", "caption"))
		if asked := h.planner.request(again.ID); len(asked.Earlier)+len(asked.Turns) != 0 {
			t.Errorf("it is remembered: %+v", asked)
		}
		for _, p := range h.chat.all() {
			if p.reply.AnswerTo.ID == slow.Message.Ref.ID {
				t.Error("the one that ran is answered")
			}
		}
	})
}

// everything returns all data on disk and in Redis, including the names of files and keys.
func (h *house) everything() string {
	h.t.Helper()
	var all strings.Builder
	all.WriteString(redistest.Holds(h.t, h.redis, ""))
	check(h.t, filepath.WalkDir(h.folder, func(at string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // being replaced
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(&all, at)
		if !e.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(at) //nolint:gosec // the tree is the test's own
		all.Write(b)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}))
	return all.String()
}

// nowhere waits until words are found nowhere, which may take until workers notice that their thread was forgotten.
func (h *house) nowhere(words ...string) {
	h.t.Helper()
	for _, word := range words {
		held := h.everything()
		for end := time.Now().Add(patience); strings.Contains(held, word) && time.Now().Before(end); {
			held = h.everything()
		}
		if at := strings.Index(held, word); at >= 0 {
			h.t.Errorf("%s is found: %.300q", word, held[max(0, at-200):])
		}
	}
}

// keys reports whether a group has at least n keys.
func (h *house) keys(least int, group string) {
	h.t.Helper()
	keys, err := h.state.Keys(h.t.Context(), group)
	check(h.t, err)
	// Entries that a worker still adds exist briefly, until it notices that they are the first.
	for end := time.Now().Add(patience); least == 0 && len(keys) > 0 && time.Now().Before(end); {
		keys, err = h.state.Keys(h.t.Context(), group)
		check(h.t, err)
	}
	if len(keys) < least || least == 0 && len(keys) > 0 {
		h.t.Errorf("%s has %v", group, keys)
	}
}

// TestLateEntriesOfForgottenThread forgets a thread while workers write to it.
func TestLateEntriesOfForgottenThread(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	g := newGate()
	h.planner.set("pic", h.planner.until(g))
	id := h.handle(j, h.says("t", "ann", "pic", h.chat.upload("a.png", "PNG a")))
	<-g.entered
	thread := jobs.ThreadID(place1("t"))
	ctx := t.Context()
	check(t, h.state.DeleteAll(ctx, "request-"+id))
	check(t, h.state.DeleteAll(ctx, "thread-"+thread))
	check(t, h.blobs.DeleteAll(ctx, jobs.ThreadFolder(thread)))
	close(g.open)
	h.log.until(t, 1, "stage done", "request="+id, "stage=act")
	h.keys(0, "request-"+id)
	h.keys(0, "thread-"+thread)
	for _, w := range h.planner.works {
		if _, err := h.blobs.Stat(ctx, w.Folder+"/pic-"+w.Steps[0].Key[:4]+".png"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("its picture is there: %v", err)
		}
	}
}

// TestRetention looks for values that are still there a month later.
func TestRetention(t *testing.T) {
	t.Parallel()
	h := foundation(t)
	now := storagetest.NewClock()
	file := t.TempDir() + "/state.log"
	state, err := disk.OpenState(disk.StateConfig{File: file, Now: now.Now})
	check(t, err)
	t.Cleanup(func() { check(t, state.Close()) })
	h.state = state
	j := h.process(func(c *jobs.Config) { c.Retention = 10 * 24 * time.Hour })
	stop := h.run(j)
	e := h.says("t", "ann", "?which", h.chat.upload("a.png", "PNG a"))
	r := h.ask(j, e)
	h.handle(j, h.overhears("bob", "hello"))
	stop()
	groups := []string{"request-" + r.ID, "thread-" + r.ThreadID}
	b, err := os.ReadFile(file)
	check(t, err)
	for _, field := range strings.FieldsFunc(string(b), func(c rune) bool { return c < ' ' || c > '~' }) {
		if at := strings.LastIndex(field, "message-"); at >= 0 {
			groups = append(groups, strings.SplitN(field[at:], "/", 2)[0])
		}
	}
	if len(groups) < 4 {
		t.Fatalf("the groups are %v", groups)
	}
	now.Pass(9 * 24 * time.Hour)
	for _, g := range groups {
		h.keys(1, g)
	}
	now.Pass(2 * 24 * time.Hour)
	for _, g := range append(groups, "workers") {
		h.keys(0, g)
	}
}

func TestOldMediaAreDeletedOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	folder := t.TempDir()
	blobs, err := disk.Open(folder)
	check(t, err)
	t.Cleanup(func() { check(t, blobs.Close()) })
	// The storage ignores the processes' clocks.
	wrong := func(c *jobs.Config) {
		c.Blobs, c.Retention = blobs, 10*24*time.Hour
		c.Now = func() time.Time { return time.Now().Add(365 * 24 * time.Hour) }
	}
	one, two := h.process(wrong), h.process(wrong)
	ctx := t.Context()
	put := func(key string, age time.Duration) {
		t.Helper()
		check(t, blobs.Put(ctx, key, strings.NewReader("PNG")))
		stored := time.Now().Add(-age)
		file := ""
		check(t, filepath.WalkDir(folder, func(at string, _ fs.DirEntry, err error) error {
			if filepath.Base(at) == filepath.Base(key) {
				file = at
			}
			return err
		}))
		check(t, os.Chtimes(file, stored, stored))
	}
	put("threads/a/old.png", 11*24*time.Hour)
	put("threads/a/young.png", 9*24*time.Hour)
	check(t, one.SweepOnce(ctx))
	if _, err := blobs.Stat(ctx, "threads/a/old.png"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
	if _, err := blobs.Stat(ctx, "threads/a/young.png"); err != nil {
		t.Errorf("it went by the clock of the process: %v", err)
	}
	put("threads/a/other.png", 11*24*time.Hour)
	check(t, two.SweepOnce(ctx))
	check(t, one.SweepOnce(ctx))
	if _, err := blobs.Stat(ctx, "threads/a/other.png"); err != nil {
		t.Errorf("another one has swept within the hour: %v", err)
	}
}

// TestForgetUnreadableThread has a request and a thread with entries that this version cannot decode.
func TestForgetUnreadableThread(t *testing.T) {
	t.Parallel()
	h := enter(t)
	ctx := t.Context()
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "pic"))
	for _, b := range []string{"no entry", `{"v":99,"run":1}`} {
		for _, log := range []string{"request-" + r.ID + "/log", "thread-" + r.ThreadID + "/log"} {
			_, err := h.state.Append(ctx, log, []byte(b), time.Hour)
			check(t, err)
		}
	}
	if n, err := j.Forget(ctx, r.ThreadID); err != nil || n != 1 {
		t.Errorf("%d requests are forgotten, %v", n, err)
	}
	h.keys(0, "request-"+r.ID)
	h.keys(0, "thread-"+r.ThreadID)
	if _, err := h.blobs.Stat(ctx, r.Runs[0].Made[0].Blob); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("its picture is there: %v", err)
	}
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🔁", true)) // no longer has an effect
}
