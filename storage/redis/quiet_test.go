package redis_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"atelier/storage/redis"
)

// mute is a connection whose other end can fall silent without closing, like a pulled cable.
type mute struct {
	net.Conn
	silent *atomic.Bool
}

func (m mute) Read(p []byte) (int, error) {
	for {
		n, err := m.Conn.Read(p)
		if err != nil || !m.silent.Load() {
			return n, err
		}
	}
}

// TestSilentServer checks that a subscription without messages stays, and that one whose server has fallen silent
// is renewed.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		defer m.Close()
		var silent atomic.Pointer[atomic.Bool]
		silent.Store(new(atomic.Bool))
		c := goredis.NewClient(&goredis.Options{
			Addr: "192.0.2.1:6379", // a name would be looked up, with what lies outside the bubble
			Dialer: func(context.Context, string, string) (net.Conn, error) {
				conn, err := m.Dial()
				return mute{conn, silent.Load()}, err
			},
		})
		s := open(t, redis.Config{Client: c})
		ctx, cancel := context.WithCancel(t.Context())
		hints, err := s.Subscribe(ctx, "progress")
		if err != nil {
			t.Fatal(err)
		}
		tell := func(hint string) {
			t.Helper()
			if err := c.Publish(ctx, "atelier:progress", hint).Err(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour) // by the bubble's clock
		tell("after an hour")
		if got := string(<-hints); got != "after an hour" {
			t.Errorf("the hint is %q", got)
		}

		silent.Swap(new(atomic.Bool)).Store(true)
		began := time.Now()
		if got, ok := <-hints; got != nil || !ok {
			t.Errorf("a hint %q came from a silent server", got)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("it was noticed after %v", took)
		}
		cancel()
		for range hints {
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
