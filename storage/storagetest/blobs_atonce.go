package storagetest

import (
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func putsAtOnce(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	var all sync.WaitGroup
	for _, letter := range "abcdefgh" {
		all.Go(func() {
			content := strings.NewReader(strings.Repeat(string(letter), 100_000))
			if err := b.Put(t.Context(), "folder/k", io.MultiReader(content)); err != nil {
				t.Error(err)
			}
			own := "own/" + string(letter) + "/k"
			put(t, b, own, own)
			want(t, b, own, own)
			if r, err := b.Get(t.Context(), "folder/k"); err != nil {
				t.Error(err)
			} else {
				unmixed(t, read(t, "folder/k", r), 100_000)
			}
		})
	}
	all.Wait()
	unmixed(t, get(t, b, "folder/k"), 100_000)
}

func unmixed(t *testing.T, content string, size int) {
	t.Helper()
	if content == "" || len(content) != size || strings.Trim(content, content[:1]) != "" {
		t.Errorf("got %d bytes, mixed", len(content))
	}
}

// readingOn checks that an open blob does not change.
func readingOn(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	const size = 8 << 20
	for name, change := range map[string]func() error{
		"put":    func() error { return b.Put(t.Context(), "k", strings.NewReader(strings.Repeat("b", size))) },
		"delete": func() error { return b.Delete(t.Context(), "k") },
	} {
		put(t, b, "k", strings.Repeat("a", size))
		r, err := b.Get(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 1000)
		if _, err := io.ReadFull(r, head); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(r)
		whole := string(head) + string(rest)
		if strings.Trim(whole, "a") != "" || err == nil && len(whole) != size {
			t.Errorf("after a %s it went on with another: %d bytes, %v", name, len(whole), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// sweepsAtOnce checks that concurrent sweeps do not remove anything else, or folders that were just
// empty.
func sweepsAtOnce(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	if m.FolderStays {
		put(t, b, "folder/stays", "x")
	}
	var done atomic.Bool
	var sweeps, puts sync.WaitGroup
	sweeps.Go(func() {
		for !done.Load() {
			if _, err := b.Expire(t.Context(), time.Unix(0, 0)); err != nil {
				t.Error(err)
			}
			if err := b.DeleteAll(t.Context(), "folder/other"); err != nil {
				t.Error(err)
			}
		}
	})
	for _, letter := range "abcd" {
		puts.Go(func() {
			key := "folder/own-" + string(letter) + "/k"
			for range 50 {
				put(t, b, key, key)
				want(t, b, key, key)
				if err := b.Delete(t.Context(), key); err != nil {
					t.Error(err)
				}
			}
			put(t, b, key, key)
		})
	}
	puts.Wait()
	done.Store(true)
	sweeps.Wait()
	for _, letter := range "abcd" {
		key := "folder/own-" + string(letter) + "/k"
		want(t, b, key, key)
	}
}

// noise returns the same pseudorandom bytes for the same size.
func noise(size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) //nolint:errcheck // it never fails
	return content
}
