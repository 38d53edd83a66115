package jobs_test

import (
	"testing"

	"atelier/jobs"
)

func TestAnsweredQuestionIsClosed(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		asks := h.ask(j, h.says("t", "ann", "?which picture"))
		if asks.Runs[0].Status != jobs.Asking {
			h.t.Errorf("before it is %s", asks.Runs[0].Status)
		}
		h.ask(j, h.says("t", "ann", "blur"))
		if runs := h.runs(j, asks); runs[0].Status != jobs.Done {
			h.t.Errorf("after it is %s", runs[0].Status)
		}
	})
}

// TestUnusableFileIsNotAFailedTask, since the operator need not act.
func TestUnusableFileIsNotAFailedTask(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	r := h.ask(j, h.says("t", "ann", "caption", h.chat.upload("a.png", "BAD")))
	if r.Runs[0].Status != jobs.Failed || h.told(r) != "I take no bad files." {
		t.Errorf("it is %s", r.Runs[0].Status)
	}
	queues, err := j.Queues(t.Context())
	check(t, err)
	for _, q := range queues {
		if q.Failed > 0 {
			t.Errorf("%s has %d failed tasks", q.Name, q.Failed)
		}
	}
}
