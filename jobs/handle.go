package jobs

import (
	"context"
	"errors"
	"fmt"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/quota"
	"atelier/jobs/record"
)

// Handle takes an event of an adapter: it is an [adapters.Handler]. An event for which it
// returns nil is recorded, or is not meant for the bot.
func (j *Jobs) Handle(ctx context.Context, e adapters.Event) error {
	if err := e.Validate(); err != nil {
		return err
	}
	return j.early.event(ctx, e)
}

// handle takes an event whose message is recorded, if it is about one.
func (j *Jobs) handle(ctx context.Context, e adapters.Event) error {
	switch e.Kind {
	case adapters.MessageSent:
		return j.admission.message(ctx, e)
	case adapters.MessageEdited:
		return j.editor.edited(ctx, e)
	case adapters.CommandGiven:
		return j.admission.command(ctx, e)
	case adapters.PictureMarked:
		return j.admission.mark(ctx, e)
	case adapters.ReactionAdded:
		return j.reactions.added(ctx, e)
	case adapters.ReactionRemoved:
		return j.reactions.removed(ctx, e)
	case adapters.CancelAsked:
		in, err := j.stopper.asked(ctx, e)
		if errors.Is(err, errNotTheirs) {
			return j.admission.refuse(ctx, e, in, quota.RefuseStop())
		}
		return err
	}
	return fmt.Errorf("%w: an event of kind %q", adapters.ErrInvalid, e.Kind)
}

// Submit records what a person asks for and enqueues it. The same event is one request,
// however often it arrives. Once Submit has returned, the request will be answered, by this
// process or another.
func (j *Jobs) Submit(ctx context.Context, e adapters.Event, o Options) (id string, err error) {
	return j.admission.new(ctx, e, o)
}

// Choose starts another run of a request, with that choice of the plan of one of its runs, and
// returns the run's number. What both have in common is not done again.
func (j *Jobs) Choose(ctx context.Context, id string, of int, c plan.Choice, by string) (int, error) {
	return j.chooser.choose(ctx, id, of, c, by)
}

// ChooseGuess starts another run of a request, which plans and does a guess of the question that
// one of its runs asked, and returns the run's number. Guesses count from 1.
func (j *Jobs) ChooseGuess(ctx context.Context, id string, of, guess int, by string) (int, error) {
	return j.chooser.chooseGuess(ctx, id, of, guess, by)
}

// Again starts a run of a request that plans and computes everything anew, and returns the run's
// number.
func (j *Jobs) Again(ctx context.Context, id, by string) (int, error) {
	return j.chooser.again(ctx, id, by)
}

// Cancel stops every run of a request that has not ended, for the person of that id; "" is the
// operator. What is done stays done. It fails with [ErrOver] if there was nothing to stop.
func (j *Jobs) Cancel(ctx context.Context, id, by string) error {
	return j.stopper.cancel(ctx, id, record.Halted{Why: record.HaltCancelled, By: by})
}

// Show returns all that is known of a request.
func (j *Jobs) Show(ctx context.Context, id string) (Request, error) {
	return j.viewer.Show(ctx, id)
}

// Requests returns the latest requests, at most n, the latest first. They are for a list: without
// Asked, and without long texts. [Jobs.Show] returns all of one.
func (j *Jobs) Requests(ctx context.Context, n int) ([]Request, error) {
	return j.viewer.Latest(ctx, n)
}

// Wait waits until the run of that number has ended, and returns the request as it is then.
func (j *Jobs) Wait(ctx context.Context, id string, n int) (Request, error) {
	return j.viewer.Wait(ctx, id, n)
}

// Find returns the request and the run that a message belongs to: one of the bot's, or a
// person's that is a request. It fails with [ErrUnknown] if there is none.
func (j *Jobs) Find(ctx context.Context, message adapters.MessageRef) (id string, run int, err error) {
	return j.viewer.Find(ctx, message)
}

// Standing tells what a person's requests in a thread are waiting for, and what is left of the
// quota.
func (j *Jobs) Standing(ctx context.Context, by adapters.Person, in adapters.Thread) (Standing, error) {
	return j.viewer.Standing(ctx, by, in)
}

// Forget deletes everything that is known of a thread: its requests, answers and media. Runs
// that have not ended are stopped, without an answer. It fails with [ErrUnknown] if nothing is
// known.
func (j *Jobs) Forget(ctx context.Context, threadID string) (requests int, err error) {
	return j.forgetter.Forget(ctx, threadID)
}

// Elsewhere are the tools that other processes can run now, each with its candidates: the
// planner searches over them too. They are looked up once in a beat.
func (j *Jobs) Elsewhere(ctx context.Context) (map[string][]plan.Candidate, error) {
	return j.others.Tools(ctx)
}

// Workers are the processes that live, by id.
func (j *Jobs) Workers(ctx context.Context) ([]Worker, error) { return j.workers.List(ctx) }

// Queues are the queues that exist or have workers, by name.
func (j *Jobs) Queues(ctx context.Context) ([]Queue, error) {
	workers, err := j.workers.List(ctx)
	if err != nil {
		return nil, err
	}
	return j.tasks.Statuses(workers)
}

// RetryFailed runs the tasks of a queue that were given up once more, and returns their number.
// What was answered meanwhile is not answered again.
func (j *Jobs) RetryFailed(_ context.Context, name string) (int, error) {
	return j.tasks.RetryFailed(name)
}

// DropFailed deletes the tasks of a queue that were given up, and returns their number.
func (j *Jobs) DropFailed(_ context.Context, name string) (int, error) {
	return j.tasks.DropFailed(name)
}

// Resume enqueues again what the requests that have not ended wait for, and returns their
// number. It is for a process that has the State for itself and whose queues ended with the
// process before it: it is called once, before Run, and before any event is handled.
//
// A request keeps what is left of its time; if its time ran out while no process ran, it gets
// its full time. A request that cannot be read is left as it is, and logged.
func (j *Jobs) Resume(ctx context.Context) (requests int, err error) { return j.recovery.Resume(ctx) }
