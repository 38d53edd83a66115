package website

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"atelier/adapters"
	webmedia "atelier/adapters/web/media"
	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/bot/place"
	"atelier/jobs"
	"atelier/storage"
)

// webMedia stores the files of the web page with those of the jobs, so that they are deleted with their
// thread and by retention.
type webMedia struct {
	blobs   storage.Blobs
	limits  media.Limits
	tell    plan.Translate
	scratch string // the folder for temporary files
}

var _ webmedia.Media = webMedia{}

// Put stores a file.
func (m webMedia) Put(ctx context.Context, key string, r io.Reader) error {
	return m.blobs.Put(ctx, key, r)
}

// Get opens a file.
func (m webMedia) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	r, err := m.blobs.Get(ctx, key)
	return r, place.NotFoundAsGone(err)
}

// GetRange opens a part of a file.
func (m webMedia) GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	r, err := m.blobs.GetRange(ctx, key, offset, n)
	return r, place.NotFoundAsGone(err)
}

// Delete removes a file.
func (m webMedia) Delete(ctx context.Context, key string) error { return m.blobs.Delete(ctx, key) }

// Folder is the folder of a thread's files.
func (webMedia) Folder(t adapters.Thread) string { return jobs.ThreadFolder(jobs.ThreadID(t)) }

// Look inspects a file. It is copied to disk first, since the probes need that.
func (m webMedia) Look(ctx context.Context, key, name, language string) (_ webmedia.Found, err error) {
	folder, err := os.MkdirTemp(m.scratch, "atelier-look-")
	if err != nil {
		return webmedia.Found{}, fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	local := filepath.Join(folder, lookedAt(name))
	if err := m.copyTo(ctx, key, local); err != nil {
		return webmedia.Found{}, err
	}
	info, err := media.Inspect(ctx, local, m.limits)
	if fault, ok := errors.AsType[*plan.Fault](err); ok {
		return webmedia.Found{}, &adapters.Fault{Sentence: "%s", Args: []any{m.tell.In(language, fault.Sentence)}, Kind: adapters.ErrInvalid, Err: fault.Err}
	}
	if err != nil {
		return webmedia.Found{}, err
	}
	return webmedia.Found{Type: info.MIME, Width: info.Width, Height: info.Height}, nil
}

// lookedAt returns a file name that is valid on every disk and that people recognise.
func lookedAt(name string) string {
	const longest = 100 // bytes
	name = filepath.Base(filepath.Clean("/" + name))
	if ext := filepath.Ext(name); len(name) > longest {
		return "file" + ext[:min(len(ext), 9)]
	}
	if name == "/" || name == "." {
		return "file"
	}
	return name
}

func (m webMedia) copyTo(ctx context.Context, key, local string) (err error) {
	from, err := m.Get(ctx, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := os.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a temporary file: %w", err)
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
