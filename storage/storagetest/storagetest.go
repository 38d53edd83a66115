// Package storagetest holds the contract suites that every implementation of the storage passes.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"atelier/storage"
)

// run runs the checks in parallel.
func run[M any](t *testing.T, m M, checks map[string]func(*testing.T, M)) {
	t.Helper()
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, m)
		})
	}
}

// badKeys are invalid keys.
var badKeys = []string{
	"", "/", "/etc/passwd", "a//b", "a/", "..", "../x", "a/../../x", ".hidden", "a/.b", `a\b`, "a\x00b", "a\nb", "\xff",
	"a\uffffb", "a\u0085b", strings.Repeat("x", 201), strings.Repeat("x/", 400) + "x", "c:x",
}

// ended returns a context that has ended.
func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// refused checks the kind of an error.
func refused(t *testing.T, what string, kind, err error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: got %v, want %v", what, err, kind)
	}
}

// put, get and read may be called by any goroutine, so they do not stop the test.
func put(t *testing.T, b storage.Blobs, key, content string) {
	t.Helper()
	if err := b.Put(t.Context(), key, strings.NewReader(content)); err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, b storage.Blobs, key string) string {
	t.Helper()
	r, err := b.Get(t.Context(), key)
	if err != nil {
		t.Error(err)
		return ""
	}
	return read(t, key, r)
}

func read(t *testing.T, key string, r io.ReadCloser) string {
	t.Helper()
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Error(fmt.Errorf("read %s: %w", key, err))
	}
	return string(content)
}

func want(t *testing.T, b storage.Blobs, key, content string) {
	t.Helper()
	if got := get(t, b, key); got != content {
		t.Errorf("%s holds %.50q (%d bytes), not %.50q (%d)", key, got, len(got), content, len(content))
	}
}

func missing(t *testing.T, b storage.Blobs, key string) {
	t.Helper()
	_, err := b.Get(t.Context(), key)
	refused(t, "get "+key, storage.ErrNotFound, err)
	_, err = b.GetRange(t.Context(), key, 0, 0)
	refused(t, "get a range of "+key, storage.ErrNotFound, err)
	_, err = b.Stat(t.Context(), key)
	refused(t, "stat "+key, storage.ErrNotFound, err)
}
