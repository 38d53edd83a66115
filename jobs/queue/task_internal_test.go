package queue

import (
	"errors"
	"testing"

	"atelier/jobs/record"

	"github.com/hibiken/asynq"
)

// TestUnreadableTaskIsKnownByID, so that this process publishes the same task as running.
func TestUnreadableTaskIsKnownByID(t *testing.T) {
	t.Parallel()
	for _, want := range []Task{
		{Kind: KindSend, Request: "r", Run: 2},
		{Kind: KindAct, Request: "r", Step: "abc"},
		{Kind: KindAct, Request: "r", Generation: 1, Step: "abc", Turn: 3},
		{Kind: KindPlan, Request: "r", Run: 1, Attempt: 4},
		{Kind: KindWrite, Request: "r", Step: "abc", Draft: 1},
		{Kind: KindAct, Request: "r", Generation: 1, Step: "abc", Turn: 2, Draft: 3, Attempt: 1},
		{Kind: KindAct, Request: "r", Generation: 1, Step: "abc", Turn: 12, Attempt: 8},
	} {
		for payload, kind := range map[string]error{"{": record.ErrVersion, `{"v":0,"request":"x"}`: record.ErrVersion, `{"v":99}`: record.ErrLater} {
			want.Queue = "q"
			got, err := decodeTask(asynq.NewTask(string(want.Kind), []byte(payload)), want.ID(), "q")
			if got != want || got.ID() != want.ID() || !errors.Is(err, kind) {
				t.Errorf("%s with %s is %+v: %v", want.ID(), payload, got, err)
			}
		}
	}
}
