// Package conversation stores the conversations of bot ask between calls. A lock gives one call at a
// time access to a conversation.
package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"atelier/adapters/terminal"
	"atelier/agent/plan"
	"atelier/bot/fault"
	"atelier/bot/place"
	"atelier/bot/workshop"
)

// Thread is a conversation. Its folder holds the records of its jobs. It is locked while a call works on
// it, and other calls wait.
type Thread struct {
	name   string // empty for a temporary conversation
	folder string // likewise
	Place  *place.Place
	unlock func()
}

// Open opens the conversation of that name, or creates it. Without a name it is a temporary
// conversation that Close deletes. The caller must close it.
func Open(ctx context.Context, w workshop.Workshop, name string) (*Thread, error) {
	if name == "" {
		return openTemporary(ctx, w)
	}
	if err := CheckName(name); err != nil {
		return nil, err
	}
	t := threadOf(w.Data, name)
	err := t.lock(ctx)
	if err == nil {
		t.Place, err = place.Open(ctx, w.Config, w.Logger(), place.Placement{Folder: t.folder})
	}
	if err != nil {
		t.unlock()
		if _, told := errors.AsType[*plan.Fault](err); told {
			return nil, err
		}
		return nil, &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The conversation %q cannot be opened: %s.", name, fault.Reason(err))), Err: err}
	}
	return t, nil
}

// threadOf returns the conversation of that name, not yet opened.
func threadOf(data, name string) *Thread {
	return &Thread{name: name, folder: filepath.Join(data, "threads", name), unlock: func() {}}
}

// Forget deletes the conversation of that name, and reports whether there was one. It waits for a
// call that uses it.
func Forget(ctx context.Context, data, name string) (there bool, err error) {
	if name == "" || CheckName(name) != nil {
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
		if e.Name() != threadLock { // the lock goes last, so that nobody enters meanwhile
			err = errors.Join(err, os.RemoveAll(filepath.Join(t.folder, e.Name())))
		}
	}
	if err != nil {
		return true, err
	}
	if err := os.Remove(filepath.Join(t.folder, threadLock)); err != nil {
		return true, err
	}
	_ = os.Remove(t.folder) //nolint:errcheck // fails if a conversation of that name was just created
	return true, nil
}

// openTemporary opens a temporary conversation.
func openTemporary(ctx context.Context, w workshop.Workshop) (*Thread, error) {
	p, err := place.Open(ctx, w.Config, w.Logger(), place.Placement{})
	if _, told := errors.AsType[*plan.Fault](err); err != nil && !told {
		err = fault.NoScratch(err)
	}
	if err != nil {
		return nil, err
	}
	return &Thread{Place: p, unlock: func() {}}, nil
}

// Channel is the adapter's name for the conversation.
func (t *Thread) Channel() string { return cmp.Or(t.name, terminal.Passing) }

// CheckName rejects invalid names of conversations.
func CheckName(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	if len(name) > 64 || strings.Trim(name, letters) != "" {
		return fault.Usage("--thread is %q: expected a name of at most 64 letters, digits, - and _.", name)
	}
	return nil
}

// threadLock is the lock file in a conversation's folder.
const threadLock = "lock"

// lockFolder creates a folder and locks it. If another process removes the folder meanwhile, it is
// created again, unless ctx has ended.
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

// Close releases the conversation.
func (t *Thread) Close() error {
	defer t.unlock()
	return t.Place.Close()
}

// lock creates the folder, and waits for the lock until ctx ends.
func (t *Thread) lock(ctx context.Context) error {
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
		go func() { // release the lock if it is acquired after all
			if l := <-got; l.err == nil {
				l.unlock()
			}
		}()
		return ctx.Err()
	}
}
