package jobs

import (
	"context"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
)

// A question may be asked with guesses at what is meant. One of them is chosen as another way is,
// or by its number alone as the answer. It is planned and done as if the person had written it,
// with the same files, and the question is closed. A guess whose run was taken back or failed
// leaves the question open for the others.

// picked is the guess whose number a message is, "" if it says something else.
func (q *openQuestion) picked(m *adapters.Message) string {
	if m == nil || len(m.Files) > 0 {
		return ""
	}
	return plan.Question{Guesses: q.Guesses}.Picked(m.Text)
}

// offered is the offer of that index, from 0, of the run's answer.
func (r *run) offered(n int) taken {
	o := r.answer.Offers[n]
	return taken{Of: r.n, Choice: o.Choice, Guess: o.Guess}
}

// settled reports whether the question of a run was answered: by a message, or by a guess of it.
func (r *request) settled(asking *run) bool {
	return r.answeredBy != "" || slices.ContainsFunc(r.runs, func(run *run) bool {
		return run.took.Of == asking.n && run.took.Guess != "" && r.made(run.took) != nil
	})
}

// closed is why no guess of a run's question can be chosen any more, zero where one can.
func (j *Jobs) closed(r *request, asking *run) plan.Message {
	switch {
	case r.settled(asking):
		return plan.Say("That question is answered already. Please say it in other words if you want something else.")
	case asking.over && j.config.Now().After(asking.overAt.Add(j.config.QuestionExpiry)):
		return plan.Say("That question is too old to be answered. Please ask again.")
	}
	return plan.Message{}
}

// refused reports whether a person was told before that an offer cannot be had.
func (r *request) refused(o taken, by string) bool {
	return slices.ContainsFunc(r.runs, func(run *run) bool {
		return run.begun != nil && run.begun.Refused != "" && run.begun.By == by && run.begun.equal(o)
	})
}

// settle notes in the thread that the question of a run is answered.
func (j *Jobs) settle(ctx context.Context, r *request, of int) error {
	id := ThreadID(r.asked.Event.Thread)
	t, err := j.thread(ctx, id, -1)
	if err != nil || t.settled[answered{r.id, of}] {
		return err
	}
	_, err = j.logs.append(ctx, threadLog(id), entry{At: j.config.Now(), Settled: &answered{r.id, of}})
	return err
}
