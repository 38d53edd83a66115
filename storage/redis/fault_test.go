package redis_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
	"atelier/storage/redis"
)

// dialer returns the options of a client with its own dialer, which tries once.
func dialer(dial func() (net.Conn, error)) *goredis.Options {
	return &goredis.Options{
		Addr: "192.0.2.1:6379", MaxRetries: -1, DialerRetries: 1,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return dial() },
	}
}

// TestServersThatCannotBeUsed checks that each has its own sentence, without secrets.
func TestServersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	says := func(message string) func(*testing.T) *goredis.Options {
		return func(t *testing.T) *goredis.Options {
			t.Helper()
			m := miniredis.RunT(t)
			m.SetError(message)
			return dialer(over(t, m))
		}
	}
	const password = "a word that nobody must see"
	for name, c := range map[string]struct {
		options func(t *testing.T) *goredis.Options
		kind    error
		says    string
	}{
		"nobody listens": {func(*testing.T) *goredis.Options {
			return dialer(func() (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
			})
		}, storage.ErrUnreachable, "Redis at 192.0.2.1:6379 cannot be used: connection refused."},
		"no such host": {func(*testing.T) *goredis.Options {
			return dialer(func() (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "redis.example.org", IsNotFound: true}}
			})
		}, storage.ErrUnreachable, "cannot be used: its host name cannot be resolved."},
		"stalls": {func(t *testing.T) *goredis.Options {
			t.Helper()
			o := dialer(stalling(t))
			o.ReadTimeout = 20 * time.Millisecond
			return o
		}, storage.ErrUnreachable, "cannot be used: it timed out."},
		"hangs up": {func(*testing.T) *goredis.Options {
			return dialer(func() (net.Conn, error) {
				c, s := net.Pipe()
				return c, s.Close()
			})
		}, storage.ErrUnreachable, "cannot be used: "},
		"no TLS": {func(t *testing.T) *goredis.Options {
			t.Helper()
			return dialer(func() (net.Conn, error) {
				c, s := net.Pipe()
				go func() {
					_, _ = s.Read(make([]byte, 4096))                 //nolint:errcheck // what comes is no request
					_, _ = s.Write([]byte("-ERR Protocol error\r\n")) //nolint:errcheck // as a server without TLS says
					_ = s.Close()                                     //nolint:errcheck // it is over
				}()
				secure := tls.Client(c, &tls.Config{ServerName: "redis.example.org"})
				if err := secure.HandshakeContext(t.Context()); err != nil {
					return nil, errors.Join(err, c.Close())
				}
				return secure, nil
			})
		}, storage.ErrUnfit, "does not use TLS"},
		"password needed": {func(t *testing.T) *goredis.Options {
			t.Helper()
			m := miniredis.RunT(t)
			m.RequireAuth(password)
			return dialer(over(t, m))
		}, storage.ErrRefused, "rejects the user name or the password"},
		"wrong password": {func(t *testing.T) *goredis.Options {
			t.Helper()
			m := miniredis.RunT(t)
			m.RequireAuth("another")
			o := dialer(over(t, m))
			o.Password = password
			return o
		}, storage.ErrRefused, "rejects the user name or the password"},
		"no permission": {says("NOPERM this user has no permissions to run the 'set' command"), storage.ErrRefused, "does not give this user"},
		"out of memory": {says("OOM command not allowed when used memory > 'maxmemory'."), storage.ErrFull, "is full"},
		"disk full":     {says("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."), storage.ErrFull, "is full"},
		"a replica":     {says("READONLY You can't write against a read only replica."), storage.ErrUnfit, "is a read-only replica"},
		"loading":       {says("LOADING Redis is loading the dataset in memory"), storage.ErrUnreachable, "cannot be used: LOADING"},
		"cluster down":  {says("CLUSTERDOWN The cluster is down"), storage.ErrUnreachable, "cannot be used: CLUSTERDOWN"},
		"too old":       {says("ERR syntax error"), storage.ErrUnfit, "Redis 7 or newer"},
		"part of one":   {says("MOVED 3999 127.0.0.1:6381"), storage.ErrUnfit, "is part of a cluster: use redis+cluster://"},
		"no database":   {says("ERR DB index is out of range"), storage.ErrUnfit, "has no database with this number"},
		"no cluster":    {says("ERR This instance has cluster support disabled"), storage.ErrUnfit, "is not a cluster: use redis://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, redis.Config{Client: client(t, c.options(t))})
			err := s.Check(t.Context())
			fault, ok := errors.AsType[*storage.Fault](err)
			if !ok || !errors.Is(err, c.kind) || !strings.Contains(fault.Sentence, c.says) {
				t.Fatalf("the check: %v", err)
			}
			if strings.Contains(err.Error(), password) || strings.Contains(fault.Sentence, "\n") || !strings.HasSuffix(fault.Sentence, ".") {
				t.Errorf("the check says %v", err)
			}
			if name == "a replica" { // as one is for a moment while another takes over
				c.kind = storage.ErrUnreachable
			}
			err = s.Put(t.Context(), "a/b", []byte("x"), 0)
			if !errors.Is(err, c.kind) && name != "no TLS" || strings.Contains(err.Error(), password) {
				t.Errorf("put: %v", err)
			}
			if _, err := s.Subscribe(t.Context(), "a"); err == nil {
				t.Error("it was subscribed to")
			}
		})
	}
}

// TestInvalidSentinel checks the error for a URL of Sentinels that names the server itself.
func TestInvalidSentinel(t *testing.T) {
	t.Parallel()
	c, err := redis.Open("redis+sentinel://" + miniredis.RunT(t).Addr() + "?master=m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	err = open(t, redis.Config{Client: c}).Check(t.Context())
	fault, ok := errors.AsType[*storage.Fault](err)
	if !ok || !errors.Is(err, storage.ErrUnfit) || !strings.Contains(fault.Sentence, "use redis:// instead of redis+sentinel://") {
		t.Errorf("the check: %v", err)
	}
}

// stalling dials a server that accepts everything and never answers.
func stalling(t *testing.T) func() (net.Conn, error) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return func() (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(t.Context(), "tcp", l.Addr().String())
	}
}

// over dials a server by TCP.
func over(t *testing.T, m *miniredis.Miniredis) func() (net.Conn, error) {
	t.Helper()
	return func() (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(t.Context(), "tcp", m.Addr())
	}
}

func TestGoodServerIsGood(t *testing.T) {
	t.Parallel()
	m, c := small(t)
	if err := open(t, redis.Config{Client: c}).Check(t.Context()); err != nil {
		t.Error(err)
	}
	if dump := m.Dump(); dump != "" {
		t.Errorf("the check left %s", dump)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := open(t, redis.Config{Client: c}).Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that is ended: %v", err)
	}
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	if _, err := redis.New(redis.Config{}); err == nil {
		t.Error("no client is enough")
	}
	_, c := small(t)
	_, err := redis.New(redis.Config{Client: c, Prefix: "{a}"})
	if _, ok := errors.AsType[*storage.Fault](err); !ok {
		t.Errorf("a prefix with braces: %v", err)
	}
}

// TestDeadlinesAreObeyed checks that a call to a stalling server ends with its deadline, long before the client's
// own limits.
func TestDeadlinesAreObeyed(t *testing.T) {
	t.Parallel()
	o := dialer(stalling(t))
	o.ReadTimeout = time.Hour
	s := open(t, redis.Config{Client: client(t, o)})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Put(ctx, "a/b", nil, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("put: %v", err)
	}
	ctx, end := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := s.Subscribe(ctx, "a")
		failed <- err
	}()
	end()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("subscribe: %v", err)
	}
}

// wire is a connection that can lose an answer, or break.
type wire struct {
	net.Conn
	lose *atomic.Int32 // how many readings are to break after the server has answered
}

func (w wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if err == nil && w.lose.Load() > 0 {
		w.lose.Add(-1)
		return 0, errors.Join(net.ErrClosed, w.Close())
	}
	return n, err
}

// TestLostAnswer checks that what the server has done is not repeated by the client's second attempt, and does not
// count as somebody else's.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	var lose atomic.Int32
	c := client(t, &goredis.Options{
		DisableIdentity: true, MinRetryBackoff: -1,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			conn, err := m.Dial()
			return wire{conn, &lose}, err
		},
	})
	s := open(t, redis.Config{Client: c})
	again := func(what string, do func() error) {
		t.Helper()
		if err := c.Ping(t.Context()).Err(); err != nil { // so that there is a connection
			t.Fatal(err)
		}
		lose.Store(1)
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if lose.Load() != 0 {
			t.Errorf("%s: no answer was lost", what)
		}
	}
	for name, value := range map[string]string{"small": "x", "large": strings.Repeat("x", 10_000)} {
		again("put once", func() error {
			first, err := s.PutOnce(t.Context(), "a/"+name, []byte(value), time.Hour)
			if !first {
				t.Error("its own value was taken for another's")
			}
			return err
		})
		if first, err := s.PutOnce(t.Context(), "a/"+name, []byte(value), time.Hour); first || err != nil {
			t.Errorf("the next: %v, %v", first, err)
		}
		again("put", func() error { return s.Put(t.Context(), "a/put-"+name, []byte(value), 0) })
		for at := range 3 {
			again("append", func() error {
				got, err := s.Append(t.Context(), "a/list-"+name, []byte(value), time.Hour)
				if got != int64(at) {
					t.Errorf("it went to %d, not %d", got, at)
				}
				return err
			})
		}
		if list, err := s.Read(t.Context(), "a/list-"+name, 0); err != nil || len(list) != 3 {
			t.Errorf("%d values, %v", len(list), err)
		}
	}
	again("delete", func() error { return s.Delete(t.Context(), "a/small") })
	again("delete all", func() error { return s.DeleteAll(t.Context(), "a") })
	if keys, err := s.Keys(t.Context(), "a"); err != nil || len(keys) != 0 {
		t.Errorf("the keys are %v, %v", keys, err)
	}
}

// TestBrokenSubscription checks that it is renewed, and reports that messages may be lost.
func TestBrokenSubscription(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	conns := make(chan net.Conn, 100)
	s := open(t, redis.Config{Client: client(t, &goredis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			c, err := m.Dial()
			conns <- c
			return c, err
		},
	})})
	hints, err := s.Subscribe(t.Context(), "progress")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Publish(t.Context(), "progress", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if got := <-hints; string(got) != "x" {
			t.Errorf("the hint is %q", got)
		}
		for len(conns) > 0 {
			if err := (<-conns).Close(); err != nil {
				t.Fatal(err)
			}
		}
		if got, ok := <-hints; got != nil || !ok {
			t.Errorf("a hint %q came before one that reports a loss", got)
		}
	}
}

// TestRecoveredServer checks that a subscription and everything else continue.
func TestRecoveredServer(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	c := client(t, &goredis.Options{Addr: m.Addr(), MaxRetries: -1, DialerRetries: 1})
	s := open(t, redis.Config{Client: c})
	hints, err := s.Subscribe(t.Context(), "progress")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "a/b", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	m.Close()
	if err := s.Put(t.Context(), "a/b", []byte("y"), 0); !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("put: %v", err)
	}
	if err := m.Restart(); err != nil {
		t.Fatal(err)
	}
	if got, ok := <-hints; got != nil || !ok {
		t.Errorf("a hint %q came before one that reports a loss", got)
	}
	if got, err := s.Get(t.Context(), "a/b"); string(got) != "x" || err != nil {
		t.Errorf("it holds %q, %v", got, err)
	}
}

func TestClosedClient(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	c := goredis.NewClient(&goredis.Options{Addr: m.Addr()})
	s := open(t, redis.Config{Client: c})
	hints, err := s.Subscribe(t.Context(), "progress")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	m.Close() // with which the subscription's connection ends
	for hint := range hints {
		t.Errorf("a hint %q", hint)
	}
	if err := s.Put(t.Context(), "a/b", nil, 0); err == nil {
		t.Error("it was put")
	}
}

// TestTwoPrefixes checks that two prefixes on one server are separate.
func TestTwoPrefixes(t *testing.T) {
	t.Parallel()
	_, c := small(t)
	one, two := open(t, redis.Config{Client: c, Prefix: "one:"}), open(t, redis.Config{Client: c, Prefix: "two:"})
	hints, err := two.Subscribe(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*redis.State{one, two} {
		if err := s.Put(t.Context(), "a/b", []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Publish(t.Context(), "a", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	<-hints
	if len(hints) != 0 {
		t.Error("another's hint came")
	}
	if err := one.DeleteAll(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got, err := two.Get(t.Context(), "a/b"); string(got) != "x" || err != nil {
		t.Errorf("it holds %q, %v", got, err)
	}
}
