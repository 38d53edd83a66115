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
	// Voice makes a voice message of what a run read aloud, and stores it in the folder. It is nil if that is not what the
	// run made, or if this process cannot do it.
	Voice(ctx context.Context, made *plan.Route, folder string) (*adapters.Voice, error)
}

// speak adds the voice message to an answer that is read aloud. An answer can do without.
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
