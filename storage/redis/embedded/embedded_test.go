package embedded_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"atelier/storage"
	"atelier/storage/redis"
	"atelier/storage/redis/embedded"
	"atelier/storage/redis/redistest"
	"atelier/storage/storagetest"
)

func TestMain(m *testing.M) {
	redis.LogTo(nil)
	goleak.VerifyTestMain(m)
}

// run starts a server that ends with the test, and makes a client of it.
func run(tb testing.TB) *goredis.Client {
	tb.Helper()
	s := embedded.New()
	if err := s.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	c := s.Client()
	tb.Cleanup(func() { closed(tb, c) })
	return c
}

func closed(tb testing.TB, c *goredis.Client) {
	tb.Helper()
	if err := c.Close(); err != nil {
		tb.Error(err)
	}
}

func state(tb testing.TB, c goredis.UniversalClient) *redis.State {
	tb.Helper()
	s, err := redis.New(redis.Config{Client: c})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestState: the contract holds, by the server's own measure of time.
func TestState(t *testing.T) {
	t.Parallel()
	var clients sync.Map // by their state
	storagetest.State(t, storagetest.StateMake{
		Open: func(t *testing.T) storage.State {
			t.Helper()
			c := run(t)
			s := state(t, c)
			clients.Store(s, c)
			return s
		},
		Holds: func(t *testing.T, s storage.State) string {
			t.Helper()
			c, _ := clients.Load(s)
			return redistest.Holds(t, c.(*goredis.Client), "") //nolint:errcheck,forcetypeassert // nothing else is in there
		},
		Pass:   func(_ *testing.T, _ storage.State, d time.Duration) { <-time.After(d) }, // by the bubble's clock
		Bubble: true,
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := state(t, run(t)).Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestExpiry: what has an expiry is there until then, and not long after, also where the
// server has much to keep and nobody asks for anything.
func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := run(t)
		const tick = 50 * time.Millisecond
		for _, expiry := range []time.Duration{200 * time.Millisecond, 10 * time.Second, time.Hour} {
			began := time.Now()
			if err := c.Set(t.Context(), "k", "x", expiry).Err(); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Until(began.Add(expiry - 2*tick))) // by the bubble's clock
			if n, err := c.Exists(t.Context(), "k").Result(); n != 1 {
				t.Errorf("after %v of %v it is gone: %v", time.Since(began), expiry, err)
			}
			<-time.After(4 * tick)
			if n, err := c.Exists(t.Context(), "k").Result(); n != 0 || err != nil {
				t.Errorf("after %v of %v it is still there: %v", time.Since(began), expiry, err)
			}
		}
	})
}

// pipeline sends so much at once that neither end takes it in one reading, and has as
// much answered.
func pipeline(ctx context.Context, c *goredis.Client) error {
	const tasks = 500
	payload := strings.Repeat("p", 8<<10)
	script := goredis.NewScript(`redis.call("HSET", KEYS[1], "msg", ARGV[1]) redis.call("LPUSH", KEYS[2], KEYS[1]) return ARGV[1]`)
	answers, err := c.Pipelined(ctx, func(p goredis.Pipeliner) error {
		for range tasks {
			script.Eval(ctx, p, []string{"asynq:{q}:t:" + rand.Text(), "asynq:{q}:pending"}, payload)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range answers {
		if answer, ok := a.(*goredis.Cmd); !ok || answer.Val() != payload {
			return errors.New("an answer is another")
		}
	}
	return nil
}

// TestLargePipelines: they hang with the server's own pipe, which has no buffer, and do
// not with ours.
func TestLargePipelines(t *testing.T) {
	t.Parallel()
	if err := pipeline(t.Context(), run(t)); err != nil {
		t.Error(err)
	}
	synctest.Test(t, func(t *testing.T) { // where time passes as soon as all hangs
		m := miniredis.NewMiniRedis()
		defer m.Close()
		c := goredis.NewClient(&goredis.Options{
			Addr: "192.0.2.1:6379", MaxRetries: -1,
			Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
		})
		defer closed(t, c)
		if err := pipeline(t.Context(), c); err == nil {
			t.Error("the server's own pipe has a buffer now: ours is not needed any more")
		}
	})
}

// TestLargeTransactions of several clients at once.
func TestLargeTransactions(t *testing.T) {
	t.Parallel()
	c := run(t)
	failed := make(chan error)
	const clients = 8
	for range clients {
		go func() {
			_, err := c.TxPipelined(t.Context(), func(p goredis.Pipeliner) error {
				for range 200 {
					p.Set(t.Context(), rand.Text(), strings.Repeat("x", 64<<10), time.Hour)
				}
				return nil
			})
			failed <- err
		}()
	}
	for range clients {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if n, err := c.DBSize(t.Context()).Result(); n != clients*200 || err != nil {
		t.Errorf("%d were set: %v", n, err)
	}
}

// TestSlowSubscriber holds up nobody.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	c := run(t)
	sub := c.Subscribe(t.Context(), "topic")
	defer func() {
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	const hints = 1000
	for range hints {
		if n, err := c.Publish(t.Context(), "topic", strings.Repeat("x", 1<<10)).Result(); n != 1 || err != nil {
			t.Fatalf("%d have received it: %v", n, err)
		}
	}
	for i := range hints {
		if _, err := sub.ReceiveMessage(t.Context()); err != nil {
			t.Fatalf("hint %d: %v", i, err)
		}
	}
}

func TestStartAndClose(t *testing.T) {
	t.Parallel()
	s := embedded.New()
	c := s.Client()
	ping := func() error { return c.Ping(t.Context()).Err() }
	if err := ping(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("before it runs: %v", err)
	}
	for range 2 {
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if err := ping(); err != nil {
		t.Fatal(err)
	}
	hints, err := state(t, c).Subscribe(t.Context(), "topic")
	if err != nil {
		t.Fatal(err)
	}
	s.Close() // with clients connected
	s.Close()
	if err := ping(); err == nil {
		t.Error("it answers after it was closed")
	}
	if err := state(t, c).Put(t.Context(), "a/b", nil, 0); !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("put: %v", err)
	}
	if err := s.Start(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("started again: %v", err)
	}
	closed(t, c)
	for hint := range hints { // which end with the client
		if hint != nil {
			t.Errorf("a hint %q came", hint)
		}
	}
	embedded.New().Close() // which never ran
}

// TestCloseWithoutOrder: whoever is in the middle of something comes back from it.
func TestCloseWithoutOrder(t *testing.T) {
	t.Parallel()
	s := embedded.New()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	c := s.Client()
	defer closed(t, c)
	waiting := make(chan error)
	for range 4 {
		go func() { waiting <- c.BLPop(t.Context(), 0, "nothing").Err() }()
	}
	for c.PoolStats().TotalConns < 4 {
		if err := c.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	for range 4 {
		if err := <-waiting; err == nil {
			t.Error("something came from a server that was closed")
		}
	}
}

// TestInstancesAreSeparate: servers share nothing, and clients of one share all.
func TestInstancesAreSeparate(t *testing.T) {
	t.Parallel()
	s := embedded.New()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, b, other := s.Client(), s.Client(), run(t)
	defer closed(t, a)
	defer closed(t, b)
	if err := a.Set(t.Context(), "k", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got := b.Get(t.Context(), "k").Val(); got != "x" {
		t.Errorf("another client reads %q", got)
	}
	if err := other.Get(t.Context(), "k").Err(); !errors.Is(err, goredis.Nil) {
		t.Errorf("another server: %v", err)
	}
}
