package embedded

import (
	"errors"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// TestIdle: that there is nothing to take is told without the server, and only that.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := New()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c := s.Client()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	const unknown = "0123456789012345678901234567890123456789"
	of := func(queue string) []string {
		var keys []string
		for _, what := range []string{"pending", "paused", "active", "lease"} {
			keys = append(keys, "asynq:{"+queue+"}:"+what)
		}
		return keys
	}
	if err := c.LPush(t.Context(), of("full")[0], "a task").Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.ZAdd(t.Context(), "asynq:{late}:scheduled", goredis.Z{Member: "a task"}).Err(); err != nil {
		t.Fatal(err)
	}
	asks := func(keys []string) error { return c.EvalSha(t.Context(), unknown, keys, 1, "x").Err() }
	before := s.redis.CommandCount()
	if err := asks(of("empty")); !errors.Is(err, goredis.Nil) || s.redis.CommandCount() != before {
		t.Errorf("an empty queue: %v after %d commands", err, s.redis.CommandCount()-before)
	}
	for _, from := range []string{"scheduled", "retry"} {
		due := []string{"asynq:{empty}:" + from, "asynq:{empty}:pending"}
		if n, err := c.EvalSha(t.Context(), unknown, due, 1, "x").Int(); n != 0 || err != nil || s.redis.CommandCount() != before {
			t.Errorf("nothing that is %s: %d, %v after %d commands", from, n, err, s.redis.CommandCount()-before)
		}
	}
	other := of("empty")
	other[1], other[2] = other[2], other[1]
	for name, keys := range map[string][]string{
		"a queue with a task": of("full"), "tasks that may be due": {"asynq:{late}:scheduled", "asynq:{late}:pending"}, "other keys": other, "fewer keys": of("empty")[:3], "no key of asynq's": {"a:pending", "a:paused", "a:active", "a:lease"},
	} {
		if err := asks(keys); err == nil || !strings.Contains(err.Error(), "NOSCRIPT") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Close()
	if err := asks(of("empty")); err == nil || errors.Is(err, goredis.Nil) {
		t.Errorf("a server that does not run: %v", err)
	}
}
