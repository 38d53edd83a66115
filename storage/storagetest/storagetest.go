// Package storagetest holds the contract suites that every make of the storage passes.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"atelier/storage"
)

// Blobs checks the promises of the package storage. open gives an empty make; it
// closes it by t.Cleanup.
func Blobs(t *testing.T, open func(t *testing.T) storage.Blobs) {
	t.Helper()
	t.Run("keeping", func(t *testing.T) { keeping(t, open) })
	t.Run("refusing", func(t *testing.T) { refusing(t, open) })
}

// keeping checks that what was put stays as it is.
func keeping(t *testing.T, open func(t *testing.T) storage.Blobs) {
	t.Helper()
	t.Run("what was put is got", func(t *testing.T) {
		b := open(t)
		for _, key := range []string{"a", "thread/photo-3f2a.edge-91bc.png", "tief/er/hin/ein", "Größe.jpg"} {
			put(t, b, key, "of "+key)
		}
		for _, key := range []string{"a", "thread/photo-3f2a.edge-91bc.png", "tief/er/hin/ein", "Größe.jpg"} {
			want(t, b, key, "of "+key)
			if info, err := b.Stat(t.Context(), key); err != nil || info.Size != int64(len("of "+key)) {
				t.Errorf("stat %s: %+v, %v", key, info, err)
			}
		}
	})
	t.Run("a put takes the place of what was there", func(t *testing.T) {
		b := open(t)
		put(t, b, "k", "long before")
		put(t, b, "k", "now")
		want(t, b, "k", "now")
	})
	t.Run("an empty blob is one", func(t *testing.T) {
		b := open(t)
		put(t, b, "k", "")
		want(t, b, "k", "")
	})
	t.Run("a put that fails leaves what was there", func(t *testing.T) {
		b := open(t)
		put(t, b, "k", "before")
		cut := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("cut")))
		if err := b.Put(t.Context(), "k", cut); err == nil {
			t.Error("it was taken for done")
		}
		want(t, b, "k", "before")
		if err := b.Put(t.Context(), "new", iotest.ErrReader(errors.New("cut"))); err == nil {
			t.Error("it was taken for done")
		}
		missing(t, b, "new")
	})
	t.Run("what is not there is not found", func(t *testing.T) {
		b := open(t)
		put(t, b, "folder/k", "x")
		missing(t, b, "k")
		missing(t, b, "folder")
		missing(t, b, "folder/k2")
	})
	t.Run("what was deleted is gone", func(t *testing.T) {
		b := open(t)
		put(t, b, "k", "x")
		for range 2 {
			if err := b.Delete(t.Context(), "k"); err != nil {
				t.Errorf("delete: %v", err)
			}
			missing(t, b, "k")
		}
	})
	t.Run("puts at once leave one whole blob", func(t *testing.T) { together(t, open(t)) })
}

// refusing checks what must not be done.
func refusing(t *testing.T, open func(t *testing.T) storage.Blobs) {
	t.Helper()
	t.Run("bad keys are refused", func(t *testing.T) {
		b := open(t)
		for _, key := range []string{"", "/", "/etc/passwd", "a//b", "a/", "..", "../x", "a/../../x", ".hidden", "a/.b",
			`a\b`, "a\x00b", "a\nb", "\xff", strings.Repeat("x", 1000), "c:x"} {
			if err := b.Put(t.Context(), key, strings.NewReader("x")); !errors.Is(err, storage.ErrKey) {
				t.Errorf("put %q: %v", key, err)
			}
			if r, err := b.Get(t.Context(), key); !errors.Is(err, storage.ErrKey) {
				t.Errorf("get %q: %v, %v", key, r, err)
			}
			if err := b.Delete(t.Context(), key); !errors.Is(err, storage.ErrKey) {
				t.Errorf("delete %q: %v", key, err)
			}
		}
	})
	t.Run("contexts are obeyed", func(t *testing.T) {
		b := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		stop := readerFunc(func(p []byte) (int, error) { cancel(); return copy(p, "x"), nil })
		if err := b.Put(ctx, "k", stop); !errors.Is(err, context.Canceled) {
			t.Errorf("put: %v", err)
		}
		if _, err := b.Get(ctx, "k"); !errors.Is(err, context.Canceled) {
			t.Errorf("get: %v", err)
		}
		missing(t, b, "k")
	})
}

func together(t *testing.T, b storage.Blobs) {
	t.Helper()
	var all sync.WaitGroup
	for _, letter := range "abcdefgh" {
		all.Go(func() {
			if err := b.Put(t.Context(), "k", strings.NewReader(strings.Repeat(string(letter), 100_000))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := get(t, b, "k")
	if len(got) != 100_000 || strings.Trim(got, got[:1]) != "" {
		t.Errorf("got %d bytes, mixed", len(got))
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func put(t *testing.T, b storage.Blobs, key, content string) {
	t.Helper()
	if err := b.Put(t.Context(), key, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, b storage.Blobs, key string) string {
	t.Helper()
	r, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(fmt.Errorf("read %s: %w", key, err))
	}
	return string(content)
}

func want(t *testing.T, b storage.Blobs, key, content string) {
	t.Helper()
	if got := get(t, b, key); got != content {
		t.Errorf("%s holds %q, not %q", key, got, content)
	}
}

func missing(t *testing.T, b storage.Blobs, key string) {
	t.Helper()
	if _, err := b.Get(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("get %s: %v", key, err)
	}
	if _, err := b.Stat(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("stat %s: %v", key, err)
	}
}
