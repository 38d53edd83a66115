package jobs

import (
	"context"
	"errors"
	"time"

	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// flow enqueues the stages of requests as they become ready.
type flow struct {
	store    *record.Store
	hints    *queue.Hints
	tasks    *queue.Tasks
	agent    Agent
	deadline time.Duration
}

// nextInThread begins the thread's next request, if one is queued.
func (f *flow) nextInThread(ctx context.Context, id string) error {
	t, err := f.store.Thread(ctx, id)
	if err != nil {
		return err
	}
	return f.beginNext(ctx, t)
}

func (f *flow) beginNext(ctx context.Context, t *record.Thread) (err error) {
	id, head := t.ID, t.Head()
	if head == "" || !f.store.Logs.MarkQueued(record.ThreadLog(id), head) {
		return nil
	}
	defer func() {
		if err != nil {
			f.store.Logs.UnmarkQueued(record.ThreadLog(id), head)
		}
	}()
	r, err := f.store.Request(ctx, head)
	if errors.Is(err, record.ErrUnknown) { // expired, or being forgotten
		t, err := f.store.WriteThread(ctx, id, record.Entry{Left: &record.Left{Request: head, Run: 1}})
		if err != nil {
			return err
		}
		return f.beginNext(ctx, t)
	}
	if err != nil {
		return err
	}
	if err := f.beginTurn(ctx, r); err != nil {
		return err
	}
	return f.tasks.Enqueue(ctx, queue.Task{Kind: queue.KindFetch, Request: head, Run: 1, Queue: queue.OfAdapter(r.Asked.Event.Adapter)}, 0)
}

// beginTurn sets the deadline of a request whose turn has come, once among all processes. The task of the
// deadline is enqueued again, since the first attempt may have been interrupted.
func (f *flow) beginTurn(ctx context.Context, r *record.Request) error {
	if r.Given == nil {
		if err := f.store.BeginTurn(ctx, r.ID); err != nil {
			return err
		}
	}
	return f.tasks.Enqueue(ctx, queue.DeadlineOf(r.ID, 1), f.deadline)
}

// begin begins a request whose turn has come.
func (f *flow) begin(ctx context.Context, id string) error {
	r, err := f.store.Request(ctx, id)
	if err != nil {
		return err
	}
	return f.advance(ctx, r)
}

// advance enqueues every task of a request that is ready. It is called after each entry that may make a
// task ready. No task is enqueued twice.
func (f *flow) advance(ctx context.Context, r *record.Request) error {
	for _, run := range r.Runs {
		if run.Over || run.Answer != nil {
			continue
		}
		for _, t := range f.due(ctx, r, run) {
			if err := f.pass(ctx, r.ID, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// due returns the tasks of a run that can run now.
func (f *flow) due(ctx context.Context, r *record.Request, run *record.Run) []queue.Task {
	g := r.Generations[run.Generation]
	t := queue.Task{Request: r.ID, Run: run.N, Queue: queue.Plan}
	switch {
	case run.Answerable(g.Plan) || g.Plan != nil && run.N == 1 && r.Asked.Options.PlanOnly:
		t.Kind = queue.KindCompose
		return []queue.Task{t}
	case g.Plan == nil && run.N == 1 && r.Asked.Event.Command != nil:
		t.Kind = queue.KindPlan // no files to fetch
		return []queue.Task{t}
	case r.Given == nil && run.N == 1:
		return nil // nextInThread begins it
	case r.Given == nil:
		t.Kind, t.Queue = queue.KindFetch, queue.OfAdapter(r.Asked.Event.Adapter)
		return []queue.Task{t}
	case r.NeedsTranscription(g):
		return []queue.Task{{Kind: queue.KindAct, Request: r.ID, Run: run.Generation, Step: record.TranscriptionStep, Queue: f.transcriptionQueue(ctx, r)}}
	case g.Plan == nil:
		t.Kind = queue.KindPlan
		return []queue.Task{t}
	}
	var tasks []queue.Task
	steps := run.Route.Steps()
	for _, at := range run.Route.Ready() {
		tasks = append(tasks, f.stepTask(ctx, r, run.Generation, steps[at]))
	}
	return tasks
}

// stepTask returns the next task of a step: running it, or writing its program.
func (f *flow) stepTask(ctx context.Context, r *record.Request, generation int, step plan.Step) queue.Task {
	g := r.Generations[generation]
	t := queue.Task{Kind: queue.KindAct, Request: r.ID, Run: generation, Step: step.Key, Turn: g.Turns[step.Key]}
	if w, ok := f.agent.(Writer); ok && w.Writes(step.Action) && r.LastProgram(step.Key) == "" {
		drafts := g.Drafts[step.Key]
		if t.Draft = len(drafts); t.Draft == 0 || drafts[t.Draft-1].Trouble != nil {
			t.Kind, t.Queue, t.Draft = queue.KindWrite, queue.Plan, t.Draft+1
			return t
		}
	}
	t.Queue = f.queueFor(ctx, step.Action)
	return t
}

// queueFor returns the queue for an action.
func (f *flow) queueFor(ctx context.Context, a plan.Action) string {
	if f.agent == nil {
		return queue.CPU // a worker that lacks the tool passes it on
	}
	return queue.OfDevice(f.agent.Device(ctx, a))
}

// transcriptionQueue returns the queue for transcribing a voice message.
func (f *flow) transcriptionQueue(ctx context.Context, r *record.Request) string {
	if f.agent != nil {
		if a, ok := f.agent.Hears(ctx, *r.Voice()); ok {
			return f.queueFor(ctx, a)
		}
	}
	return queue.CPU
}

// pass enqueues a task once.
func (f *flow) pass(ctx context.Context, request string, t queue.Task) error {
	key := record.RequestLog(request)
	if !f.store.Logs.MarkQueued(key, t.ID()) {
		return nil
	}
	if err := f.tasks.Enqueue(ctx, t, 0); err != nil {
		f.store.Logs.UnmarkQueued(key, t.ID())
		return err
	}
	return nil
}

// written hints that a request has a new entry.
func (f *flow) written(ctx context.Context, r *record.Request) {
	f.hints.Written(ctx, r.Asked.Event.Thread.Adapter, r.ID)
}
