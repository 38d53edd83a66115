package jobs

import (
	"context"
	"slices"

	"atelier/agent/plan"
)

// carried is what of the thread a message is about by what it answers: what an answer of the
// bot's made to which it replies, and what was pointed at with the wish that was asked back
// about. Where it picks a guess by its number, that is all that the wish was about.
func (j *Jobs) carried(ctx context.Context, r *request) ([]plan.Resource, error) {
	var all []plan.Resource
	if id := r.asked.Answers; id != "" {
		asked, err := j.request(ctx, id)
		if err != nil && ignoreUnknown(err) != nil {
			return nil, err
		}
		switch {
		case err != nil || asked.given == nil:
		case r.asked.Guess != "":
			all = append(all, asked.given.Resources...)
		default:
			all = append(all, asked.given.pointedAt()...)
		}
	}
	m := r.asked.Event.Message
	if m == nil || m.ReplyTo == nil || !m.ReplyTo.Own {
		return all, nil
	}
	of, ok, err := j.recall(ctx, m.ReplyTo.Ref)
	if err != nil || !ok {
		return all, err
	}
	answered, err := j.request(ctx, of.Request)
	if err != nil {
		return all, ignoreUnknown(err)
	}
	if run := answered.run(of.Run); run != nil && run.route != nil {
		all = append(all, ends(run.route)...)
	}
	return all, nil
}

// pointedAt are the marks among what was given, and the pictures that they are on.
func (g *given) pointedAt() []plan.Resource {
	var all []plan.Resource
	for _, r := range g.Resources {
		marked := func(m plan.Resource) bool { return m.On == r.Name }
		if r.On != "" || slices.ContainsFunc(g.Resources, marked) {
			all = append(all, r)
		}
	}
	return all
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
