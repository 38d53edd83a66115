package jobs

import (
	"fmt"
	"log/slog"
	"time"

	"atelier/agent/plan"
)

// noMetrics counts nothing.
type noMetrics struct{}

func (noMetrics) Accepted(string)                     {}
func (noMetrics) Stage(string, string, time.Duration) {}
func (noMetrics) Tool(string, plan.Result)            {}
func (noMetrics) Thinking(plan.Thinking)              {}
func (noMetrics) Ended(string, Status, time.Duration) {}

// asynqLog passes on what asynq says.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.log.Debug(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Info(args ...any)  { l.log.Info(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Warn(args ...any)  { l.log.Warn(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Error(args ...any) { l.log.Error(fmt.Sprint(args...), "by", "asynq") }
func (l asynqLog) Fatal(args ...any) { l.log.Error(fmt.Sprint(args...), "by", "asynq") }
