package redistest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// Holds returns all keys with a prefix on a server or a cluster, with their values.
func Holds(tb testing.TB, c goredis.UniversalClient, prefix string) string {
	tb.Helper()
	var held strings.Builder
	var mu sync.Mutex // masters are queried concurrently
	look := func(ctx context.Context, c *goredis.Client) error {
		keys := c.Scan(ctx, 0, prefix+"*", 1000).Iterator()
		for keys.Next(ctx) {
			value, err := under(ctx, c, keys.Val())
			if err != nil {
				return err
			}
			mu.Lock()
			fmt.Fprintf(&held, "%s\n%s\n", keys.Val(), value)
			mu.Unlock()
		}
		return keys.Err()
	}
	var err error
	switch c := c.(type) {
	case *goredis.ClusterClient:
		err = c.ForEachMaster(tb.Context(), look)
	case *goredis.Client:
		err = look(tb.Context(), c)
	default:
		tb.Fatalf("unsupported client %T", c)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return held.String()
}

// under returns the value of a key.
func under(ctx context.Context, c *goredis.Client, key string) (string, error) {
	kind, err := c.Type(ctx, key).Result()
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", key, err)
	}
	var value any
	switch kind {
	case "none": // it has expired in the meantime
	case "string":
		value, err = c.Get(ctx, key).Result()
	case "hash":
		value, err = c.HGetAll(ctx, key).Result()
	case "list":
		value, err = c.LRange(ctx, key, 0, -1).Result()
	case "set":
		value, err = c.SMembers(ctx, key).Result()
	case "zset":
		value, err = c.ZRange(ctx, key, 0, -1).Result()
	default:
		err = fmt.Errorf("%s has the unsupported type %s", key, kind)
	}
	return fmt.Sprint(value), err
}
