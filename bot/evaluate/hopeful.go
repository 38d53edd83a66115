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

// hopeful is a planner that ends a measurement once its model can be asked nothing more:
// a wrong key does not get better with the next request, and a server that does not
// answer some of them in a row will not answer the rest.
type hopeful struct {
	evaluate.Planner

	words    func(context.Context, planner.Account, *plan.Thinking) (string, error)
	end      context.CancelCauseFunc
	patience int // how many requests in a row may go without an answer

	mu    sync.Mutex
	inRow int
}

// maxInRow is the most requests in a row that a server may leave without an answer. Each
// was put several times then.
const maxInRow = 4

// Plan makes the plan of a request.
func (h *hopeful) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	p, err := h.Planner.Plan(ctx, r)
	h.hear(err)
	return p, err
}

// Respond words the answer to a request.
func (h *hopeful) Respond(ctx context.Context, a planner.Account, t *plan.Thinking) (string, error) {
	text, err := h.words(ctx, a, t)
	h.hear(err)
	return text, err
}

func (h *hopeful) hear(err error) {
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

// unanswered reports whether a failure is that of a server which does not come to answer.
func unanswered(k endpoint.Kind) bool {
	return k == endpoint.Down || k == endpoint.TimedOut || k == endpoint.Limited
}

// unasked says why a failure tells nothing of the model; "" where it does.
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
