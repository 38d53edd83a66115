package s3_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/storage"
	"atelier/storage/s3"
	"atelier/storage/s3/s3test"
)

// to returns the configuration for the test's server.
func to(server *s3test.Server) s3.Config {
	return s3.Config{Bucket: "bucket", Endpoint: server.URL()}.With("key", "secret")
}

// instead has a function answer requests of a server; the function reports which it has answered.
func instead(s *s3test.Server, do func(w http.ResponseWriter, r *http.Request) bool) {
	s.Meddle(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !do(w, r) {
				next.ServeHTTP(w, r)
			}
		})
	})
}

// always answers every request with an error.
func always(status int, code string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Fail(w, status, code)
		return true
	}
}

// hang does not respond until the client disconnects.
func hang(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // so that the server notices
	<-r.Context().Done()
	return true
}

// TestServersThatCannotBeUsed checks that each has its own sentence, without secrets.
func TestServersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	const secret = "a word that nobody must see"
	for name, c := range map[string]struct {
		server s3test.Config
		change func(*s3.Config, *s3test.Server)
		kind   error
		says   string
	}{
		"no bucket":     {s3test.Config{Bucket: "another"}, nil, storage.ErrNoBucket, `has no bucket "bucket": create it`},
		"wrong key":     {s3test.Config{Key: "another"}, nil, storage.ErrRefused, "does not accept the credentials (InvalidAccessKeyId)"},
		"wrong secret":  {s3test.Config{Secret: "another"}, nil, storage.ErrRefused, "does not accept the credentials (SignatureDoesNotMatch)"},
		"wrong region":  {s3test.Config{Region: "eu-central-1"}, nil, storage.ErrUnfit, "in another region: set AWS_REGION"},
		"another clock": {s3test.Config{Now: func() time.Time { return time.Now().Add(time.Hour) }}, nil, storage.ErrRefused, "clock is wrong"},
		"not allowed": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) { instead(s, always(http.StatusForbidden, "AccessDenied")) },
			storage.ErrRefused, "s3:PutObject"},
		"full": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) { instead(s, always(http.StatusInsufficientStorage, "")) },
			storage.ErrFull, "has no space left"},
		"over its quota": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) { instead(s, always(http.StatusForbidden, "QuotaExceeded")) },
			storage.ErrFull, "has no space left"},
		"busy": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) { instead(s, always(http.StatusServiceUnavailable, "SlowDown")) },
			storage.ErrUnreachable, "fails with 503 SlowDown."},
		"no such encryption": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) {
			instead(s, always(http.StatusBadRequest, "KMS.NotFoundException"))
		}, storage.ErrUnfit, "rejects a required operation (KMS.NotFoundException)"},
		"no S3 server": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) {
			instead(s, func(w http.ResponseWriter, _ *http.Request) bool {
				http.Error(w, "<html>welcome", http.StatusMethodNotAllowed)
				return true
			})
		}, storage.ErrUnfit, "rejects a required operation"},
		"nobody listens": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) { s.Close() }, storage.ErrUnreachable, "cannot be reached: connect: connection refused."},
		"stalls": {s3test.Config{}, func(c *s3.Config, s *s3test.Server) { c.Stall = 20 * time.Millisecond; instead(s, hang) },
			storage.ErrUnreachable, "cannot be reached: it timed out."},
		"hangs up": {s3test.Config{}, func(_ *s3.Config, s *s3test.Server) {
			instead(s, func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
		}, storage.ErrUnreachable, "cannot be reached: "},
		"no TLS": {s3test.Config{}, func(c *s3.Config, s *s3test.Server) { c.Endpoint = strings.Replace(s.URL(), "http:", "https:", 1) },
			storage.ErrUnreachable, "cannot be reached: http: server gave HTTP response to HTTPS client."},
		"no credentials": {s3test.Config{}, func(c *s3.Config, _ *s3test.Server) { *c = c.Without() }, storage.ErrRefused, "none were found: set AWS_ACCESS_KEY_ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.server.Secret == "" {
				c.server.Secret = secret
			}
			server := s3test.New(t, c.server)
			config := s3.Config{Bucket: "bucket", Endpoint: server.URL()}.With("key", secret)
			if c.change != nil {
				c.change(&config, server)
			}
			b := open(t, config)
			err := b.Check(t.Context())
			fault, ok := errors.AsType[*storage.Fault](err)
			if !ok || !errors.Is(err, c.kind) || !strings.Contains(fault.Sentence, c.says) {
				t.Fatalf("the check: %v", err)
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(fault.Sentence, "\n") || !strings.HasSuffix(fault.Sentence, ".") {
				t.Errorf("the check says %v", err)
			}
			if err := b.Put(t.Context(), "k", strings.NewReader("x")); !errors.Is(err, c.kind) || strings.Contains(err.Error(), secret) {
				t.Errorf("put: %v", err)
			}
			if _, err := b.Get(t.Context(), "k"); !errors.Is(err, c.kind) {
				t.Errorf("get: %v", err)
			}
			if _, err := b.Expire(t.Context(), time.Now()); !errors.Is(err, c.kind) && name != "no S3 server" {
				t.Errorf("expire: %v", err)
			}
		})
	}
}

func TestGoodServerIsGood(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	b := open(t, to(server))
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if got := server.Objects(); len(got) != 0 {
		t.Errorf("the check left %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that is ended: %v", err)
	}
}

// TestRecoveredServer checks that a request that a server rejects for a moment is repeated.
func TestRecoveredServer(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(http.ResponseWriter){
		"busy":     func(w http.ResponseWriter) { s3test.Fail(w, http.StatusServiceUnavailable, "SlowDown") },
		"broken":   func(w http.ResponseWriter) { s3test.Fail(w, http.StatusInternalServerError, "InternalError") },
		"hangs up": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s3test.New(t, s3test.Config{})
			b := open(t, to(server))
			var left atomic.Int32
			instead(server, func(w http.ResponseWriter, _ *http.Request) bool {
				if left.Add(-1) >= 0 {
					refuse(w)
					return true
				}
				return false
			})
			large := bytes.Repeat([]byte("large"), s3.PartSize/2)
			for what, do := range map[string]func() error{
				"put":       func() error { return b.Put(t.Context(), "small", strings.NewReader("x")) },
				"put large": func() error { return b.Put(t.Context(), "large", io.MultiReader(bytes.NewReader(large))) },
				"get": func() error {
					r, err := b.Get(t.Context(), "there")
					if err != nil {
						return err
					}
					_, err = io.ReadAll(r)
					return errors.Join(err, r.Close())
				},
				"stat":       func() error { _, err := b.Stat(t.Context(), "there"); return err },
				"delete":     func() error { return b.Delete(t.Context(), "gone") },
				"delete all": func() error { return b.DeleteAll(t.Context(), "gone") },
				"check":      func() error { return b.Check(t.Context()) },
			} {
				for _, key := range []string{"there", "gone", "gone/too"} {
					if err := b.Put(t.Context(), key, strings.NewReader("x")); err != nil {
						t.Fatal(err)
					}
				}
				left.Store(2)
				if err := do(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				left.Store(0)
			}
			if got := server.Uploads(); len(got) != 0 {
				t.Errorf("uploads are left: %v", got)
			}
		})
	}
}

// TestFailedUpload checks that it leaves the old blob, and no parts.
func TestFailedUpload(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(r *http.Request) bool{
		"when it begins":   func(r *http.Request) bool { return r.URL.Query().Has("uploads") },
		"in a part":        func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" },
		"when it is whole": func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s3test.New(t, s3test.Config{})
			b := open(t, to(server))
			if err := b.Put(t.Context(), "k", strings.NewReader("before")); err != nil {
				t.Fatal(err)
			}
			instead(server, func(w http.ResponseWriter, r *http.Request) bool {
				if broken(r) {
					_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // as a server does that wants to be understood
					s3test.Fail(w, http.StatusForbidden, "QuotaExceeded")
					return true
				}
				return false
			})
			if err := b.Put(t.Context(), "k", bytes.NewReader(make([]byte, 3*s3.PartSize))); !errors.Is(err, storage.ErrFull) {
				t.Errorf("put: %v", err)
			}
			if got := server.Uploads(); len(got) != 0 {
				t.Errorf("uploads are left: %v", got)
			}
			if info, err := b.Stat(t.Context(), "k"); err != nil || info.Size != 6 {
				t.Errorf("what was there: %+v, %v", info, err)
			}
		})
	}
}

// TestCancelledUpload checks that its parts are removed although its context is done.
func TestCancelledUpload(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	b := open(t, to(server))
	ctx, cancel := context.WithCancel(t.Context())
	instead(server, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("partNumber") == "2" {
			cancel()
			return hang(nil, r)
		}
		return false
	})
	if err := b.Put(ctx, "k", bytes.NewReader(make([]byte, 5*s3.PartSize))); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if got := slices.Concat(server.Uploads(), server.Objects()); len(got) != 0 {
		t.Errorf("left are: %v", got)
	}
}

// TestStalledServer checks that a stalled upload is abandoned.
func TestStalledServer(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0") // nobody accepts, and nobody reads
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	b := open(t, s3.Config{Bucket: "bucket", Endpoint: "http://" + l.Addr().String(), Stall: 30 * time.Millisecond}.With("key", "secret"))
	if err := b.Put(t.Context(), "k", bytes.NewReader(make([]byte, 6<<20))); !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("put: %v", err)
	}
}

// TestSlowServerIsWaitedFor checks that a slow upload continues as long as there is progress.
func TestSlowServerIsWaitedFor(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	c := to(server)
	c.Stall = 2 * time.Second
	b := open(t, c)
	if err := b.Put(t.Context(), "k", strings.NewReader(strings.Repeat("x", 50))); err != nil {
		t.Fatal(err)
	}
	instead(server, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			return false
		}
		w.Header().Set("Content-Length", "50")
		tick := time.NewTicker(60 * time.Millisecond)
		defer tick.Stop()
		for range 50 { // longer than it may stall
			<-tick.C
			if _, err := io.WriteString(w, "x"); err != nil {
				return true
			}
			w.(http.Flusher).Flush() //nolint:errcheck,forcetypeassert // a server's writer is one
		}
		return true
	})
	r, err := b.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || len(content) != 50 {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}

// TestDeletionsThatFailInPart checks that these are reported.
func TestDeletionsThatFailInPart(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	b := open(t, to(server))
	for _, key := range []string{"a/1", "a/2", "a/3"} {
		if err := b.Put(t.Context(), key, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	instead(server, func(w http.ResponseWriter, r *http.Request) bool {
		if !r.URL.Query().Has("delete") {
			return false
		}
		_, err := io.WriteString(w, `<DeleteResult><Error><Key>a/2</Key><Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>`)
		return err == nil
	})
	if n, err := b.Expire(t.Context(), time.Now().Add(time.Hour)); n != 2 || !errors.Is(err, storage.ErrRefused) {
		t.Errorf("expire: %d, %v", n, err)
	}
	if err := b.DeleteAll(t.Context(), "a"); !errors.Is(err, storage.ErrRefused) {
		t.Errorf("delete all: %v", err)
	}
}

// TestServersThatKnowLess covers servers that cannot list uploads, or know no ranges.
func TestServersThatKnowLess(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	b := open(t, to(server))
	if err := b.Put(t.Context(), "a/k", strings.NewReader("0123456789")); err != nil {
		t.Fatal(err)
	}
	instead(server, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Query().Has("uploads"):
			s3test.Fail(w, http.StatusNotImplemented, "NotImplemented")
		case r.Header.Get("Range") != "":
			_, _ = io.WriteString(w, "0123456789") //nolint:errcheck // the client tells
		default:
			return false
		}
		return true
	})
	if _, err := b.GetRange(t.Context(), "a/k", 2, 3); !errors.Is(err, storage.ErrUnfit) {
		t.Errorf("a range: %v", err)
	}
	if n, err := b.Expire(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("expire: %d, %v", n, err)
	}
	if err := b.DeleteAll(t.Context(), "a"); err != nil {
		t.Errorf("delete all: %v", err)
	}
	if got := server.Objects(); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
}

// TestLeftoversOfCrash checks that the parts of a process that died are removed.
func TestLeftoversOfCrash(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{Page: 2})
	b := open(t, to(server))
	for _, key := range []string{"a/1", "a/2", "a/3", "b/1"} {
		if err := b.Begin(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := b.Expire(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("expire: %d, %v", n, err)
	}
	if got := server.Uploads(); len(got) != 4 {
		t.Errorf("what may still be being sent is gone: %v", got)
	}
	if err := b.DeleteAll(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if got := server.Uploads(); !slices.Equal(got, []string{"b/1"}) {
		t.Errorf("uploads are left: %v", got)
	}
	if n, err := b.Expire(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("expire: %d, %v", n, err)
	}
	if got := server.Uploads(); len(got) != 0 {
		t.Errorf("uploads are left: %v", got)
	}
}
