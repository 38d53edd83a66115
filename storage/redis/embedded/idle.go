package embedded

import (
	"context"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// idle answers two of asynq's frequent queries without running their scripts if the queue is empty:
// whether it has a task, and whether a task is due. A script takes about half a millisecond here,
// and an idle worker runs several per queue and second. The replies are the same as the scripts'.
type idle struct{ server *Server }

var _ goredis.Hook = idle{}

// DialHook changes nothing.
func (idle) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessPipelineHook changes nothing.
func (idle) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// ProcessHook passes on everything but these queries.
func (i idle) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		asked, isScript := cmd.(*goredis.Cmd)
		if !isScript || ctx.Err() != nil {
			return next(ctx, cmd)
		}
		switch key, moves := askedFor(cmd.Args()); {
		case key == "" || i.server.holds(key):
			return next(ctx, cmd)
		case moves:
			asked.SetVal(int64(0))
			return nil
		}
		asked.SetErr(goredis.Nil)
		return goredis.Nil
	}
}

// askedFor returns the key from which one of two asynq scripts takes tasks: the one that takes a
// task to work on, or the one that moves due tasks and returns their number (moves). It is empty
// for any other command. Only these scripts have their keys in this order.
func askedFor(args []any) (key string, moves bool) {
	const keysFrom = 3 // after the command, the script and the number of keys
	if len(args) < keysFrom || args[0] != "evalsha" {
		return "", false
	}
	for _, script := range [][]string{{"pending", "paused", "active", "lease"}, {"scheduled", "pending"}, {"retry", "pending"}} {
		if args[2] == len(script) && len(args) >= keysFrom+len(script) && areKeys(args[keysFrom:], script) {
			return fmt.Sprint(args[keysFrom]), len(script) == 2
		}
	}
	return "", false
}

// areKeys reports whether the arguments begin with asynq's keys with these names.
func areKeys(args []any, names []string) bool {
	for i, name := range names {
		key, isText := args[i].(string)
		if !isText || !strings.HasPrefix(key, "asynq:{") || !strings.HasSuffix(key, "}:"+name) {
			return false
		}
	}
	return true
}

// holds reports whether the key exists. It returns true if the server is not running.
func (s *Server) holds(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers == nil || s.closed || s.redis.Exists(key)
}
