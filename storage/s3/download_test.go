package s3_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/storage"
	"atelier/storage/s3/s3test"
)

// cutting is a response that breaks after some bytes.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	if c.left -= n; c.left == 0 || err != nil {
		c.ResponseWriter.(http.Flusher).Flush() //nolint:errcheck,forcetypeassert // a server's writer is one
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// breaking makes downloads break after a number of bytes, a number of times.
func breaking(server *s3test.Server, after int, times int32) *atomic.Int32 {
	var left atomic.Int32
	left.Store(times)
	server.Meddle(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && left.Add(-1) >= 0 {
				w = &cutting{w, after}
			}
			next.ServeHTTP(w, r)
		})
	})
	return &left
}

// TestBrokenDownload checks that a download continues where it was.
func TestBrokenDownload(t *testing.T) {
	t.Parallel()
	content := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) //nolint:errcheck // it never fails
	for name, c := range map[string]struct {
		after     int
		times     int32
		offset, n int64
	}{
		"once":                 {100_000, 1, 0, -1},
		"often":                {100_000, 9, 0, -1},
		"in a range":           {10_000, 5, 500_000, 100_000},
		"to the end":           {10_000, 5, 900_000, -1},
		"before the last":      {1<<20 - 1, 1, 0, -1},
		"without a byte of it": {1, 3, 0, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s3test.New(t, s3test.Config{})
			b := open(t, to(server))
			if err := b.Put(t.Context(), "k", bytes.NewReader(content)); err != nil {
				t.Fatal(err)
			}
			left := breaking(server, c.after, c.times)
			r, err := b.GetRange(t.Context(), "k", c.offset, c.n)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			want := content[c.offset:]
			if c.n >= 0 {
				want = want[:c.n]
			}
			if err = errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d of %d bytes, %v", len(got), len(want), err)
			}
			if left.Load() > 0 {
				t.Errorf("it did not break %d times", c.times)
			}
		})
	}
}

// TestPermanentlyBrokenDownload checks that it ends.
func TestPermanentlyBrokenDownload(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(*s3test.Server){
		"nothing comes": func(s *s3test.Server) {
			instead(s, func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Length", "10")
				w.Header().Set("ETag", `"x"`)
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush() //nolint:errcheck,forcetypeassert // a server's writer is one
				panic(http.ErrAbortHandler)
			})
		},
		"it stalls": func(s *s3test.Server) {
			instead(s, func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Content-Length", "10")
				w.Header().Set("ETag", `"x"`)
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush() //nolint:errcheck,forcetypeassert // a server's writer is one
				return hang(w, r)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s3test.New(t, s3test.Config{})
			c := to(server)
			c.Stall = 50 * time.Millisecond
			b := open(t, c)
			if err := b.Put(t.Context(), "k", strings.NewReader("0123456789")); err != nil {
				t.Fatal(err)
			}
			meddle(server)
			r, err := b.Get(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(r); !errors.Is(err, storage.ErrUnreachable) {
				t.Errorf("read: %v", err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDownloadWithoutServer checks that it ends.
func TestDownloadWithoutServer(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	b := open(t, to(server))
	instead(server, func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Length", "10")
		w.Header().Set("ETag", `"x"`)
		_, _ = io.WriteString(w, "01234") //nolint:errcheck // the client tells
		w.(http.Flusher).Flush()          //nolint:errcheck,forcetypeassert // a server's writer is one
		return hang(w, r)
	})
	r, err := b.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	server.Close()
	if _, err := io.ReadAll(r); !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("read: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestDownloadOfReplacedObject checks that it does not continue with another blob.
func TestDownloadOfReplacedObject(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	b := open(t, to(server))
	put := func(letter string) {
		t.Helper()
		if err := b.Put(t.Context(), "k", strings.NewReader(strings.Repeat(letter, 1000))); err != nil {
			t.Fatal(err)
		}
	}
	put("a")
	breaking(server, 500, 1)
	r, err := b.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	put("b")
	got, err := io.ReadAll(r)
	if err == nil || strings.Trim(string(got), "a") != "" {
		t.Errorf("it went on with another: %q, %v", got, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
