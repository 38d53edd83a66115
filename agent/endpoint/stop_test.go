package endpoint_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

// passesThrough checks that the end of a context is told as such.
func passesThrough(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || endpoint.KindOf(err) != "" || plan.Sentence(err, "none") != "none" {
		t.Errorf("got %v, want %v itself", err, want)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	server, seen := serve(t, status(500, ""))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait := func(ctx context.Context, _ time.Duration) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}
	_, err := ask(ctx, build(t, endpoint.Config{BaseURL: server.URL, Wait: wait}))
	passesThrough(t, err, context.Canceled)
	if seen.count() != 1 {
		t.Errorf("%d tries", seen.count())
	}
}

func TestCancelledWhileAsking(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, int){"before": hang, "inside": hangInside} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server, seen := serve(t, func(w http.ResponseWriter, r *http.Request, try int) {
				time.AfterFunc(0, cancel) // once the answer has begun
				answer(w, r, try)
			})
			_, err := ask(ctx, build(t, endpoint.Config{BaseURL: server.URL}))
			passesThrough(t, err, context.Canceled)
			if seen.count() != 1 {
				t.Errorf("%d tries", seen.count())
			}
		})
	}
}

func TestEndedBefore(t *testing.T) {
	t.Parallel()
	server, seen := serve(t, status(200, answer))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ask(ctx, build(t, endpoint.Config{BaseURL: server.URL}))
	passesThrough(t, err, context.Canceled)
	if seen.count() != 0 {
		t.Errorf("%d tries", seen.count())
	}
}

// A wait that the context does not allow is not begun: the failure says more.
func TestWaitLongerThanTheContext(t *testing.T) {
	t.Parallel()
	server, seen := serve(t, status(429, "", "Retry-After", "50"))
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	var w waits
	_, err := ask(ctx, build(t, endpoint.Config{BaseURL: server.URL, Wait: w.wait}))
	check(t, row{kind: endpoint.Limited, status: 429, after: 50 * time.Second, sentence: "in 50 seconds"}, err)
	if seen.count() != 1 || len(w.list) != 0 {
		t.Errorf("%d tries, waits %v", seen.count(), w.list)
	}
}

// pipes is a network in memory, so that a bubble's clock can run.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

// bubble runs a server without a wire, and gives the time that the call took.
func bubble(t *testing.T, c endpoint.Config, answer func(http.ResponseWriter, *http.Request, int), limit time.Duration) (string, time.Duration, error) {
	t.Helper()
	network := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: &tries{answer: answer}, ReadHeaderTimeout: time.Hour}
	var group sync.WaitGroup
	group.Go(func() { _ = server.Serve(network) }) //nolint:errcheck // it ends by Close
	transport := &http.Transport{DialContext: network.dial}
	c.BaseURL, c.Transport = "http://models.example/v1", transport
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	begun := time.Now()
	text, err := ask(ctx, build(t, c))
	took := time.Since(begun)
	transport.CloseIdleConnections()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
	return text, took, err
}

func TestHangIsAskedAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(http.ResponseWriter, *http.Request, int){"before": hang, "inside": hangInside} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				text, took, err := bubble(t, endpoint.Config{}, then(first), time.Hour)
				if text != "hello" || err != nil {
					t.Errorf("got %q, %v", text, err)
				}
				if took < 2*time.Minute+250*time.Millisecond || took > 2*time.Minute+750*time.Millisecond {
					t.Errorf("took %s: one try's time and a short wait were expected", took)
				}
			})
		})
	}
}

// A body that comes drop by drop ends with the try, however often something comes.
func TestTrickle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		trickle := func(w http.ResponseWriter, r *http.Request, _ int) {
			_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // only a read body lets the server see the client go
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")             //nolint:errcheck // the client goes
				_ = http.NewResponseController(w).Flush() //nolint:errcheck // the same
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		}
		_, took, err := bubble(t, endpoint.Config{Timeout: 10 * time.Second, Retries: -1}, trickle, time.Hour)
		check(t, row{kind: endpoint.TimedOut, status: 200}, err)
		if took != 10*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestWaitsByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text, took, err := bubble(t, endpoint.Config{}, then(status(429, "", "Retry-After", "30")), time.Hour)
		if text != "hello" || err != nil || took < 30*time.Second || took > 31*time.Second {
			t.Errorf("got %q, %v after %s", text, err, took)
		}
	})
}

func TestDeadlineOfTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, took, err := bubble(t, endpoint.Config{}, hang, time.Minute)
		passesThrough(t, err, context.DeadlineExceeded)
		if took != time.Minute {
			t.Errorf("took %s", took)
		}
	})
}
