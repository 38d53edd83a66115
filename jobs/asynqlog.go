package jobs

import (
	"fmt"
	"log/slog"
)

// asynqLog passes on what asynq says.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.log.Debug(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Info(args ...any)  { l.log.Info(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Warn(args ...any)  { l.log.Warn(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Error(args ...any) { l.log.Error(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Fatal(args ...any) { l.log.Error(fmt.Sprint(args...), "by", "asynq") }
