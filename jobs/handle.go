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

// Handle handles an event of an adapter; it is an [adapters.Handler]. If it returns nil, the event is
// recorded, or is not meant for the bot.
func (j *Jobs) Handle(ctx context.Context, e adapters.Event) error {
	if err := e.Validate(); err != nil {
		return err
	}
	return j.early.event(ctx, e)
}

// handle handles an event. If the event is about a message of the bot, that message is recorded.
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
	return fmt.Errorf("%w: unknown event kind %q", adapters.ErrInvalid, e.Kind)
}

// Submit records a request and enqueues it. A repeated event is the same request. Once Submit has
// returned, the request will be answered, by this process or another.
func (j *Jobs) Submit(ctx context.Context, e adapters.Event, o Options) (id string, err error) {
	return j.admission.new(ctx, e, o)
}

// Choose starts another run of a request with choice c of the plan of run of, and returns the new run's
// number. Steps that both runs have in common are not run again.
func (j *Jobs) Choose(ctx context.Context, id string, of int, c plan.Choice, by string) (int, error) {
	return j.chooser.choose(ctx, id, of, c, by)
}

// ChooseGuess starts another run of a request, for a guess of the question that run of asked, and returns
// the new run's number. Guesses count from 1.
func (j *Jobs) ChooseGuess(ctx context.Context, id string, of, guess int, by string) (int, error) {
	return j.chooser.chooseGuess(ctx, id, of, guess, by)
}

// Again runs a request again from the beginning, planning included, and returns the run's number.
func (j *Jobs) Again(ctx context.Context, id, by string) (int, error) {
	return j.chooser.again(ctx, id, by)
}

// Cancel stops every active run of a request for the person with id by; "" is the operator. Finished
// steps are kept. It fails with [ErrOver] if there is nothing to stop.
func (j *Jobs) Cancel(ctx context.Context, id, by string) error {
	return j.stopper.cancel(ctx, id, record.Halted{Why: record.HaltCancelled, By: by})
}

// Show returns everything known about a request.
func (j *Jobs) Show(ctx context.Context, id string) (Request, error) {
	return j.viewer.Show(ctx, id)
}

// Requests returns the latest n requests, newest first, for a list: without Asked and without long texts.
// [Jobs.Show] returns a whole request.
func (j *Jobs) Requests(ctx context.Context, n int) ([]Request, error) {
	return j.viewer.Latest(ctx, n)
}

// Wait waits until run n has ended, and returns the request.
func (j *Jobs) Wait(ctx context.Context, id string, n int) (Request, error) {
	return j.viewer.Wait(ctx, id, n)
}

// Find returns the request and the run that a message belongs to: an answer of the bot, or a person's
// request. It fails with [ErrUnknown] if there is none.
func (j *Jobs) Find(ctx context.Context, message adapters.MessageRef) (id string, run int, err error) {
	return j.viewer.Find(ctx, message)
}

// Standing returns the state of a person's requests in a thread, and the remaining quota.
func (j *Jobs) Standing(ctx context.Context, by adapters.Person, in adapters.Thread) (Standing, error) {
	return j.viewer.Standing(ctx, by, in)
}

// Forget deletes everything known about a thread: its requests, answers and media. Active runs are
// stopped without an answer. It fails with [ErrUnknown] if nothing is known.
func (j *Jobs) Forget(ctx context.Context, threadID string) (requests int, err error) {
	return j.forgetter.Forget(ctx, threadID)
}

// Elsewhere returns the tools that other processes can run now, each with its candidates, so that plans
// can use them too. The result is cached for a beat.
func (j *Jobs) Elsewhere(ctx context.Context) (map[string][]plan.Candidate, error) {
	return j.others.Tools(ctx)
}

// Workers returns the live processes, by id.
func (j *Jobs) Workers(ctx context.Context) ([]Worker, error) { return j.workers.List(ctx) }

// Queues returns the queues that exist or have workers, by name.
func (j *Jobs) Queues(ctx context.Context) ([]Queue, error) {
	workers, err := j.workers.List(ctx)
	if err != nil {
		return nil, err
	}
	return j.tasks.Statuses(workers)
}

// RetryFailed retries the archived tasks of a queue and returns their number. Requests that were answered
// meanwhile are not answered again.
func (j *Jobs) RetryFailed(_ context.Context, name string) (int, error) {
	return j.tasks.RetryFailed(name)
}

// DropFailed deletes the archived tasks of a queue and returns their number.
func (j *Jobs) DropFailed(_ context.Context, name string) (int, error) {
	return j.tasks.DropFailed(name)
}

// Resume enqueues the pending tasks of all requests that have not ended, and returns the number of
// requests. It is for a process that does not share State and whose queues were lost with the previous
// process. Call it once, before Run and before any event is handled.
//
// A request keeps its deadline, unless that passed while no process ran: then it gets a new one. A
// request that cannot be read is logged and left as it is.
func (j *Jobs) Resume(ctx context.Context) (requests int, err error) { return j.recovery.Resume(ctx) }
