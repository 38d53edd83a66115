package jobs

import (
	"context"

	"atelier/agent/plan"
	"atelier/jobs/record"
)

// carried is what of the thread a message is about by what it answers: what an answer of the
// bot's made to which it replies, and what was pointed at with the wish that was asked back
// about. Where it picks a guess by its number, that is all that the wish was about.
func (j *Jobs) carried(ctx context.Context, r *record.Request) ([]plan.Resource, error) {
	var all []plan.Resource
	if id := r.Asked.Answers; id != "" {
		asked, err := j.store.Request(ctx, id)
		if err != nil && record.IgnoreUnknown(err) != nil {
			return nil, err
		}
		switch {
		case err != nil || asked.Given == nil:
		case r.Asked.Guess != "":
			all = append(all, asked.Given.Resources...)
		default:
			all = append(all, asked.Given.PointedAt()...)
		}
	}
	m := r.Asked.Event.Message
	if m == nil || m.ReplyTo == nil || !m.ReplyTo.Own {
		return all, nil
	}
	of, ok, err := j.store.Recall(ctx, m.ReplyTo.Ref)
	if err != nil || !ok {
		return all, err
	}
	answered, err := j.store.Request(ctx, of.Request)
	if err != nil {
		return all, record.IgnoreUnknown(err)
	}
	if run := answered.Run(of.Run); run != nil && run.Route != nil {
		all = append(all, ends(run.Route)...)
	}
	return all, nil
}

// ends are the media that a way made in the end, those left out from which it made others.
func ends(route *plan.Route) []plan.Resource {
	steps := route.Steps()
	taken := map[int]bool{}
	for _, s := range steps {
		for _, in := range s.Inputs() {
			taken[in] = true
		}
	}
	var all []plan.Resource
	for i, s := range steps {
		result, ok := route.Result(s.Key)
		if !ok || taken[i] {
			continue
		}
		for _, out := range result.Outputs() {
			if out.Type.Media() {
				all = append(all, out)
			}
		}
	}
	return all
}
