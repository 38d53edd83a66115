package embedded

import (
	"context"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// idle answers two questions of asynq's without the scripts by which it asks them, where there
// is nothing to take: whether there is a task in a queue, and whether one is due. Here a script
// costs some half of a millisecond, and an idle worker asks for each of its queues many times a
// second. The answers are the scripts'.
type idle struct{ server *Server }

var _ goredis.Hook = idle{}

// DialHook changes nothing.
func (idle) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessPipelineHook changes nothing.
func (idle) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// ProcessHook lets everything pass but the questions.
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

// askedFor is the key from which one of asynq's scripts takes tasks: the one that takes a task to
// work on, or the one that moves those that are due, which tells how many they were. It is empty
// for any other command. Of all its scripts they alone have these keys in this order.
func askedFor(args []any) (key string, moves bool) {
	const keysFrom = 3 // behind the command, the script and the number of keys
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

// areKeys reports whether the arguments begin with asynq's keys of these names.
func areKeys(args []any, names []string) bool {
	for i, name := range names {
		key, isText := args[i].(string)
		if !isText || !strings.HasPrefix(key, "asynq:{") || !strings.HasSuffix(key, "}:"+name) {
			return false
		}
	}
	return true
}

// holds reports whether there is such a key. Where the server does not run it may be so.
func (s *Server) holds(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers == nil || s.closed || s.redis.Exists(key)
}
