package embedded

import (
	"context"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// idle answers the question whether there is a task in a queue, where there is none, without
// the script by which asynq asks it: here a script costs some half of a millisecond, and an
// idle worker asks for each of its queues many times a second. The answer is the script's.
type idle struct{ server *Server }

var _ goredis.Hook = idle{}

// DialHook changes nothing.
func (idle) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessPipelineHook changes nothing.
func (idle) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// ProcessHook lets everything pass but the question.
func (i idle) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		queue, asks := askedFor(cmd.Args())
		if !asks || ctx.Err() != nil || i.server.holds(queue) {
			return next(ctx, cmd)
		}
		cmd.SetErr(goredis.Nil)
		return goredis.Nil
	}
}

// askedFor is the list from which asynq's script takes a task, if it is that one: of all
// its scripts it alone has these keys in this order.
func askedFor(args []any) (list string, ok bool) {
	const keysFrom, keys = 3, 4 // behind the command, the script and the number of keys
	if len(args) < keysFrom+keys || args[0] != "evalsha" || args[2] != keys {
		return "", false
	}
	for i, what := range []string{":pending", ":paused", ":active", ":lease"} {
		key, isText := args[keysFrom+i].(string)
		if !isText || !strings.HasPrefix(key, "asynq:{") || !strings.HasSuffix(key, "}"+what) {
			return "", false
		}
		if i == 0 {
			list = key
		}
	}
	return list, true
}

// holds tells whether there is such a key. Where the server does not run it may be so.
func (s *Server) holds(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers == nil || s.closed || s.redis.Exists(key)
}
