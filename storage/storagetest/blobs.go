package storagetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"atelier/storage"
)

// BlobsMake describes an implementation of [storage.Blobs] under test.
type BlobsMake struct {
	// Open returns an empty instance and closes it by t.Cleanup.
	Open func(t *testing.T) storage.Blobs
	// NoLinks skips the tests of links.
	NoLinks bool
	// FolderStays keeps a blob in each folder in which blobs come and go concurrently, for servers
	// that map keys to folders and fail if one is empty for a moment.
	FolderStays bool
	// Large is the minimum size in bytes of a blob that is stored in several parts; zero means 1
	// MiB.
	Large int
}

// Blobs checks the guarantees of package storage.
func Blobs(t *testing.T, m BlobsMake) {
	t.Helper()
	if m.Large == 0 {
		m.Large = 1 << 20
	}
	checks := map[string]func(*testing.T, BlobsMake){
		"keeping":        keeping,
		"large ones":     large,
		"failing":        failing,
		"ranges":         ranges,
		"deleting":       deleting,
		"expiring":       expiring,
		"refusing":       refusingBlobs,
		"ending":         ending,
		"puts at once":   putsAtOnce,
		"reading on":     readingOn,
		"sweeps at once": sweepsAtOnce,
	}
	if !m.NoLinks {
		checks["links"], checks["links expire"] = links, linksExpire
	}
	run(t, m, checks)
}

func keeping(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	keys := []string{
		"a", "thread/photo-3f2a.edge-91bc.png", "tief/er/hin/ein", "Größe.jpg",
		"日本/語 👨‍👩‍👧.png", //nolint:gosmopolitan // tests other scripts
		"a b+c%20#&=;,'~!@$^()[]{}.png", "%2e%2e", "trailing.", "-", strings.Repeat("long/", 50) + strings.Repeat("x", 200),
	}
	for _, key := range keys {
		put(t, b, key, "of "+key)
	}
	for _, key := range keys {
		want(t, b, key, "of "+key)
		info, err := b.Stat(t.Context(), key)
		if err != nil || info.Size != int64(len("of "+key)) || info.Stored.Year() < 2020 {
			t.Errorf("stat %s: %+v, %v", key, info, err)
		}
	}
	put(t, b, "k", "long before")
	put(t, b, "k", "now")
	want(t, b, "k", "now")
	put(t, b, "k", "")
	want(t, b, "k", "")
	for _, key := range []string{"none", "thread", "tief/er", "a/b", "Größe.jp", "tief/er/hin/ein/s"} {
		missing(t, b, key)
	}
}

func large(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	for _, size := range []int{m.Large - 1, m.Large, m.Large + 1, 3*m.Large + 17} {
		content := noise(size)
		sum := sha256.Sum256(content)
		if err := b.Put(t.Context(), "large.bin", io.MultiReader(bytes.NewReader(content))); err != nil { // cannot seek
			t.Fatal(err)
		}
		r, err := b.Get(t.Context(), "large.bin")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, "large.bin", r); sha256.Sum256([]byte(got)) != sum {
			t.Errorf("%d bytes were stored, and %d different ones returned", size, len(got))
		}
		r, err = b.GetRange(t.Context(), "large.bin", int64(m.Large)-5, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, "large.bin", r); got != string(content[m.Large-5:min(m.Large+5, size)]) {
			t.Errorf("a range of %d bytes is %q", size, got)
		}
		if info, err := b.Stat(t.Context(), "large.bin"); err != nil || info.Size != int64(size) {
			t.Errorf("stat: %+v, %v", info, err)
		}
	}
}

// failing checks that a failed Put keeps the previous blob.
func failing(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	put(t, b, "k", "before")
	cut := errors.New("cut")
	for _, key := range []string{"k", "new", "folder/new"} {
		for _, before := range []int{0, 4, m.Large - 1, m.Large, 2*m.Large + 1} {
			err := b.Put(t.Context(), key, io.MultiReader(bytes.NewReader(noise(before)), iotest.ErrReader(cut)))
			refused(t, "a put that is cut off", cut, err)
			for _, kind := range []error{storage.ErrUnreachable, storage.ErrNotFound, storage.ErrKey, storage.ErrFull} {
				if errors.Is(err, kind) {
					t.Errorf("the storage is blamed for its reader's error: %v", err)
				}
			}
		}
	}
	want(t, b, "k", "before")
	missing(t, b, "new")
	missing(t, b, "folder/new")
}

func ranges(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	put(t, b, "k", "0123456789")
	put(t, b, "empty", "")
	for _, c := range []struct {
		key       string
		offset, n int64
		want      string
	}{
		{"k", 0, 10, "0123456789"}, {"k", 0, -1, "0123456789"}, {"k", 3, 4, "3456"}, {"k", 9, 1, "9"}, {"k", 9, 100, "9"}, {"k", 5, -1, "56789"},
		{"k", 10, 1, ""}, {"k", 10, -1, ""}, {"k", 1000, 5, ""}, {"k", 1 << 40, -1, ""}, {"k", 4, 0, ""}, {"k", 0, 1 << 62, "0123456789"},
		{"empty", 0, 10, ""}, {"empty", 0, -1, ""}, {"empty", 5, 5, ""},
	} {
		r, err := b.GetRange(t.Context(), c.key, c.offset, c.n)
		if err != nil {
			t.Errorf("%d bytes of %s from %d on: %v", c.n, c.key, c.offset, err)
			continue
		}
		if got := read(t, c.key, r); got != c.want {
			t.Errorf("%d bytes of %s from %d on are %q", c.n, c.key, c.offset, got)
		}
	}
	if r, err := b.GetRange(t.Context(), "k", -1, 5); err == nil {
		t.Errorf("a negative offset was taken: %v", r.Close())
	}
}

func deleting(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	put(t, b, "k", "x")
	for range 2 {
		if err := b.Delete(t.Context(), "k"); err != nil {
			t.Errorf("delete: %v", err)
		}
		missing(t, b, "k")
	}
	if err := b.Delete(t.Context(), "k/below"); err != nil {
		t.Errorf("delete: %v", err)
	}

	kept := []string{"thread-10/a", "thread/a", "thread-1.png", "z/thread-1/a", "other/thread-1"}
	gone := []string{"thread-1/a.png", "thread-1/b c+%.png", "thread-1/deep/er/c", "thread-1/deep/d"}
	for _, key := range append(kept, gone...) {
		put(t, b, key, key)
	}
	for range 2 {
		if err := b.DeleteAll(t.Context(), "thread-1"); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range gone {
		missing(t, b, key)
	}
	for _, key := range kept {
		want(t, b, key, key)
	}
	put(t, b, "thread-1/a.png", "anew")
	want(t, b, "thread-1/a.png", "anew")
	if err := b.DeleteAll(t.Context(), "z/thread-1"); err != nil {
		t.Fatal(err)
	}
	missing(t, b, "z/thread-1/a")
	if err := b.DeleteAll(t.Context(), "thread-1.png"); err != nil { // a blob, not a folder
		t.Fatal(err)
	}
	want(t, b, "thread-1.png", "thread-1.png")
}

func expiring(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	for _, key := range []string{"old", "thread/old", "again", "deep/er/old"} {
		put(t, b, key, "x")
	}
	first, err := b.Stat(t.Context(), "deep/er/old")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := b.Expire(t.Context(), first.Stored.Add(-time.Hour)); err != nil || n != 0 {
		t.Errorf("%d were taken for older than they are: %v", n, err)
	}
	second := later(t, b, "thread/new", first.Stored)
	put(t, b, "again", "y")
	if n, err := b.Expire(t.Context(), second); err != nil || n != 3 {
		t.Errorf("%d of 3 went: %v", n, err)
	}
	for _, key := range []string{"old", "thread/old", "deep/er/old"} {
		missing(t, b, key)
	}
	want(t, b, "thread/new", "x")
	want(t, b, "again", "y")
	if n, err := b.Expire(t.Context(), second.Add(time.Hour)); err != nil || n != 2 {
		t.Errorf("%d of 2 went: %v", n, err)
	}
	missing(t, b, "thread/new")
}

// later stores a blob repeatedly until the storage's clock, which may count in seconds, has
// advanced.
func later(t *testing.T, b storage.Blobs, key string, than time.Time) time.Time {
	t.Helper()
	for {
		put(t, b, key, "x")
		info, err := b.Stat(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if info.Stored.After(than) {
			return info.Stored
		}
	}
}

func refusingBlobs(t *testing.T, m BlobsMake) {
	t.Helper()
	b, ctx := m.Open(t), t.Context()
	for _, key := range badKeys {
		refused(t, "put "+key, storage.ErrKey, b.Put(ctx, key, strings.NewReader("x")))
		_, err := b.Get(ctx, key)
		refused(t, "get "+key, storage.ErrKey, err)
		_, err = b.GetRange(ctx, key, 0, 1)
		refused(t, "get a range of "+key, storage.ErrKey, err)
		_, err = b.Stat(ctx, key)
		refused(t, "stat "+key, storage.ErrKey, err)
		refused(t, "delete "+key, storage.ErrKey, b.Delete(ctx, key))
		refused(t, "delete all "+key, storage.ErrKey, b.DeleteAll(ctx, key))
		_, err = b.Link(ctx, key, time.Hour)
		refused(t, "link "+key, storage.ErrKey, err)
	}
	for _, expiry := range []time.Duration{0, -1, storage.MaxLink + 1} {
		if link, err := b.Link(ctx, "k", expiry); err == nil {
			t.Errorf("a link for %v: %s", expiry, link)
		}
	}
}

func ending(t *testing.T, m BlobsMake) {
	t.Helper()
	b := m.Open(t)
	put(t, b, "there", string(noise(3<<20)))

	ctx := ended(t)
	refused(t, "put", context.Canceled, b.Put(ctx, "k", strings.NewReader("x")))
	_, err := b.Get(ctx, "there")
	refused(t, "get", context.Canceled, err)
	_, err = b.GetRange(ctx, "there", 1, 1)
	refused(t, "get a range", context.Canceled, err)
	_, err = b.Stat(ctx, "there")
	refused(t, "stat", context.Canceled, err)
	refused(t, "delete", context.Canceled, b.Delete(ctx, "there"))
	refused(t, "delete all", context.Canceled, b.DeleteAll(ctx, "there"))
	_, err = b.Expire(ctx, time.Now().Add(time.Hour))
	refused(t, "expire", context.Canceled, err)

	for _, at := range []int{0, 3, m.Large, 2 * m.Large} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := readerFunc(func(p []byte) (int, error) { cancel(); return copy(p, "x"), nil })
		err := b.Put(ctx, "k", io.MultiReader(bytes.NewReader(noise(at)), stop))
		refused(t, "a put that is ended", context.Canceled, err)
	}
	missing(t, b, "k")

	ctx, cancel := context.WithCancel(t.Context())
	r, err := b.Get(ctx, "there")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = io.Copy(io.Discard, r)
	refused(t, "a reading that is ended", context.Canceled, err)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if got := get(t, b, "there"); len(got) != 3<<20 {
		t.Errorf("it has %d bytes", len(got))
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
