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
	folder string // empty then too
	place  *place
	unlock func()
}

// openThread opens the conversation of that name, a new one if there is none. Without
// a name it is a conversation of this call alone, of which nothing stays. Close it in
// the end.
func openThread(ctx context.Context, w Workshop, name string) (*thread, error) {
	if name == "" {
		return openPassing(ctx, w)
	}
	if err := checkThreadName(name); err != nil {
		return nil, err
	}
	t := threadOf(w.Data, name)
	err := t.lock(ctx)
	if err == nil {
		t.place, err = openPlace(ctx, w.Config, w.logger(), placement{Folder: t.folder})
	}
	if err != nil {
		t.unlock()
		if _, told := errors.AsType[*plan.Fault](err); told {
			return nil, err
		}
		return nil, &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The conversation %q cannot be opened: %s.", name, reason(err))), Err: err}
	}
	return t, nil
}

// threadOf is the conversation of that name, which is not open.
func threadOf(data, name string) *thread {
	return &thread{name: name, folder: filepath.Join(data, "threads", name), unlock: func() {}}
}

// forgetThread removes the conversation of that name, and tells whether there was one. It
// waits for a call that works on it.
func forgetThread(ctx context.Context, data, name string) (there bool, err error) {
	if name == "" || checkThreadName(name) != nil {
		return false, nil
	}
	t := threadOf(data, name)
	if _, err := os.Stat(t.folder); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	if err := t.lock(ctx); err != nil {
		return true, err
	}
	defer t.unlock()
	entries, err := os.ReadDir(t.folder)
	if err != nil {
		return true, err
	}
	for _, e := range entries {
		if e.Name() != threadLock { // it goes last, so that nobody enters meanwhile
			err = errors.Join(err, os.RemoveAll(filepath.Join(t.folder, e.Name())))
		}
	}
	if err != nil {
		return true, err
	}
	if err := os.Remove(filepath.Join(t.folder, threadLock)); err != nil {
		return true, err
	}
	_ = os.Remove(t.folder) //nolint:errcheck // unless a conversation of that name has begun just now
	return true, nil
}

// openPassing is a conversation of one call.
func openPassing(ctx context.Context, w Workshop) (*thread, error) {
	p, err := openPlace(ctx, w.Config, w.logger(), placement{})
	if _, told := errors.AsType[*plan.Fault](err); err != nil && !told {
		err = noScratch(err)
	}
	if err != nil {
		return nil, err
	}
	return &thread{place: p, unlock: func() {}}, nil
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

// threadLock is the file in the folder of a conversation that is locked by who works on it.
const threadLock = "lock"

// lock makes the folder, and waits until no other process works on the conversation, or ctx
// ends.
func (t *thread) lock(ctx context.Context) error {
	type locked struct {
		unlock func()
		err    error
	}
	got := make(chan locked, 1)
	go func() {
		unlock, err := lockFolder(ctx, t.folder)
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

// lockFolder makes a folder and locks it. If another process removes the folder meanwhile,
// lockFolder makes it again, unless ctx has ended: nobody would remove that one.
func lockFolder(ctx context.Context, folder string) (unlock func(), err error) {
	file := filepath.Join(folder, threadLock)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		f, err := lockedfile.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("lock the conversation: %w", err)
		}
		unlock = func() { _ = f.Close() } //nolint:errcheck // nothing was written
		held, err := f.Stat()
		if err != nil {
			unlock()
			return nil, err
		}
		if now, err := os.Stat(file); err == nil && os.SameFile(held, now) {
			return unlock, nil
		}
		unlock()
	}
}

// close lets go of the conversation.
func (t *thread) close() error {
	defer t.unlock()
	return t.place.close()
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
