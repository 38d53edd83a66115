package jobs

import (
	"context"
	"errors"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// planner is the stage plan: it has the agent plan, or answers a command.
type planner struct {
	store    *record.Store
	flow     *flow
	inputs   *inputs
	agent    Agent
	metrics  Metrics
	reworker *reworker
	command  func(ctx context.Context, e adapters.Event, language string) (string, []plan.Sample, error)
	say      sayer
}

// run plans a generation, and enqueues what can be done first.
func (l *planner) run(ctx context.Context, w queue.Task) error {
	r, err := l.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	run := r.Run(w.Run)
	if run == nil || !run.Active() || r.NeedsTranscription(r.Generations[run.Generation]) || r.Given == nil && r.Asked.Event.Command == nil {
		return l.flow.advance(ctx, r)
	}
	if g := r.Generations[run.Generation]; g.Plan == nil {
		l.flow.written(ctx, r)
		p, err := l.plan(ctx, r, g)
		if err != nil {
			return err
		}
		stored := *p
		if stored.Resources, err = l.store.Texts.Pack(ctx, record.ThreadID(r.Asked.Event.Thread), p.Resources); err != nil {
			return err
		}
		r, err = l.store.Write(ctx, r.ID, record.Entry{Run: run.N, Planned: &record.Planned{Plan: stored}})
		if errors.Is(err, storage.ErrTooLarge) {
			return &plan.Fault{Sentence: plan.Say("This is too much to plan at once. Please start a new thread, or ask for less."), Err: err}
		}
		if err != nil {
			return err
		}
		l.flow.written(ctx, r)
	}
	return l.flow.advance(ctx, r)
}

func (l *planner) plan(ctx context.Context, r *record.Request, g *record.Generation) (*plan.Plan, error) {
	if e := r.Asked.Event; e.Command != nil {
		p := &plan.Plan{Wish: "/" + e.Command.Name, Reply: l.say(r, plan.Say("I do not know that command."))}
		var err error
		if l.command != nil {
			p.Reply, p.Samples, err = l.command(ctx, e, r.Language())
		}
		return p, err
	}
	if err := g.TranscriptFault(); err != nil {
		return nil, err
	}
	r, err := l.store.Unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	asked, err := l.inputs.of(ctx, r, g)
	if err != nil {
		return nil, err
	}
	var p *plan.Plan
	if press := r.Asked.Press; press != nil && !press.Tries() {
		p, err = l.reworker.plan(ctx, press, asked)
	} else {
		p, err = l.agent.Plan(ctx, asked)
	}
	if err != nil {
		return nil, err
	}
	if _, err := plan.NewRoute(p, p.Best()); len(p.Tasks) > 0 && err != nil {
		return nil, err // too much at once
	}
	l.metrics.Thinking(p.Thinking)
	return p, nil
}

// inputs builds the requests that the agent plans.
type inputs struct {
	store    *record.Store
	programs func(adapters.Thread) bool
}

// of returns the request for the agent, with the thread as it was when the files were fetched. R must be
// unpacked.
func (i *inputs) of(ctx context.Context, r *record.Request, g *record.Generation) (plan.Request, error) {
	id := record.ThreadID(r.Asked.Event.Thread)
	asked := plan.Request{ID: r.ID, Thread: id, Wish: r.WishOf(g), At: g.At, Language: r.Language(), Operator: r.Asked.Options.Operator}
	if i.programs != nil {
		asked.NoPrograms = !i.programs(r.Asked.Event.Thread)
	}
	if r.Given == nil {
		return asked, nil
	}
	if r.Asked.Press.Tries() { // "it" means the sample, whatever else is in the thread
		asked.Given = r.Given.Resources
		return asked, nil
	}
	t, err := i.store.ThreadAt(ctx, id, r.Given.Thread)
	if err != nil {
		return asked, err
	}
	turns, earlier := t.Memory(r)
	if earlier, err = i.store.Texts.UnpackLatest(ctx, earlier); err != nil {
		return asked, err
	}
	asked.Turns = turns
	if !r.Guessed(g) {
		asked.Question = r.Given.Question
	}
	asked.Given, earlier = r.WithoutVoice(g, earlier)
	asked.Earlier = slices.DeleteFunc(earlier, func(e plan.Resource) bool {
		return slices.ContainsFunc(asked.Given, func(g plan.Resource) bool { return g.Name == e.Name })
	})
	about := func(g plan.Resource) bool { return !slices.Contains(r.Given.Beside, g.Name) }
	for _, g := range asked.Given {
		if !about(g) {
			asked.Earlier = append(asked.Earlier, g)
		}
	}
	asked.Given = slices.DeleteFunc(slices.Clone(asked.Given), func(g plan.Resource) bool { return !about(g) })
	return asked, nil
}
