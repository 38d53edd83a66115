package jobs

import (
	"context"

	"atelier/agent/plan"
	"atelier/jobs/record"
)

// A question may be asked with guesses at what is meant. One of them is chosen as another way is,
// or by its number alone as the answer. It is planned and done as if the person had written it,
// with the same files, and the question is closed. A guess whose run was taken back or failed
// leaves the question open for the others.

// closed is why no guess of a run's question can be chosen any more, zero where one can.
func (j *Jobs) closed(r *record.Request, asking *record.Run) plan.Message {
	switch {
	case r.QuestionAnswered(asking):
		return plan.Say("That question is answered already. Please say it in other words if you want something else.")
	case asking.Over && j.config.Now().After(asking.OverAt.Add(j.config.QuestionExpiry)):
		return plan.Say("That question is too old to be answered. Please ask again.")
	}
	return plan.Message{}
}

// settle notes in the thread that the question of a run is answered.
func (j *Jobs) settle(ctx context.Context, r *record.Request, of int) error {
	id := record.ThreadID(r.Asked.Event.Thread)
	t, err := j.store.Thread(ctx, id)
	if err != nil || t.ClosedQuestions[record.RunRef{Request: r.ID, Run: of}] {
		return err
	}
	_, err = j.store.Logs.Append(ctx, record.ThreadLog(id), record.Entry{QuestionClosed: &record.RunRef{Request: r.ID, Run: of}})
	return err
}
