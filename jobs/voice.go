package jobs

import (
	"context"
	"fmt"
	"path"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// Speaker is an [Agent] that can make voice messages.
type Speaker interface {
	// Voice makes a voice message of a run's speech and stores it in the folder. It returns nil if the run made no speech
	// or this process cannot do it.
	Voice(ctx context.Context, made *plan.Route, folder string) (*adapters.Voice, error)
}

// speak adds a voice message to a spoken answer. Failures are logged only: the answer has its audio file anyway.
func (c *composer) speak(ctx context.Context, a *record.Answer, r *record.Request, run *record.Run) {
	agent, ok := c.agent.(Speaker)
	if !ok || len(a.Reply.Files) != 1 || !c.limitsOf(a.Reply.Thread).Voice {
		return
	}
	folder := path.Join(record.ThreadFolder(record.ThreadID(a.Reply.Thread)), r.ID, fmt.Sprintf("voice-%d", run.N))
	v, err := agent.Voice(ctx, run.Route, folder)
	if err != nil {
		c.log.WarnContext(ctx, "an answer has no voice message", "request", r.ID, "error", plan.ForOperator(err))
		return
	}
	a.Reply.Files[0].Voice = v
}
