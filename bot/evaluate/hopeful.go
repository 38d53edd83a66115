package evaluate

import (
	"context"
	"errors"
	"sync"

	"atelier/agent"
	"atelier/agent/endpoint"
	"atelier/agent/evaluate"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/replay"
)

var (
	_ evaluate.Planner        = (*agent.Agent)(nil)
	_ evaluate.SubtaskPlanner = (*agent.Agent)(nil)
	_ evaluate.Planner        = (*hopeful)(nil)
)

// hopeful is a planner that aborts the measurement when calling the model has become pointless: the key
// was rejected, or several requests in a row got no answer.
type hopeful struct {
	evaluate.Planner

	words    func(context.Context, planner.Account, *plan.Thinking) (string, error)
	end      context.CancelCauseFunc
	patience int // aborts after this many requests in a row without an answer

	mu    sync.Mutex
	inRow int
}

// maxInRow is the number of requests in a row without an answer, each retried several times, after which
// a measurement is aborted.
const maxInRow = 4

// Plan plans a request.
func (h *hopeful) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	p, err := h.Planner.Plan(ctx, r)
	h.note(err)
	return p, err
}

// Respond generates the answer to a request.
func (h *hopeful) Respond(ctx context.Context, a planner.Account, t *plan.Thinking) (string, error) {
	text, err := h.words(ctx, a, t)
	h.note(err)
	return text, err
}

func (h *hopeful) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch kind := endpoint.KindOf(err); {
	case kind == endpoint.KeyRefused, kind == endpoint.Forbidden, kind == endpoint.Quota, kind == endpoint.ModelUnknown:
		h.end(err)
	case unanswered(kind):
		if h.inRow++; h.inRow >= h.patience {
			h.end(err)
		}
	default: // the next request may fare better
		h.inRow = 0
	}
}

// unanswered reports whether an error means that the server gave no answer.
func unanswered(k endpoint.Kind) bool {
	return k == endpoint.Down || k == endpoint.TimedOut || k == endpoint.Limited
}

// unasked returns why an error says nothing about the model; "" if it does.
func unasked(err error) string {
	e, ok := errors.AsType[*endpoint.Error](err)
	switch {
	case !ok:
		return ""
	case e.Code == replay.NotRecorded:
		return "not recorded"
	case e.Kind == endpoint.Limited:
		return "refused by the server, which had too many requests"
	case e.Kind == endpoint.TimedOut:
		return "not answered in time"
	case e.Kind == endpoint.Down:
		return "not answered by the server"
	}
	return ""
}
