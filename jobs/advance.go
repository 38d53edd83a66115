package jobs

import (
	"context"

	"atelier/agent/plan"
)

// advance hands over everything of a request that is ready to be done. It is called after
// each entry that may make something ready; what was handed over before is not again.
func (j *Jobs) advance(ctx context.Context, r *request) error {
	for _, run := range r.runs {
		if run.over || run.answer != nil {
			continue
		}
		for _, t := range j.due(ctx, r, run) {
			if err := j.pass(ctx, r.id, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// due are the tasks of a run that can be done now.
func (j *Jobs) due(ctx context.Context, r *request, run *run) []task {
	g := r.generations[run.generation]
	t := task{Request: r.id, Run: run.n, queue: QueuePlan}
	switch {
	case run.settled(g.plan) || g.plan != nil && run.n == 1 && r.asked.Options.PlanOnly:
		t.Kind = kindCompose
		return []task{t}
	case g.plan == nil && run.n == 1 && r.asked.Event.Command != nil:
		t.Kind = kindPlan // nothing is given with it
		return []task{t}
	case r.given == nil && run.n == 1:
		return nil // the thread sees to it
	case r.given == nil:
		t.Kind, t.queue = kindFetch, gatewayQueue(r.asked.Event.Adapter)
		return []task{t}
	case r.deaf(g):
		return []task{{Kind: kindAct, Request: r.id, Run: run.generation, Step: hearing, queue: j.listening(ctx, r)}}
	case g.plan == nil:
		t.Kind = kindPlan
		return []task{t}
	}
	var tasks []task
	steps := run.route.Steps()
	for _, at := range run.route.Ready() {
		tasks = append(tasks, j.stepTask(ctx, r, run.generation, steps[at]))
	}
	return tasks
}

// stepTask is what is to be done next for a step: to run it, or to write the program that it runs.
func (j *Jobs) stepTask(ctx context.Context, r *request, generation int, step plan.Step) task {
	g := r.generations[generation]
	t := task{Kind: kindAct, Request: r.id, Run: generation, Step: step.Key, Turn: g.turns[step.Key]}
	if w, ok := j.config.Agent.(Writer); ok && w.Writes(step.Action) && r.program(step.Key) == "" {
		drafts := g.drafts[step.Key]
		if t.Draft = len(drafts); t.Draft == 0 || drafts[t.Draft-1].Trouble != nil {
			t.Kind, t.queue, t.Draft = kindWrite, QueuePlan, t.Draft+1
			return t
		}
	}
	t.queue = j.queueFor(ctx, step.Action)
	return t
}

// queueFor is where an action is done.
func (j *Jobs) queueFor(ctx context.Context, a plan.Action) string {
	if j.config.Agent == nil {
		return QueueCPU // a worker that lacks the tool hands it on
	}
	return queueOf(j.config.Agent.Device(ctx, a))
}

// pass hands a task over once.
func (j *Jobs) pass(ctx context.Context, request string, t task) error {
	key := requestLog(request)
	if !j.logs.queue(key, t.id()) {
		return nil
	}
	if err := j.enqueue(ctx, t, 0); err != nil {
		j.logs.unqueue(key, t.id())
		return err
	}
	return nil
}

// hint tells those who watch a request that something was written. It is no more than a
// hint: what was written stands, whoever hears of it.
func (j *Jobs) hint(ctx context.Context, r *request) {
	if err := j.config.State.Publish(ctx, progressTopic(r.asked.Event.Thread.Adapter), []byte(r.id)); err != nil {
		j.log.DebugContext(ctx, "a hint was not given", "request", r.id, "error", plan.ForOperator(err))
	}
}

// progressTopic is where hints about the requests of an adapter's threads are heard.
func progressTopic(adapter string) string { return "progress-" + adapter }
