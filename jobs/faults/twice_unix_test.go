//go:build unix

package faults_test

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"atelier/jobs"
	"atelier/storage/redis/redistest"
)

// TestTwoProcessesDoTheSameStep, since the first was considered dead without heartbeats: the first recorded result counts, the
// other's files are deleted, and there is one answer.
func TestTwoProcessesDoTheSameStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ point, step string }{
		"a plan":           {"plan", ""},
		"the first action": {"act", "begin"},
		"the last action":  {"act", "join"},
		"wording a reply":  {"respond", ""},
		"a reply":          {"post", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := limit(t)
			server := redistest.Serve(t, "--save", "")
			p, folder := newPlatform(t), t.TempDir()
			held, release := holdFirst(at(c.point, c.step))
			p.hold(held)
			w := worker{Name: "1", Redis: server.URL(), Files: folder, Beat: 200 * time.Millisecond}
			one := p.ready(ctx, t, w)
			j := newSubmitter(t, server.URL(), folder)
			id := submit(ctx, t, j, "m", "1000")
			p.await(ctx, t, "the point is not reached", func() bool { return p.count(at(c.point, c.step)) > 0 })
			one.signal(syscall.SIGSTOP) // alive, but without heartbeats
			w.Name = "2"
			two := p.ready(ctx, t, w)
			if run := p.over(ctx, t, j, id); run.Status != jobs.Done || len(run.Answer.Reply.Files) != 4 {
				t.Errorf("it ended as %s with %d files", run.Status, len(run.Answer.Reply.Files))
			}
			close(release)
			one.signal(syscall.SIGCONT)
			one.end() // it finishes what it has started
			two.end()
			if run := p.over(ctx, t, j, id); run.Status != jobs.Done {
				t.Errorf("now it ended as %s", run.Status)
			}
			if n := p.count(at(c.point, c.step)); n != 2 {
				t.Errorf("it was done %d times", n)
			}
			if got := made(t, folder); len(got) != 4 {
				t.Errorf("%d files are kept: %v", len(got), got)
			}
		})
	}
}

func (r *process) signal(s syscall.Signal) {
	r.tb.Helper()
	if err := r.command.Process.Signal(s); err != nil {
		r.tb.Fatal(err)
	}
}

// made returns the pictures in a folder.
func made(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".png" {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
