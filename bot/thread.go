package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"atelier/adapters/terminal"
	"atelier/agent/plan"
	"atelier/storage"
)

// thread is a conversation that is kept across calls. In its folder lies what the jobs
// keep of it; it is locked while a call works on it, and a second call waits.
type thread struct {
	name   string // empty for a conversation of one call
	folder string
	place  *place
	unlock func()
}

// openThread opens the conversation of that name, a new one if there is none. Without
// a name it is a conversation of this call alone, of which nothing stays. Close it in
// the end.
func openThread(ctx context.Context, c Config, name string) (*thread, error) {
	if name == "" {
		return openPassing(ctx, c)
	}
	if err := checkThreadName(name); err != nil {
		return nil, err
	}
	if err := tryFile(os.TempDir()); err != nil { // the steps will need it
		return nil, noScratch(err)
	}
	t := &thread{name: name, folder: filepath.Join(c.Data, "threads", name), unlock: func() {}}
	err := os.MkdirAll(t.folder, 0o700)
	if err == nil {
		err = t.lock(ctx)
	}
	if err == nil {
		t.place, err = c.openPlace(ctx, placement{Folder: t.folder})
	}
	if err != nil {
		t.unlock()
		return nil, &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The conversation %q cannot be opened: %s.", name, reason(err))), Err: err}
	}
	return t, nil
}

// openPassing is a conversation of one call.
func openPassing(ctx context.Context, c Config) (*thread, error) {
	folder, err := os.MkdirTemp("", "atelier-ask-")
	if err != nil {
		return nil, noScratch(err)
	}
	p, err := c.openPlace(ctx, placement{Folder: folder})
	if err != nil {
		return nil, noScratch(errors.Join(err, os.RemoveAll(folder)))
	}
	return &thread{folder: folder, place: p, unlock: func() {}}, nil
}

// channel is the conversation's name for the adapter.
func (t *thread) channel() string { return cmp.Or(t.name, terminal.Passing) }

func noScratch(err error) error {
	return &plan.Fault{
		Sentence: plan.Quote(fmt.Sprintf("Temporary files cannot be written: %s. The system's folder for them must be there and have room.", reason(err))),
		// the operator must know which folder; a colon tells that it is no file of a person's
		Err: fmt.Errorf("TMPDIR:%s: %w", os.TempDir(), err),
	}
}

func checkThreadName(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	if len(name) > 64 || strings.Trim(name, letters) != "" {
		return usage("--thread is %q: a name of at most 64 letters, digits, - and _ is expected.", name)
	}
	return nil
}

// reason is the detail of an error without the path that it befell.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok { // two paths: from and to
		return l.Err.Error()
	}
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		return strings.TrimSuffix(f.Sentence, ".")
	}
	return err.Error()
}

// lock waits until no other process works on the conversation, or ctx ends.
func (t *thread) lock(ctx context.Context) error {
	type locked struct {
		unlock func()
		err    error
	}
	got := make(chan locked, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(filepath.Join(t.folder, "lock")).Lock()
		got <- locked{unlock, err}
	}()
	select {
	case l := <-got:
		if l.err == nil {
			t.unlock = l.unlock
		}
		return l.err
	case <-ctx.Done():
		go func() { // the lock comes when the other process ends, and nobody wants it any more
			if l := <-got; l.err == nil {
				l.unlock()
			}
		}()
		return ctx.Err()
	}
}

// close lets go of the conversation; one without a name is removed.
func (t *thread) close() error {
	err := t.place.close()
	if t.name == "" {
		err = errors.Join(err, os.RemoveAll(t.folder))
	}
	t.unlock()
	return err
}

// writeFile writes a file beside its place and renames it into it.
func writeFile(name string, content io.Reader) (err error) {
	temp := filepath.Join(filepath.Dir(name), ".part-"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			if e := os.Remove(temp); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}()
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, name)
}
