package queue

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

// asynqLog logs what asynq says, with the request that it is about.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.about(args).Debug(fmt.Sprint(args...)) }
func (l asynqLog) Info(args ...any)  { l.about(args).Info(fmt.Sprint(args...)) }
func (l asynqLog) Error(args ...any) { l.about(args).Error(fmt.Sprint(args...)) }
func (l asynqLog) Fatal(args ...any) { l.about(args).Error(fmt.Sprint(args...)) }

// Warn omits that a task is given up: our own line says so, with the reason.
func (l asynqLog) Warn(args ...any) {
	if said := fmt.Sprint(args...); !strings.HasPrefix(said, "Retry exhausted ") {
		l.about(args).Warn(said)
	}
}

// taskInText is the id of a task in what asynq says ([Task.ID]).
var taskInText = regexp.MustCompile(`\b(fetch|plan|act|compose|send|deadline):([a-z2-7]{16}):`)

func (l asynqLog) about(args []any) *slog.Logger {
	log := l.log.With("by", "asynq")
	if found := taskInText.FindStringSubmatch(fmt.Sprint(args...)); found != nil {
		log = log.With("request", found[2], "stage", found[1])
	}
	return log
}
