package redis_test

import (
	"context"
	"net"
	"os"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"atelier/storage/redis"
)

// BenchmarkState measures the cost of a step of a job, on a server in this process and on the one that
// TEST_REDIS_URL names, if any.
func BenchmarkState(b *testing.B) {
	m := miniredis.RunT(b)
	servers := map[string]*goredis.Options{
		"within": {Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() }},
	}
	if at := os.Getenv("TEST_REDIS_URL"); at != "" {
		options, err := goredis.ParseURL(at)
		if err != nil {
			b.Fatal("TEST_REDIS_URL is no address of a Redis server")
		}
		servers["real"] = options
	}
	for name, options := range servers {
		c := goredis.NewClient(options)
		s, err := redis.New(redis.Config{Client: c, Prefix: "bench:"})
		if err != nil {
			b.Fatal(err)
		}
		value := make([]byte, 512)
		for what, do := range map[string]func(context.Context) error{
			"put": func(ctx context.Context) error { return s.Put(ctx, "bench/put", value, time.Hour) },
			"put once": func(ctx context.Context) error {
				_, err := s.PutOnce(ctx, "bench/once", value, time.Hour)
				return err
			},
			"get": func(ctx context.Context) error { _, err := s.Get(ctx, "bench/put"); return err },
			"append": func(ctx context.Context) error {
				_, err := s.Append(ctx, "bench/list", value, time.Hour)
				return err
			},
			"keys":    func(ctx context.Context) error { _, err := s.Keys(ctx, "bench"); return err },
			"publish": func(ctx context.Context) error { return s.Publish(ctx, "bench", value) },
		} {
			b.Run(name+"/"+what, func(b *testing.B) {
				if err := s.Put(b.Context(), "bench/put", value, time.Hour); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := do(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		if err := s.DeleteAll(b.Context(), "bench"); err != nil {
			b.Error(err)
		}
		if err := c.Close(); err != nil {
			b.Error(err)
		}
	}
}
