package jobs

import (
	"context"
	"errors"
	"slices"

	"atelier/agent/plan"
	"atelier/storage"
)

// plan plans a generation, and hands over what can be done first.
func (j *Jobs) plan(ctx context.Context, w task) error {
	r, err := j.request(ctx, w.Request)
	if err != nil {
		return err
	}
	run := r.run(w.Run)
	if run == nil || !run.working() || r.deaf(r.generations[run.generation]) || r.given == nil && r.asked.Event.Command == nil {
		return j.advance(ctx, r)
	}
	if g := r.generations[run.generation]; g.plan == nil {
		j.hint(ctx, r)
		p, err := j.planned(ctx, r, g)
		if err != nil {
			return err
		}
		stored := *p
		if stored.Resources, err = j.texts.pack(ctx, ThreadID(r.asked.Event.Thread), p.Resources); err != nil {
			return err
		}
		r, err = j.write(ctx, r.id, entry{Run: run.n, Planned: &planned{stored}})
		if errors.Is(err, storage.ErrTooLarge) {
			return &plan.Fault{Sentence: plan.Say("There is too much here to plan with. Please begin a new thread, or ask for less."), Err: err}
		}
		if err != nil {
			return err
		}
		j.hint(ctx, r)
	}
	return j.advance(ctx, r)
}

func (j *Jobs) planned(ctx context.Context, r *request, g *generation) (*plan.Plan, error) {
	if e := r.asked.Event; e.Command != nil {
		reply := j.say(r, plan.Say("I do not know that command."))
		if j.config.Command != nil {
			text, err := j.config.Command(ctx, e, r.language())
			if err != nil {
				return nil, err
			}
			reply = text
		}
		return &plan.Plan{Wish: "/" + e.Command.Name, Reply: reply}, nil
	}
	if err := g.unheard(); err != nil {
		return nil, err
	}
	r, err := j.unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	asked, err := j.planRequest(ctx, r, g)
	if err != nil {
		return nil, err
	}
	p, err := j.config.Agent.Plan(ctx, asked)
	if err != nil {
		return nil, err
	}
	if _, err := plan.NewRoute(p, p.Best()); len(p.Tasks) > 0 && err != nil {
		return nil, err // too much at once
	}
	j.config.Metrics.Thinking(p.Thinking)
	return p, nil
}

// planRequest is the request as the agent knows it: with the thread as it was when the
// files were fetched. What is given is as r has it, which is to be unpacked for the agent.
func (j *Jobs) planRequest(ctx context.Context, r *request, g *generation) (plan.Request, error) {
	id := ThreadID(r.asked.Event.Thread)
	asked := plan.Request{ID: r.id, Thread: id, Wish: r.wishOf(g), At: g.at, Language: r.language(), Operator: r.asked.Options.Operator}
	if j.config.Programs != nil {
		asked.NoPrograms = !j.config.Programs(r.asked.Event.Thread)
	}
	if r.given == nil {
		return asked, nil
	}
	t, err := j.thread(ctx, id, r.given.Thread)
	if err != nil {
		return asked, err
	}
	turns, earlier := t.memory()
	if earlier, err = j.texts.unpackLatest(ctx, earlier); err != nil {
		return asked, err
	}
	asked.Turns = turns
	if !r.guessed(g) {
		asked.Question = r.given.Question
	}
	asked.Given, earlier = r.apart(g, earlier)
	asked.Earlier = slices.DeleteFunc(earlier, func(e plan.Resource) bool {
		return slices.ContainsFunc(asked.Given, func(g plan.Resource) bool { return g.Name == e.Name })
	})
	return asked, nil
}
