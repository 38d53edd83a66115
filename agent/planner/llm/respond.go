package llm

import (
	"context"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// mostSaid bounds the tokens of an answer: a chat message, in a script that takes a
// token for each sign.
const mostSaid = 1500

// complaintTokens is what the complaint about an answer may take.
const complaintTokens = 300

// Respond words the answer. Long texts go to people as they are: the model says where
// one belongs, and it is put there whole. What the model passes over in silence, also
// after it was complained of, is put behind its words.
func (m *Planner) Respond(ctx context.Context, a planner.Account, t *plan.Thinking) (string, error) {
	if len(a.Plan.Tasks) == 0 {
		return a.Plan.Reply + a.Plan.Question, nil
	}
	q := question{job: respondJob, request: a.Request.ID, output: min(mostSaid, m.config.ContextTokens/6)}
	var err error
	if q.system, err = m.prompts.write(respondJob, "system", nil); err != nil {
		return "", err
	}
	// a repair repeats the answer
	told, user, err := m.tell(a, m.config.ContextTokens-tokens(q.system)-messagesTokens-2*q.output-complaintTokens)
	if err != nil {
		return "", err
	}
	q.user = user
	answer := "" // the latest one that is of use
	err = m.ask(ctx, q, t, func(content string) error {
		said := messageOf(content)
		found := m.flaws(a, told, said)
		if !slices.ContainsFunc(found, flaw.isGrave) {
			answer = found.mend(told.texts.fill(m.plain(a, said)))
		}
		return found.complaint()
	})
	if answer != "" && ctx.Err() == nil {
		return answer, nil
	}
	return "", err
}
