package ask

import (
	"context"
	"errors"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/adapters/terminal"
	"atelier/agent"
	"atelier/agent/plan"
	"atelier/bot/conversation"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// desk runs the requests of one call: with jobs in this process on its own queues, as a server does,
// but without waiting for other processes.
type desk struct {
	thread   *conversation.Thread
	terminal *terminal.Terminal
	jobs     *jobs.Jobs

	asked string // the current request
	stop  context.CancelFunc
	ended chan struct{}
	err   error // why the work ended, once it has
}

const (
	// deskCheck is the workers' polling interval. They run only for a moment.
	deskCheck = 4 * time.Millisecond
	// deskDeadline ends abandoned requests. A person who waits can stop a request at any time.
	deskDeadline = 24 * time.Hour
	// stopWithin is the timeout of recording that a request was stopped.
	stopWithin = 10 * time.Second
)

// openDesk starts to work on the conversation. Requests left over from an earlier call are stopped,
// since that call has ended. The caller must close the desk.
func openDesk(ctx context.Context, t *conversation.Thread, w workshop.Workshop, thinks agent.Config, report func(adapters.Progress)) (*desk, error) {
	d := &desk{thread: t, terminal: terminal.New(terminal.Config{Progress: report}), ended: make(chan struct{})}
	w.Check, w.Deadline = deskCheck, deskDeadline
	var err error
	d.jobs, err = w.Jobs(ctx, t.Place, thinks, jobs.Config{
		Adapters: []adapters.Adapter{d.terminal}, Name: "ask", Impatient: true,
		Pools: []jobs.Pool{
			{Queues: map[string]int{jobs.QueuePlan: 1, jobs.QueueGateway: 1}, Concurrency: 2},
			{Queues: map[string]int{jobs.QueueCPU: 1}, Concurrency: w.Parallel},
			{Queues: map[string]int{jobs.QueueGPU: 1}, Concurrency: workshop.GPUAtOnce},
			{Queues: map[string]int{jobs.QueueProgram: 1}, Concurrency: workshop.ProgramsAtOnce},
		},
	})
	if err != nil {
		return nil, err
	}
	left, err := d.jobs.Resume(ctx)
	if err == nil && left > 0 {
		err = d.cancelAll(ctx)
	}
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.stop = stop
	go func() {
		defer close(d.ended)
		d.err = d.jobs.Run(running)
	}()
	return d, nil
}

// cancelAll stops every request that has not ended.
func (d *desk) cancelAll(ctx context.Context) error {
	requests, err := d.jobs.Requests(ctx, lookBack)
	if err != nil {
		return err
	}
	for _, r := range requests {
		if err := d.cancel(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// cancel stops all unfinished runs of a request.
func (d *desk) cancel(ctx context.Context, id string) error {
	err := d.jobs.Cancel(ctx, id, terminal.Person)
	if errors.Is(err, jobs.ErrOver) || errors.Is(err, jobs.ErrUnknown) {
		return nil
	}
	return err
}

// close ends the work. If it failed, the rest of the request is stopped, so that it does not continue
// during the next call.
func (d *desk) close(ctx context.Context, failed error) error {
	if failed != nil && d.asked != "" && !d.over() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer stop()
		err := d.cancel(ctx, d.asked)
		if err == nil {
			err = d.waitAll(ctx)
		}
		if errors.Is(err, jobs.ErrUnknown) { // it was not even recorded
			err = nil
		}
		failed = errors.Join(failed, err)
	}
	d.stop()
	<-d.ended
	if errors.Is(failed, d.err) { // already reported, or both nil
		return failed
	}
	return errors.Join(failed, d.err)
}

// over reports whether the work has ended.
func (d *desk) over() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

// waitAll waits until every run of the request is over.
func (d *desk) waitAll(ctx context.Context) error {
	r, err := d.jobs.Show(ctx, d.asked)
	if err != nil {
		return err
	}
	for _, run := range r.Runs {
		if _, err := d.wait(ctx, run.N); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for a run of the request to end, or for the work to end.
func (d *desk) wait(ctx context.Context, n int) (jobs.Request, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-d.ended:
			stop()
		case <-ctx.Done():
		}
	}()
	r, err := d.jobs.Wait(ctx, d.asked, n)
	if err != nil && d.over() && d.err != nil {
		err = d.err
	}
	return r, err
}

// submit submits a request and waits for its outcome.
func (d *desk) submit(ctx context.Context, e adapters.Event, o jobs.Options) (planned, error) {
	d.asked = jobs.RequestID(e)
	if _, err := d.jobs.Submit(ctx, e, o); err != nil {
		return planned{}, err
	}
	return d.outcome(ctx, 1)
}

// choose runs a solution of a plan.
func (d *desk) choose(ctx context.Context, p planned, c plan.Choice) (jobs.Run, error) {
	d.asked = p.request
	n, err := d.jobs.Choose(ctx, p.request, p.run.N, c, terminal.Person)
	if err != nil {
		return jobs.Run{}, err
	}
	o, err := d.outcome(ctx, n)
	return o.run, err
}

// chooseGuess runs a guess, by its number from 1.
func (d *desk) chooseGuess(ctx context.Context, p planned, guess int) (planned, error) {
	d.asked = p.request
	n, err := d.jobs.ChooseGuess(ctx, p.request, p.run.N, guess, terminal.Person)
	if err != nil {
		return planned{}, err
	}
	chosen, err := d.outcome(ctx, n)
	chosen.thinking.Jobs = slices.Concat(p.thinking.Jobs, chosen.thinking.Jobs)
	return chosen, err
}

// outcome waits for a run. A run that broke down is returned as an error that holds the model
// usage.
func (d *desk) outcome(ctx context.Context, n int) (planned, error) {
	r, err := d.wait(ctx, n)
	if err != nil {
		return planned{}, err
	}
	run := r.Runs[n-1]
	switch {
	case run.Answer == nil:
		return planned{}, errors.New("the request has no answer")
	case run.Stopped == jobs.Broken:
		return planned{}, &plan.UnfinishedError{Thinking: run.Answer.Thinking, Err: &plan.Fault{Sentence: plan.Quote(run.Answer.Reply.Text)}}
	}
	return newPlanned(r, run), nil
}
