package disk_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/storage"
	"atelier/storage/disk"
)

const base = "https://bot.example.org/files/"

// follow gives what the handler says to a link, which sees what is below the base.
func follow(t *testing.T, h http.Handler, method, link string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, "/"+strings.TrimPrefix(link, base), http.NoBody)
	if header != nil {
		request.Header = header
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w
}

func link(t *testing.T, b *disk.Blobs, key string, expiry time.Duration) string {
	t.Helper()
	l, err := b.Link(t.Context(), key, expiry)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(l, base) {
		t.Fatalf("the link is %s", l)
	}
	return l
}

func TestLinksEndByTheClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 999, time.UTC)
	b := open(t, disk.Config{Folder: t.TempDir(), LinkBase: base, Now: func() time.Time { return now }})
	put(t, b, "k.png")
	l := link(t, b, "k.png", time.Minute)
	for _, c := range []struct {
		passed time.Duration
		status int
	}{{0, 200}, {59 * time.Second, 200}, {time.Minute, 200}, {61 * time.Second, 403}, {time.Hour, 403}, {-time.Hour, 200}} {
		now = time.Date(2026, 11, 21, 12, 0, 0, 999, time.UTC).Add(c.passed)
		if got := follow(t, b.Links(), http.MethodGet, l, nil); got.Code != c.status {
			t.Errorf("after %v: %d", c.passed, got.Code)
		}
	}
}

func TestLinksSurviveTheProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c := disk.Config{Folder: folder, LinkBase: strings.TrimSuffix(base, "/")}
	b := open(t, c)
	put(t, b, "k.png")
	l := link(t, b, "k.png", time.Hour)
	if got := follow(t, open(t, c).Links(), http.MethodGet, l, nil); got.Code != http.StatusOK {
		t.Errorf("in the next process: %d", got.Code)
	}
	other := open(t, disk.Config{Folder: t.TempDir(), LinkBase: base})
	put(t, other, "k.png")
	if got := follow(t, other.Links(), http.MethodGet, l, nil); got.Code != http.StatusForbidden {
		t.Errorf("in another folder: %d", got.Code)
	}
	if info, err := os.Stat(filepath.Join(folder, ".links")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret's file: %v, %v", info, err)
	}
	if err := b.DeleteAll(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if _, err := b.Expire(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, ".links")); err != nil {
		t.Errorf("the secret is gone: %v", err)
	}
}

// TestOneSecret: processes that begin at once take the same.
func TestOneSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var all sync.WaitGroup
	var proofs sync.Map
	for range 16 {
		all.Go(func() {
			b := open(t, disk.Config{Folder: folder, LinkBase: base, Now: func() time.Time { return time.Unix(0, 0) }})
			proofs.Store(link(t, b, "k", time.Hour), true)
		})
	}
	all.Wait()
	n := 0
	proofs.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("there are %d secrets", n)
	}
	if got := files(t, folder); len(got) != 1 {
		t.Errorf("the folder holds %v", got)
	}
}

func TestADamagedSecretIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, ".links"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.New(disk.Config{Folder: folder, LinkBase: base}); err == nil {
		t.Error("links could be forged")
	}
}

func TestNoLinks(t *testing.T) {
	t.Parallel()
	b := open(t, disk.Config{Folder: t.TempDir()})
	put(t, b, "k")
	if l, err := b.Link(t.Context(), "k", time.Hour); !errors.Is(err, storage.ErrNoLinks) {
		t.Errorf("a link to nowhere: %s, %v", l, err)
	}
	if got := follow(t, b.Links(), http.MethodGet, "k?until=9999999999&proof=", nil); got.Code != http.StatusNotFound {
		t.Errorf("no link: %d", got.Code)
	}
}

func TestWhatALinkGives(t *testing.T) {
	t.Parallel()
	b := open(t, disk.Config{Folder: t.TempDir(), LinkBase: base})
	put(t, b, "thread/page.html")
	l := link(t, b, "thread/page.html", time.Hour)
	got := follow(t, b.Links(), http.MethodGet, l, nil)
	for name, want := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"Content-Disposition":     "attachment; filename=page.html",
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
		"Referrer-Policy":         "no-referrer",
		"Content-Length":          "1",
	} {
		if got.Header().Get(name) != want {
			t.Errorf("%s is %q, not %q", name, got.Header().Get(name), want)
		}
	}
	if cache := got.Header().Get("Cache-Control"); !strings.HasPrefix(cache, "private, max-age=3") {
		t.Errorf("Cache-Control is %q", cache)
	}
	if got := follow(t, b.Links(), http.MethodHead, l, nil); got.Code != http.StatusOK {
		t.Errorf("HEAD: %d", got.Code)
	}
	changed := http.Header{"If-Modified-Since": {got.Header().Get("Last-Modified")}}
	if got := follow(t, b.Links(), http.MethodGet, l, changed); got.Code != http.StatusNotModified {
		t.Errorf("again: %d", got.Code)
	}
	if got := follow(t, b.Links(), http.MethodPost, l, nil); got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d", got.Code)
	}
	_, query, _ := strings.Cut(l, "?")
	for _, forged := range []string{"", ".links", "thread/page.html", "thread/page.html?until=x&proof=y", "../x?until=9999999999", "thread/../thread/page.html" + "?" + query} {
		if got := follow(t, b.Links(), http.MethodGet, forged, nil); got.Code != http.StatusForbidden {
			t.Errorf("%q: %d", forged, got.Code)
		}
	}
}

func FuzzLinks(f *testing.F) {
	b, err := disk.New(disk.Config{Folder: f.TempDir(), LinkBase: base, Now: func() time.Time { return time.Unix(1_000_000, 0) }})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := b.Close(); err != nil {
			f.Error(err)
		}
	})
	for _, key := range []string{"a", "a/b.png", "Größe/ä b+c%20#&=;?.png", "%2e%2e/x", "..", ".links", "a//b", "\xff", "a?until=9"} {
		f.Add(key, key+"?until=9999999999&proof=x")
	}
	f.Fuzz(func(t *testing.T, key, path string) {
		if l, err := b.Link(t.Context(), key, time.Hour); err == nil {
			if err := b.Put(t.Context(), key, strings.NewReader("x")); err != nil {
				return // another key is its folder, or its name is one too many for the file system
			}
			if got := follow(t, b.Links(), http.MethodGet, l, nil); got.Code != http.StatusOK {
				t.Errorf("the link %s gives %d", l, got.Code)
			}
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/"+path, http.NoBody)
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		b.Links().ServeHTTP(w, request)
		if w.Code != http.StatusForbidden {
			t.Errorf("%q gives %d", path, w.Code)
		}
	})
}
