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
	log := d.log.With("request", w.Request, "run", w.Run, "stage", string(w.Kind))
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
	if w.Kind == queue.KindCompose && errors.Is(context.Cause(ctx), errStopped) { // another task writes the answer, without a model
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
		Released: &record.Started{Generation: w.Run, Step: w.Step, Worker: d.self, Turn: w.Turn},
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
		problem, err := d.told(ctx, w.Request, record.FaultOf(err), record.FaultOf(err))
		if err != nil {
			return err
		}
		return ignoreOver(d.stopper.cancel(ctx, w.Request, record.Halted{Why: record.Broken, Problem: problem}))
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
		return d.actor.fail(ctx, w, problem)
	default:
	}
	h := record.Halted{Why: record.Broken, Problem: problem}
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
