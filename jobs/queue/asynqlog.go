package queue

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

// asynqLog logs asynq's messages, with the request that they are about.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.about(args).Debug(fmt.Sprint(args...)) }
func (l asynqLog) Info(args ...any)  { l.about(args).Info(fmt.Sprint(args...)) }
func (l asynqLog) Error(args ...any) { l.about(args).Error(fmt.Sprint(args...)) }
func (l asynqLog) Fatal(args ...any) { l.about(args).Error(fmt.Sprint(args...)) }

// Warn omits asynq's message about a given-up task: our own line has the reason.
func (l asynqLog) Warn(args ...any) {
	if said := fmt.Sprint(args...); !strings.HasPrefix(said, "Retry exhausted ") {
		l.about(args).Warn(said)
	}
}

// taskInText matches the id of a task ([Task.ID]) in a message.
var taskInText = regexp.MustCompile(`\b(fetch|plan|act|compose|send|deadline):([a-z2-7]{16}):`)

func (l asynqLog) about(args []any) *slog.Logger {
	log := l.log.With("by", "asynq")
	if found := taskInText.FindStringSubmatch(fmt.Sprint(args...)); found != nil {
		log = log.With("request", found[2], "stage", found[1])
	}
	return log
}
