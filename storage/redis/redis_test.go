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
	"atelier/storage/redis/redistest"
	"atelier/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small returns a server in this process.
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
	type made struct {
		server *miniredis.Miniredis
		client *goredis.Client
	}
	var states sync.Map
	of := func(s storage.State) made {
		m, _ := states.Load(s)
		return m.(made) //nolint:errcheck,forcetypeassert // nothing else is in there
	}
	storagetest.State(t, storagetest.StateMake{
		Open: func(t *testing.T) storage.State {
			t.Helper()
			m, c := small(t)
			s := open(t, redis.Config{Client: c})
			states.Store(s, made{m, c})
			return s
		},
		Pass: func(t *testing.T, s storage.State, d time.Duration) {
			t.Helper()
			of(s).server.FastForward(d)
		},
		Holds: func(t *testing.T, s storage.State) string {
			t.Helper()
			return redistest.Holds(t, of(s).client, "")
		},
	})
}
