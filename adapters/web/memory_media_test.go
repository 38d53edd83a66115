package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"atelier/adapters"
	"atelier/adapters/web/media"
)

// files is an in-memory Media. Attachments of answers may be elsewhere.
type files struct {
	open adapters.Opener // may be nil

	mu      sync.Mutex
	content map[string][]byte
	putting int // Puts that run
	most    int // at once
	hold    chan struct{}
	begun   chan struct{} // hears of each Put, where it is set
}

func newFiles() *files { return &files{content: map[string][]byte{}} }

func (f *files) Put(ctx context.Context, key string, r io.Reader) error {
	f.mu.Lock()
	f.putting++
	f.most = max(f.most, f.putting)
	hold, begun := f.hold, f.begun
	f.mu.Unlock()
	if begun != nil {
		begun <- struct{}{}
	}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.putting--
	}()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.content[key] = b
	return nil
}

func (f *files) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	return f.GetRange(ctx, key, 0, -1)
}

func (f *files) GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	b, ok := f.content[key]
	f.mu.Unlock()
	if ok {
		b = b[min(offset, int64(len(b))):]
		if n >= 0 {
			b = b[:min(n, int64(len(b)))]
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	}
	if f.open == nil {
		return nil, adapters.ErrGone
	}
	r, err := f.open(ctx, key)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, r.Close())
	}
	if n < 0 {
		return r, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, n), r}, nil
}

func (f *files) Delete(_ context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.content, key)
	return nil
}

func (*files) Folder(t adapters.Thread) string { return "threads/" + t.Key() }

// Look detects pictures and sounds by their first bytes; every picture has 40 by 30 pixels.
func (f *files) Look(ctx context.Context, key, _, _ string) (media.Found, error) {
	r, err := f.GetRange(ctx, key, 0, -1)
	if err != nil {
		return media.Found{}, err
	}
	b, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return media.Found{}, err
	}
	switch {
	case bytes.HasPrefix(b, []byte("BOMB")):
		return media.Found{}, &adapters.Fault{Sentence: "The file is a bomb.", Kind: adapters.ErrInvalid}
	case bytes.HasPrefix(b, []byte("\x89PNG")):
		return media.Found{Type: "image/png", Width: 40, Height: 30}, nil
	case bytes.HasPrefix(b, []byte("SMALL")):
		return media.Found{Type: "image/png", Width: 4, Height: 3}, nil
	case bytes.HasPrefix(b, []byte("<svg")):
		return media.Found{Type: "image/svg+xml"}, nil
	case bytes.HasPrefix(b, []byte("<html")):
		return media.Found{Type: "text/html"}, nil
	case bytes.HasPrefix(b, []byte("text")):
		return media.Found{Type: "text/plain"}, nil
	case bytes.HasPrefix(b, []byte("OggS")):
		return media.Found{Type: "audio/ogg"}, nil
	case bytes.HasPrefix(b, []byte("\x1a\x45\xdf\xa3")):
		return media.Found{Type: "audio/webm"}, nil
	}
	return media.Found{Type: "application/octet-stream"}, nil
}

// keys returns the keys of all files.
func (f *files) keys() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.content))
}
