package jobs_test

import (
	"testing"

	"atelier/adapters"
	"atelier/jobs"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// TestEveryKindIsDispatched to a stage, which has nothing to do for a forgotten request.
func TestEveryKindIsDispatched(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.start()
	tasks := queue.NewTasks(h.redis)
	for _, kind := range queue.Kinds() {
		check(t, tasks.Enqueue(t.Context(), queue.Task{Kind: kind, Request: "abcdefghij234567", Run: 1, Queue: queue.Plan}, 0))
	}
	for _, kind := range queue.Kinds() {
		h.log.until(t, 1, "stage done", "stage="+string(kind))
	}
}

// TestStoppedRunWantsOnlyItsAnswer to be sent, whatever the kind of a running task.
func TestStoppedRunWantsOnlyItsAnswer(t *testing.T) {
	t.Parallel()
	wanted := map[queue.Kind]bool{
		queue.KindFetch: false, queue.KindPlan: false, queue.KindAct: false, queue.KindWrite: false, queue.KindCompose: false,
		queue.KindSend: true, queue.KindDeadline: true,
	}
	r, err := record.FoldRequest("r", []*record.Entry{
		{Version: record.Version, Run: 1, Asked: &record.Asked{Event: adapters.Event{Kind: adapters.MessageSent}}},
		{Version: record.Version, Run: 1, Halted: &record.Halted{Why: record.HaltCancelled}},
	})
	check(t, err)
	for _, kind := range queue.Kinds() {
		want, known := wanted[kind]
		if got := jobs.Wanted(r, queue.Task{Kind: kind, Request: "r", Run: 1, Step: "s"}); !known || got != want {
			t.Errorf("%s is wanted: %t", kind, got)
		}
	}
}
