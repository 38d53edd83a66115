package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener for connections in memory, whose deadlines follow the clock of a synctest bubble.
type pipes struct {
	come   chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.come:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { close(p.closed); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// trickle yields a number of bytes at a limited rate per second.
type trickle struct{ bytes, aSecond int }

func (t *trickle) Read(p []byte) (int, error) {
	if t.bytes == 0 {
		return 0, io.EOF
	}
	<-time.After(time.Second)
	n := min(len(p), t.aSecond, t.bytes)
	t.bytes -= n
	return n, nil
}

// TestSlowPeers sends to the server and reads from it at several rates. A large file over a slow connection is
// completed, and an idle peer is disconnected.
func TestSlowPeers(t *testing.T) {
	t.Parallel()
	const large = 4 << 20
	slow := os.ErrDeadlineExceeded
	for name, c := range map[string]struct {
		sends, sendsASecond int           // of a body that is said to be large
		readsASecond        int           // of an answer that is as large
		works               time.Duration // for each quarter of the body
		want                error
		after, before       time.Duration
	}{
		"a body at once":                {sends: large, sendsASecond: large, readsASecond: large, before: 5 * time.Minute},
		"a body over a slow line":       {sends: large, sendsASecond: 20_000, readsASecond: large, after: 3 * time.Minute, before: 10 * time.Minute},
		"one that is worked on at once": {sends: large, sendsASecond: large, readsASecond: large, works: time.Hour, after: 4 * time.Hour, before: 5 * time.Hour},
		"a byte a second":               {sends: large, sendsASecond: 1, want: slow, after: 29 * time.Second, before: 32 * time.Second},
		"a kilobyte a second":           {sends: large, sendsASecond: 1000, want: slow, after: 29 * time.Second, before: 35 * time.Second},
		"one that stops in the middle":  {sends: large / 2, sendsASecond: large, want: slow, after: 29 * time.Second, before: 5 * time.Minute},
		"an answer over a slow line":    {sends: large, sendsASecond: large, readsASecond: 20_000, after: 3 * time.Minute, before: 10 * time.Minute},
		"a byte of it a second":         {sends: large, sendsASecond: large, readsASecond: 1, want: slow, after: 29 * time.Second, before: 5 * time.Minute},
		"two kilobytes of it a second":  {sends: large, sendsASecond: large, readsASecond: 2000, want: slow, after: 29 * time.Second, before: 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				l := &pipes{make(chan net.Conn), make(chan struct{})}
				ended, served := make(chan error, 1), make(chan error, 1)
				r := &process{log: slog.New(slog.DiscardHandler), closing: func() {}}
				go func() {
					served <- r.answer(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						var err error
						for p := make([]byte, large/4); err == nil; {
							if _, err = io.ReadFull(r.Body, p); err == nil {
								<-time.After(c.works)
							}
						}
						for p := make([]byte, 32<<10); errors.Is(err, io.EOF); {
							err = nil
							for sent := 0; err == nil && sent < large; sent += len(p) {
								_, err = w.Write(p)
							}
						}
						ended <- err
					}))
				}()
				near, far := net.Pipe()
				l.come <- far
				begun := time.Now()
				var peer sync.WaitGroup
				peer.Go(func() {
					_, err := fmt.Fprintf(near, "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", large)
					if _, cut := io.Copy(near, &trickle{c.sends, c.sendsASecond}); c.want == nil && errors.Join(err, cut) != nil {
						t.Errorf("send: %v, %v", err, cut)
					}
				})
				peer.Go(func() {
					from := bufio.NewReader(near)
					for err := error(nil); err == nil; {
						<-time.After(time.Second)
						_, err = io.CopyN(io.Discard, from, int64(max(c.readsASecond, 1)))
					}
				})
				err := <-ended
				if took := time.Since(begun); !errors.Is(err, c.want) || took < c.after || took > c.before {
					t.Errorf("it ended after %v: %v", took, err)
				}
				stop()
				if err := errors.Join(near.Close(), <-served); err != nil {
					t.Error(err)
				}
				peer.Wait()
			})
		})
	}
}
