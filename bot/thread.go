package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"atelier/agent/plan"
	"atelier/storage/disk"
)

// thread is a conversation that is kept across calls. Its folder holds thread.json and
// the blobs; it is locked while a call works on it, and a second call waits.
type thread struct {
	Version   int             `json:"version"`
	Turns     []plan.Turn     `json:"turns,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
	Question  *plan.Question  `json:"question,omitempty"`
	Shown     *shown          `json:"shown,omitempty"`

	blobs  *disk.Blobs
	folder string
	keep   bool
	unlock func()
}

const threadVersion = 1

// openThread opens the conversation of that name, a new one if there is none. Without
// a name it is a conversation of this call alone, of which nothing stays. Close it in
// the end.
func openThread(ctx context.Context, data, name string) (*thread, error) {
	if name == "" {
		return openPassing()
	}
	if err := checkThreadName(name); err != nil {
		return nil, err
	}
	if err := tryFile(os.TempDir()); err != nil { // the steps will need it
		return nil, noScratch(err)
	}
	t := &thread{Version: threadVersion, keep: true, folder: filepath.Join(data, "threads", name), unlock: func() {}}
	err := t.load(ctx)
	if err == nil {
		t.blobs, err = disk.Open(filepath.Join(t.folder, "blobs"))
	}
	if err != nil {
		t.unlock()
		return nil, &plan.Fault{Sentence: fmt.Sprintf("The conversation %q cannot be opened: %s.", name, reason(err)), Err: err}
	}
	return t, nil
}

// openPassing is a conversation of one call.
func openPassing() (*thread, error) {
	folder, err := os.MkdirTemp("", "atelier-ask-")
	if err != nil {
		return nil, noScratch(err)
	}
	blobs, err := disk.Open(filepath.Join(folder, "blobs"))
	if err != nil {
		return nil, noScratch(errors.Join(err, os.RemoveAll(folder)))
	}
	return &thread{Version: threadVersion, folder: folder, blobs: blobs, unlock: func() {}}, nil
}

func noScratch(err error) error {
	return &plan.Fault{
		Sentence: fmt.Sprintf("Temporary files cannot be written: %s. The system's folder for them must be there and have room.", reason(err)),
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
	return err.Error()
}

func (t *thread) load(ctx context.Context) error {
	if err := os.MkdirAll(t.folder, 0o700); err != nil {
		return err
	}
	if err := t.lock(ctx); err != nil {
		return err
	}
	b, err := os.ReadFile(t.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, t); err != nil {
		return fmt.Errorf("its file is damaged: %w", err)
	}
	if t.Version != threadVersion {
		return fmt.Errorf("it was written by another version (%d)", t.Version)
	}
	return nil
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

func (t *thread) file() string { return filepath.Join(t.folder, "thread.json") }

// save writes the conversation, whole or not at all.
func (t *thread) save() error {
	if !t.keep {
		return nil
	}
	b, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return fmt.Errorf("write the conversation: %w", err)
	}
	if err := writeFile(t.file(), bytes.NewReader(b)); err != nil {
		return &plan.Fault{Sentence: fmt.Sprintf("The conversation could not be written: %s.", reason(err)), Err: err}
	}
	return nil
}

// close lets go of the conversation; one without a name is removed.
func (t *thread) close() error {
	err := t.blobs.Close()
	if !t.keep {
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
