package jobs

import (
	"context"

	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// advance hands over everything of a request that is ready to be done. It is called after
// each entry that may make something ready; what was handed over before is not again.
func (j *Jobs) advance(ctx context.Context, r *record.Request) error {
	for _, run := range r.Runs {
		if run.Over || run.Answer != nil {
			continue
		}
		for _, t := range j.due(ctx, r, run) {
			if err := j.pass(ctx, r.ID, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// due are the tasks of a run that can be done now.
func (j *Jobs) due(ctx context.Context, r *record.Request, run *record.Run) []queue.Task {
	g := r.Generations[run.Generation]
	t := queue.Task{Request: r.ID, Run: run.N, Queue: queue.Plan}
	switch {
	case run.Answerable(g.Plan) || g.Plan != nil && run.N == 1 && r.Asked.Options.PlanOnly:
		t.Kind = queue.KindCompose
		return []queue.Task{t}
	case g.Plan == nil && run.N == 1 && r.Asked.Event.Command != nil:
		t.Kind = queue.KindPlan // nothing is given with it
		return []queue.Task{t}
	case r.Given == nil && run.N == 1:
		return nil // the thread sees to it
	case r.Given == nil:
		t.Kind, t.Queue = queue.KindFetch, queue.OfAdapter(r.Asked.Event.Adapter)
		return []queue.Task{t}
	case r.NeedsTranscription(g):
		return []queue.Task{{Kind: queue.KindAct, Request: r.ID, Run: run.Generation, Step: record.TranscriptionStep, Queue: j.listening(ctx, r)}}
	case g.Plan == nil:
		t.Kind = queue.KindPlan
		return []queue.Task{t}
	}
	var tasks []queue.Task
	steps := run.Route.Steps()
	for _, at := range run.Route.Ready() {
		tasks = append(tasks, j.stepTask(ctx, r, run.Generation, steps[at]))
	}
	return tasks
}

// stepTask is what is to be done next for a step: to run it, or to write the program that it runs.
func (j *Jobs) stepTask(ctx context.Context, r *record.Request, generation int, step plan.Step) queue.Task {
	g := r.Generations[generation]
	t := queue.Task{Kind: queue.KindAct, Request: r.ID, Run: generation, Step: step.Key, Turn: g.Turns[step.Key]}
	if w, ok := j.config.Agent.(Writer); ok && w.Writes(step.Action) && r.LastProgram(step.Key) == "" {
		drafts := g.Drafts[step.Key]
		if t.Draft = len(drafts); t.Draft == 0 || drafts[t.Draft-1].Trouble != nil {
			t.Kind, t.Queue, t.Draft = queue.KindWrite, queue.Plan, t.Draft+1
			return t
		}
	}
	t.Queue = j.queueFor(ctx, step.Action)
	return t
}

// queueFor is where an action is done.
func (j *Jobs) queueFor(ctx context.Context, a plan.Action) string {
	if j.config.Agent == nil {
		return queue.CPU // a worker that lacks the tool hands it on
	}
	return queue.OfDevice(j.config.Agent.Device(ctx, a))
}

// pass hands a task over once.
func (j *Jobs) pass(ctx context.Context, request string, t queue.Task) error {
	key := record.RequestLog(request)
	if !j.store.Logs.MarkQueued(key, t.ID()) {
		return nil
	}
	if err := j.tasks.Enqueue(ctx, t, 0); err != nil {
		j.store.Logs.UnmarkQueued(key, t.ID())
		return err
	}
	return nil
}

// hint tells those who watch a request that something was written. It is no more than a
// hint: what was written stands, whoever hears of it.
func (j *Jobs) hint(ctx context.Context, r *record.Request) {
	j.hints.Written(ctx, r.Asked.Event.Thread.Adapter, r.ID)
}
