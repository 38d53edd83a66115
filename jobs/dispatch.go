package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
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
	return f.tasks.Enqueue(ctx, queue.FetchOf(head, 1, r.Asked.Event.Adapter), 0)
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

// beginAside begins a request that does not wait for its turn in the thread.
func (f *flow) beginAside(ctx context.Context, id string) error {
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

// due returns the tasks of a run that can run now, whether they are enqueued already or not. It leaves out the
// first run's fetch, which waits for its turn in the thread (nextInThread), and sending, since a run with an
// answer has only that left.
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
		return []queue.Task{queue.FetchOf(r.ID, run.N, r.Asked.Event.Adapter)}
	case r.NeedsTranscription(g):
		return []queue.Task{{
			Kind: queue.KindAct, Request: r.ID, Generation: run.Generation, Step: record.TranscriptionStep, Queue: f.transcriptionQueue(ctx, r),
		}}
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
	t := queue.Task{Kind: queue.KindAct, Request: r.ID, Generation: generation, Step: step.Key, Turn: g.Turns[step.Key]}
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

var (
	// errStopped ends a handler whose run was stopped.
	errStopped = errors.New("the run was stopped")
	// errPanic means that a stage panicked.
	errPanic = errors.New("the stage panicked")
	// errNoRoom means that State is still full.
	errNoRoom = errors.New("the state cannot be written")
)

// dispatcher passes each task to its stage, and retries or gives up those that fail.
type dispatcher struct {
	store     *record.Store
	state     storage.State
	tasks     *queue.Tasks
	running   *queue.Running
	flow      *flow
	fetcher   *fetcher
	planner   *planner
	actor     *actor
	composer  *composer
	sender    *sender
	deadlines *deadlines
	stopper   *stopper
	metrics   Metrics
	say       sayer
	self      string
	impatient bool
	stuck     chan error
	log       *slog.Logger
}

// leaveFor is how long a task of a newer version is left to processes of that version.
const leaveFor = 30 * time.Second

// run is the handler of every task.
func (d *dispatcher) run(ctx context.Context, delivery queue.Delivery) (err error) {
	began := time.Now()
	w, retried := delivery.Task, delivery.Retried
	log := d.log.With("request", w.Request, "run", w.Run, "generation", w.Generation, "stage", string(w.Kind))
	if retried > 0 && d.tasks.Superseded(w) {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			log.ErrorContext(ctx, "a stage panicked", "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			err = d.failed(ctx, w, fmt.Errorf("%s: %w", w.Kind, errPanic), retried)
		}
		d.metrics.Stage(string(w.Kind), outcome(err), time.Since(began))
	}()
	log.DebugContext(ctx, "stage began", "attempt", w.Attempt, "retried", retried)
	unstopped := ctx
	ctx, end := d.running.Begin(ctx, w)
	defer end()
	if delivery.Unreadable != nil {
		err = d.unreadable(ctx, w, delivery.Unreadable)
	} else {
		err = d.attempt(ctx, w, retried)
	}
	if w.Kind == queue.KindCompose && errors.Is(context.Cause(ctx), errStopped) { // the answer says that the run was stopped
		err = d.stage(unstopped, w)
	}
	if errors.Is(err, record.ErrUnknown) {
		err = nil // the thread was forgotten
	}
	if err == nil {
		log.DebugContext(ctx, "stage done", "took", time.Since(began))
		return nil
	}
	switch {
	case queue.Waiting(err):
		log.DebugContext(ctx, "stage waits", "after", queue.Delay(err), "why", plan.ForOperator(err))
		return err
	case queue.GivenUp(err):
		return err
	case errors.Is(context.Cause(ctx), errStopped):
		return d.handOn(unstopped, w)
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = errors.Join(err, d.release(ctx, w))
		log.DebugContext(ctx, "stage ends with its process", "why", plan.ForOperator(err))
		return queue.Wait(0, err) // another process takes over at once
	case errors.Is(err, record.ErrLater):
		log.WarnContext(ctx, "left to a newer version of the program", "error", plan.ForOperator(err))
		return queue.Wait(leaveFor, err)
	}
	why := plan.ForOperator(err)
	if w.Kind == queue.KindSend {
		why = record.ForOperator(err)
	}
	log.WarnContext(ctx, "stage failed", "retried", retried, "error", why)
	return d.failed(ctx, w, err, retried)
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "done"
	case queue.Waiting(err):
		return "waiting"
	case queue.GivenUp(err):
		return "failed"
	}
	return "again"
}

// attempt runs a task. A task with no retries left that could not even be given up, because State was
// full, is run only if State can be written again: models and tools cost money.
func (d *dispatcher) attempt(ctx context.Context, w queue.Task, retried int) error {
	if retried > queue.Allowed(w.Kind).Retries && w.Kind != queue.KindSend {
		if err := d.state.Put(ctx, record.RequestGroup(w.Request)+"/room", []byte{'?'}, time.Minute); err != nil {
			return fmt.Errorf("%w: %w", errNoRoom, err)
		}
	}
	return d.stage(ctx, w)
}

// stage runs a task in its stage.
func (d *dispatcher) stage(ctx context.Context, w queue.Task) error {
	switch w.Kind {
	case queue.KindFetch:
		return d.fetcher.run(ctx, w)
	case queue.KindPlan:
		return d.planner.run(ctx, w)
	case queue.KindAct, queue.KindWrite:
		return d.actor.run(ctx, w)
	case queue.KindCompose:
		return d.composer.run(ctx, w)
	case queue.KindSend:
		return d.sender.run(ctx, w)
	case queue.KindDeadline:
		return d.deadlines.run(ctx, w)
	}
	return fmt.Errorf("unknown stage %q", w.Kind)
}

// handOn enqueues what a stopped stage would have enqueued, such as the answer about the stop.
func (d *dispatcher) handOn(ctx context.Context, w queue.Task) error {
	r, err := d.store.Request(ctx, w.Request)
	if err != nil {
		return record.IgnoreUnknown(err)
	}
	return d.flow.advance(ctx, r)
}

// release records that a step has no result because its process is shutting down, so that the crash is
// not blamed on the step.
func (d *dispatcher) release(ctx context.Context, w queue.Task) error {
	if w.Kind != queue.KindAct && w.Kind != queue.KindWrite {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer stop()
	_, err := d.store.Logs.Append(ctx, record.RequestLog(w.Request), record.Entry{
		Released: &record.StepTurn{Generation: w.Generation, Step: w.Step, Worker: d.self, Turn: w.Turn},
	})
	return err
}

// unreadable handles a task with a payload of another version. A newer version is left to a process of
// that version. One that is too old ends its request, unless that is answered already.
func (d *dispatcher) unreadable(ctx context.Context, w queue.Task, err error) error {
	d.log.WarnContext(ctx, "a task cannot be read", "request", w.Request, "stage", string(w.Kind), "error", plan.ForOperator(err))
	switch {
	case errors.Is(err, record.ErrLater):
		return err
	case w.Request == "":
		return queue.GiveUp(err)
	case w.Kind == queue.KindFetch, w.Kind == queue.KindPlan, w.Kind == queue.KindAct, w.Kind == queue.KindWrite:
		problem, e := d.told(ctx, w.Request, record.FaultOf(err), record.FaultOf(err))
		if e != nil {
			return e
		}
		return ignoreOver(d.stopper.cancel(ctx, w.Request, record.Halted{Why: record.Broken, Problem: problem, Cause: plan.ForOperator(err)}))
	}
	return d.stage(ctx, w)
}

// failed retries a failed task, or gives it up with an answer that says why. If that cannot be recorded
// either, the task is retried: none is archived without an answer.
func (d *dispatcher) failed(ctx context.Context, w queue.Task, err error, retried int) error {
	goesOn := retried < queue.Allowed(w.Kind).Retries || w.Kind == queue.KindSend && !errors.Is(err, errPanic) || errors.Is(err, errNoRoom)
	if goesOn && !d.hopeless(w, err) {
		return err
	}
	giveUp, stop := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer stop()
	if e := record.IgnoreUnknown(d.giveUp(giveUp, w, err)); e != nil {
		if d.impatient {
			select {
			case d.stuck <- errors.Join(err, e):
			default: // an error was reported already
			}
		}
		return errors.Join(err, e)
	}
	if _, told := errors.AsType[*plan.Fault](err); told && w.Kind == queue.KindFetch {
		return nil // the input was unusable and the person was told: this is no failed task
	}
	return queue.GiveUp(err)
}

// hopeless reports whether retrying cannot help. For sending, only the platform's error tells.
func (d *dispatcher) hopeless(w queue.Task, err error) bool {
	switch {
	case d.impatient:
		return true
	case w.Kind == queue.KindDeadline:
		return false
	case w.Kind == queue.KindSend:
		return adapters.Final(err)
	case queue.Passing(err), errors.Is(err, context.DeadlineExceeded):
		return false
	case adapters.Final(err), plan.Final(err), errors.Is(err, record.ErrVersion):
		return true
	}
	var fault *plan.Fault
	return errors.As(err, &fault) && !errors.Is(err, ErrPassing)
}

// giveUp gives up a task: if an answer cannot be sent, its run ends; any other task is answered with a
// failure.
func (d *dispatcher) giveUp(ctx context.Context, w queue.Task, err error) error {
	if w.Kind == queue.KindDeadline { // only in an impatient process
		return nil
	}
	sentence, operator := plan.Sentence(err, record.FaultOf(err)), plan.OperatorSentence(err, record.FaultOf(err))
	if own, ok := errors.AsType[*adapters.Fault](err); ok && w.Kind == queue.KindSend {
		sentence = plan.Message{Format: own.Sentence, Args: own.Args}
		operator = sentence
	}
	problem, e := d.told(ctx, w.Request, sentence, operator)
	if e != nil {
		return e
	}
	switch w.Kind {
	case queue.KindSend:
		r, err := d.store.Request(ctx, w.Request)
		if err != nil {
			return err
		}
		return d.sender.finish(ctx, r, w.Run, &record.Sent{Problem: problem})
	case queue.KindAct, queue.KindWrite:
		return d.actor.fail(ctx, w, problem, err)
	default:
	}
	h := record.Halted{Why: record.Broken, Problem: problem, Cause: plan.ForOperator(err)}
	if vain, ok := errors.AsType[*plan.UnfinishedError](err); ok {
		h.Thinking = vain.Thinking
	}
	if w.Kind == queue.KindCompose { // halt would enqueue this very task
		if _, err := d.store.Write(ctx, w.Request, record.Entry{Run: w.Run, Halted: &h}); err != nil {
			return err
		}
		return d.composer.run(ctx, w) // without a model
	}
	return d.stopper.halt(ctx, w.Request, max(w.Run, 1), h)
}

// told translates a sentence into the language of a request, or into English if that is unknown.
func (d *dispatcher) told(ctx context.Context, id string, m, operator plan.Message) (string, error) {
	r, err := d.store.Request(ctx, id)
	switch {
	case errors.Is(err, record.ErrUnknown):
		return m.String(), nil
	case err != nil:
		return "", err
	}
	if r.Asked.Options.Operator {
		m = operator
	}
	return d.say(r, m), nil
}

// deadlines closes runs that exceed their deadline.
type deadlines struct {
	store    *record.Store
	tasks    *queue.Tasks
	flow     *flow
	composer *composer
	stopper  *stopper
	deadline time.Duration
}

// run closes a run that exceeds its deadline, so that every message gets an answer even if its tasks
// are lost.
func (x *deadlines) run(ctx context.Context, w queue.Task) error {
	r, err := x.store.Request(ctx, w.Request)
	if errors.Is(err, record.ErrUnknown) {
		return nil // the thread was forgotten
	}
	if err != nil {
		return err
	}
	run := r.Run(w.Run)
	if run == nil || run.Over {
		return nil
	}
	later := queue.Wait(min(max(x.deadline/20, 100*time.Millisecond), time.Minute), fmt.Errorf("the deadline of run %d", w.Run))
	hasTime, err := x.store.HasTime(ctx, r.ID, run.N)
	switch {
	case err != nil:
		return err
	case hasTime:
		return later
	}
	waits := false
	if run.N == 1 { // only a first run waits for its turn
		if waits, err = x.waits(ctx, r); err != nil {
			return err
		}
	}
	switch {
	case waits: // for an earlier request, which has its own deadline
		err = x.flow.nextInThread(ctx, record.ThreadID(r.Asked.Event.Thread))
	case run.Active():
		err = x.stopper.halt(ctx, r.ID, run.N, record.Halted{Why: record.HaltOverdue})
	case run.Answer == nil:
		a, e := x.composer.answer(ctx, r, run) // the run is halted, so no model is called
		if e == nil {
			e = x.composer.record(ctx, r, run.N, a)
		}
		err = e
	default: // only sending is left, which is retried until the platform is back
		err = x.tasks.Revive(ctx, queue.SendOf(r.ID, run.N, r.Asked.Event.Thread.Adapter))
	}
	if err != nil {
		return err
	}
	return later
}

// waits reports whether the request still waits for its turn in its thread.
func (x *deadlines) waits(ctx context.Context, r *record.Request) (bool, error) {
	if r.Given != nil || r.Asked.Aside() || !r.Runs[0].Active() {
		return false, nil
	}
	t, err := x.store.Thread(ctx, record.ThreadID(r.Asked.Event.Thread))
	if err != nil {
		return false, err
	}
	head := t.Head()
	return head != "" && head != r.ID, nil
}
