package redis_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"atelier/storage"
	"atelier/storage/redis"
	"atelier/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small is a server within the test.
func small(t *testing.T) (*miniredis.Miniredis, *goredis.Client) {
	t.Helper()
	m := miniredis.RunT(t)
	return m, client(t, &goredis.Options{Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() }})
}

func client(t *testing.T, o *goredis.Options) *goredis.Client {
	t.Helper()
	o.ContextTimeoutEnabled = true
	c := goredis.NewClient(o)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func open(t *testing.T, c redis.Config) *redis.State {
	t.Helper()
	s, err := redis.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestState(t *testing.T) {
	t.Parallel()
	var servers sync.Map // by their state
	storagetest.State(t, storagetest.StateMake{
		Open: func(t *testing.T) storage.State {
			t.Helper()
			m, c := small(t)
			s := open(t, redis.Config{Client: c})
			servers.Store(s, m)
			return s
		},
		Pass: func(t *testing.T, s storage.State, d time.Duration) {
			t.Helper()
			if m, ok := servers.Load(s); ok {
				m.(*miniredis.Miniredis).FastForward(d) //nolint:errcheck,forcetypeassert // nothing else is in there
			}
		},
	})
}
