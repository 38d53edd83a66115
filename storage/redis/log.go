package redis

import (
	"context"
	"fmt"
	"log/slog"

	goredis "github.com/redis/go-redis/v9"
)

// LogTo sends what go-redis says to a log, as details for who looks for a fault: what
// fails comes back as an error too. With nil it is silenced. Without LogTo go-redis writes
// to the standard error by itself.
//
// It says so in one place for the whole process. So the program calls LogTo, once, before
// it opens a client; nothing else does.
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
