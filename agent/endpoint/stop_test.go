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

// passesThrough checks that the error of a finished context is returned as such.
func passesThrough(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || endpoint.KindOf(err) != "" || plan.OperatorSentence(err, plan.Say("none")).String() != "none" {
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

func TestCancelledBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server, seen := serve(t, func(w http.ResponseWriter, r *http.Request, try int) {
		cancel()
		hang(w, r, try)
	})
	_, err := ask(ctx, build(t, endpoint.Config{BaseURL: server.URL}))
	passesThrough(t, err, context.Canceled)
	if seen.count() != 1 {
		t.Errorf("%d tries", seen.count())
	}
}

// onRead calls a function once, when a part of the response's body was read.
type onRead struct {
	io.ReadCloser

	then func()
}

func (b onRead) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.then()
	return n, err
}

type readWatcher struct {
	http.RoundTripper

	then func()
}

func (w readWatcher) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = onRead{ReadCloser: resp.Body, then: w.then}
	}
	return resp, err
}

func TestCancelledInsideTheAnswer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server, seen := serve(t, hangInside)
	_, err := ask(ctx, build(t, endpoint.Config{BaseURL: server.URL, Transport: readWatcher{server.Client().Transport, cancel}}))
	passesThrough(t, err, context.Canceled)
	if seen.count() != 1 {
		t.Errorf("%d tries", seen.count())
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

// TestWaitLongerThanTheContext checks that a wait longer than the context is not begun: the error says more.
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

// bubble makes one call without a network, by a clock that runs ahead, and returns the time that it took.
func bubble(ctx context.Context, t *testing.T, c endpoint.Config, seen *tries) (text string, took time.Duration, err error) {
	t.Helper()
	took = within(t, c, seen, func(e *endpoint.Endpoint) { text, err = ask(ctx, e) })
	return text, took, err
}

// within uses an endpoint in such a bubble, and returns the time that it took.
func within(t *testing.T, c endpoint.Config, seen *tries, use func(e *endpoint.Endpoint)) time.Duration {
	t.Helper()
	network := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: seen, ReadHeaderTimeout: time.Hour}
	var group sync.WaitGroup
	group.Go(func() { _ = server.Serve(network) }) //nolint:errcheck // it ends by Close
	transport := &http.Transport{DialContext: network.dial}
	c.BaseURL, c.Transport = "http://models.example/v1", transport
	begun := time.Now()
	use(build(t, c))
	took := time.Since(begun)
	transport.CloseIdleConnections()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
	return took
}

func TestHang(t *testing.T) {
	t.Parallel()
	for _, r := range []row{
		{name: "once", answer: then(hang), tries: 2},
		{name: "once, in the middle", answer: then(hangInside), tries: 2},
		{name: "always", answer: hang, kind: endpoint.TimedOut, tries: 2, sentence: "too long to answer"},
		{name: "always, in the middle", answer: hangInside, kind: endpoint.TimedOut, status: 200, tries: 2, sentence: "too long to answer"},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seen := &tries{answer: r.answer}
				text, took, err := bubble(t.Context(), t, endpoint.Config{Timeout: time.Hour}, seen)
				if seen.count() != r.tries {
					t.Errorf("%d tries, want %d", seen.count(), r.tries)
				}
				if r.kind != "" {
					check(t, r, err)
				} else if text != "hello" || err != nil || took < time.Hour || took > time.Hour+time.Second {
					t.Errorf("got %q, %v after %s", text, err, took)
				}
			})
		})
	}
}

func TestTimeoutByDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, took, err := bubble(t.Context(), t, endpoint.Config{Retries: -1}, &tries{answer: hang})
		check(t, row{kind: endpoint.TimedOut}, err)
		if took != 2*time.Minute {
			t.Errorf("took %s", took)
		}
	})
}

// TestTrickle checks that an attempt whose body arrives byte by byte ends in time.
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
		_, took, err := bubble(t.Context(), t, endpoint.Config{Timeout: 10 * time.Second, Retries: -1}, &tries{answer: trickle})
		check(t, row{kind: endpoint.TimedOut, status: 200}, err)
		if took != 10*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestWaitsByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text, took, err := bubble(t.Context(), t, endpoint.Config{}, &tries{answer: then(status(429, "", "Retry-After", "30"))})
		if text != "hello" || err != nil || took < 30*time.Second || took > 31*time.Second {
			t.Errorf("got %q, %v after %s", text, err, took)
		}
	})
}

func TestCancelledWhileWaitingByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, took, err := bubble(ctx, t, endpoint.Config{}, &tries{answer: status(429, "", "Retry-After", "30")})
		passesThrough(t, err, context.Canceled)
		if took != time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestDeadlineOfTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, took, err := bubble(ctx, t, endpoint.Config{}, &tries{answer: hang})
		passesThrough(t, err, context.DeadlineExceeded)
		if took != time.Minute {
			t.Errorf("took %s", took)
		}
	})
}
