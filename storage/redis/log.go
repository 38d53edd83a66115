package redis

import (
	"context"
	"fmt"
	"log/slog"

	goredis "github.com/redis/go-redis/v9"
)

// LogTo sends the output of go-redis to a log, at debug level, since failures are also returned as
// errors. Nil silences it. Without LogTo, go-redis writes to standard error.
//
// This setting applies to the whole process. So only the program calls LogTo, once, before it opens
// a client.
func LogTo(log *slog.Logger) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	goredis.SetLogger(logger{log})
}

type logger struct{ log *slog.Logger }

func (l logger) Printf(ctx context.Context, format string, args ...any) {
	if l.log.Enabled(ctx, slog.LevelDebug) {
		l.log.DebugContext(ctx, fmt.Sprintf(format, args...), "from", "go-redis")
	}
}
