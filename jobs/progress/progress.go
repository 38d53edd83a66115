package progress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// Display shows the progress of requests in their threads.
type Display struct {
	Store   *record.Store
	State   storage.State
	Hints   *queue.Hints
	Workers *queue.Workers
	Say     func(r *record.Request, m plan.Message) string
	// Steps describes what each step of a run makes, or has made.
	Steps func(run *record.Run) []plan.Message
	// Release handles the events about a message that were held back until it is recorded.
	Release   func(ctx context.Context, ref adapters.MessageRef) error
	Self      string
	Retention time.Duration
	Retry     func(retries int) time.Duration
	Log       *slog.Logger
}

// watches maps each watched request to a channel that signals a change.
type watches struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

// Run shows the progress of requests in an adapter's threads until ctx ends.
func (o *Display) Run(ctx context.Context, adapter string, reporter adapters.Reporter) {
	w := &watches{open: map[string]chan struct{}{}}
	var watching sync.WaitGroup
	o.Hints.Follow(ctx, queue.Progress(adapter), func(hint []byte) {
		if hint == nil { // hints were missed: wake all watches
			w.wakeAll()
			return
		}
		if changed, begun := w.wake(string(hint)); begun {
			watching.Go(func() { o.watch(ctx, string(hint), reporter, w, changed) })
		}
	})
	watching.Wait()
}

// ShownAt returns the progress message of a run; zero if there is none.
func (o *Display) ShownAt(ctx context.Context, id string, run int) (adapters.MessageRef, error) {
	c, err := o.readClaim(ctx, id, run)
	return c.Ref, err
}

// message is the progress message of a run as this process knows it.
type message struct {
	claim claim
	mine  bool
	ended bool
}

// lateReports is how many times the last update of a run is tried after its answer.
const lateReports = 5

// watch updates the messages of a request until none of its runs is active.
func (o *Display) watch(ctx context.Context, id string, reporter adapters.Reporter, w *watches, changed chan struct{}) {
	shown := map[int]*message{}
	failures, late := 0, 0 // failures in a row, and failures after the end
	again := after(o.showTyping(ctx, id, reporter))
	for {
		select {
		case <-changed:
		case <-again:
			again = after(o.showTyping(ctx, id, reporter))
			continue
		case <-ctx.Done():
			return
		}
		if sleep.For(ctx, reporter.Pace()) != nil { // a run that ends by then needs no message
			return
		}
		more, err := o.update(ctx, id, reporter, shown)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failures = 0
		default:
			o.Log.WarnContext(ctx, "cannot show progress", "request", id, "error", plan.ForOperator(err))
			if !more {
				late++
			}
			if late >= lateReports { // the answer is posted, so the update is optional
				w.drop(id)
				o.endTyping(ctx, id, reporter)
				return
			}
			if sleep.For(ctx, max(adapters.Wait(err), min(o.Retry(failures), time.Minute))) != nil {
				return
			}
			failures++
			signal(changed)
		}
		if !more && w.close(id) {
			o.endTyping(ctx, id, reporter)
			return
		}
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is pending
	}
}

// after is [time.After], but 0 never fires.
func after(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return time.After(d)
}

// showTyping shows the typing indicator while a request is active, and returns when to show it again; 0 means
// never. For commands the platform shows it itself.
func (o *Display) showTyping(ctx context.Context, id string, reporter adapters.Reporter) (again time.Duration) {
	typer, ok := reporter.(adapters.Typer)
	if !ok {
		return 0
	}
	r, err := o.Store.Request(ctx, id)
	if err == nil {
		if r.Asked.Event.Command != nil || !slices.ContainsFunc(r.Runs, (*record.Run).Active) {
			return 0
		}
		again, err = typer.Typing(ctx, r.Asked.Event.Thread, r.Language())
	}
	if record.IgnoreUnknown(err) != nil && ctx.Err() == nil {
		o.Log.DebugContext(ctx, "cannot show the typing indicator", "request", id, "error", plan.ForOperator(err))
	}
	return again
}

// endTyping removes the typing indicator of a request that may have ended without a message, unless the thread has other
// requests.
func (o *Display) endTyping(ctx context.Context, id string, reporter adapters.Reporter) {
	ender, ok := reporter.(adapters.TypingEnder)
	if !ok {
		return
	}
	r, err := o.Store.Request(ctx, id)
	if err == nil {
		var t *record.Thread
		t, err = o.Store.Thread(ctx, record.ThreadID(r.Asked.Event.Thread))
		if err == nil && !slices.ContainsFunc(t.Line, func(p *record.Place) bool { return !p.Left && p.Request != id }) {
			err = ender.EndTyping(ctx, r.Asked.Event.Thread)
		}
	}
	if record.IgnoreUnknown(err) != nil && ctx.Err() == nil {
		o.Log.DebugContext(ctx, "cannot end the typing indicator", "request", id, "error", plan.ForOperator(err))
	}
}

// update updates the progress messages of a request. It reports whether any run still has no answer.
func (o *Display) update(ctx context.Context, id string, reporter adapters.Reporter, shown map[int]*message) (more bool, err error) {
	r, err := o.Store.Request(ctx, id)
	if err != nil {
		return !errors.Is(err, record.ErrUnknown), record.IgnoreUnknown(err)
	}
	more = slices.ContainsFunc(r.Runs, func(run *record.Run) bool { return run.Answer == nil && !run.Over })
	for _, run := range r.Runs {
		m := shown[run.N]
		if m == nil {
			m = &message{}
			shown[run.N] = m
		}
		ended := run.Answer != nil || run.Over
		switch {
		case m.ended:
			continue
		case !m.mine && (ended || r.Given == nil || r.Asked.Options.PlanOnly && run.N == 1):
			m.ended = ended // it has no message, or another process edits it
			continue
		case !m.mine:
			if m.claim, m.mine, err = o.claimMessage(ctx, id, run.N); err != nil {
				return more, err
			}
			if !m.mine {
				continue
			}
		}
		if err := o.report(ctx, r, run, m, reporter); err != nil {
			return more, err
		}
	}
	return more, nil
}

// report shows the progress of a run in its message.
func (o *Display) report(ctx context.Context, r *record.Request, run *record.Run, m *message, reporter adapters.Reporter) error {
	ended := run.Answer != nil || run.Over
	p := o.describe(r, run, ended)
	if err := o.tellProgress(ctx, r, run.Generation, &p); err != nil {
		return err
	}
	ref, err := reporter.Report(ctx, record.Hash(fmt.Sprintf("progress %s %d", r.ID, run.N)), m.claim.Ref, p)
	if err != nil && adapters.Final(err) {
		gone := m.claim.Ref.IsZero() || errors.Is(err, adapters.ErrGone) // deleted by a person: do not post it again
		if ended && !gone {
			if err := remove(ctx, reporter, m.claim.Ref); err != nil {
				return err
			}
		}
		m.ended = ended || gone
		return nil
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if m.claim.Ref.IsZero() {
		posted := m.claim // it counts as posted once its buttons are known to belong to this run
		posted.Ref = ref
		if err := o.Store.Remember(ctx, ref, record.RunRef{Request: r.ID, Run: run.N}); err != nil {
			return err
		}
		if err := o.putClaim(ctx, r.ID, run.N, posted); err != nil {
			return err
		}
		if err := o.Release(ctx, ref); err != nil {
			return err
		}
		m.claim = posted
	}
	m.ended = ended
	return nil
}

// remove deletes a message that cannot be edited to its end, so that it does not look like work in progress.
func remove(ctx context.Context, reporter adapters.Reporter, at adapters.MessageRef) error {
	d, ok := reporter.(adapters.Deleter)
	if !ok {
		return nil
	}
	if err := d.Delete(ctx, at); err != nil && !adapters.Final(err) {
		return fmt.Errorf("remove a progress message: %w", err)
	}
	return nil
}

// describe returns the progress of a run.
func (o *Display) describe(r *record.Request, run *record.Run, ended bool) adapters.Progress {
	p := adapters.Progress{Thread: r.Asked.Event.Thread, Request: r.Ref().ID, Asker: r.AskerOf(run), Language: r.Language(), Ended: ended}
	done := 0
	if run.Route != nil {
		said := o.Steps(run)
		for i, s := range run.Route.Steps() {
			step := adapters.ProgressStep{Key: s.Key, Text: o.Say(r, said[i]), State: StepState(run.Route.Status(s.Key))}
			result, ok := run.Route.Result(s.Key)
			switch {
			case ok:
				step.Took = result.Took
				done++
			case run.Halted != nil: // whatever the step's status, it no longer runs
				step.State = adapters.StepSkipped
			}
			p.Steps = append(p.Steps, step)
		}
	}
	switch {
	case run.Halted != nil:
		p.Title = o.Say(r, run.Halted.Title(r.AskerOf(run)))
	case run.Route != nil:
		p.Title = o.Say(r, plan.Say("%d of %d done", done, len(p.Steps)))
	case r.Generations[run.Generation].Plan != nil:
		p.Title = o.Say(r, plan.Say("Answering"))
	default:
		p.Title = o.Say(r, plan.Say("Planning"))
	}
	return p
}

// tellProgress adds to the running steps how much of them is done, where that is known, and what is made so far.
func (o *Display) tellProgress(ctx context.Context, r *record.Request, generation int, p *adapters.Progress) error {
	for i, s := range p.Steps {
		if s.State != adapters.StepRunning {
			continue
		}
		done, err := o.Store.Progress(ctx, r.ID, generation, s.Key)
		if err != nil {
			return err
		}
		if done.Percent > 0 {
			p.Steps[i].Text = o.Say(r, plan.Say("%s (%d %%)", s.Text, done.Percent))
		}
		p.Steps[i].Preview = done.Preview
	}
	return nil
}

// StepState converts the status of a step to the state that adapters show.
func StepState(s plan.Status) adapters.StepState {
	switch s {
	case plan.Running:
		return adapters.StepRunning
	case plan.Done:
		return adapters.StepDone
	case plan.Failed:
		return adapters.StepFailed
	case plan.Skipped:
		return adapters.StepSkipped
	default:
		return adapters.StepWaiting
	}
}

// claim records which process edits a run's progress message, and the message.
type claim struct {
	Worker string              `json:"worker"`
	Ref    adapters.MessageRef `json:"ref,omitzero"`
}

// claimMessage claims a run's progress message for this process, unless another live process holds it.
func (o *Display) claimMessage(ctx context.Context, id string, run int) (c claim, mine bool, err error) {
	c.Worker = o.Self
	b, err := json.Marshal(c)
	if err != nil {
		return c, false, fmt.Errorf("encode a claim: %w", err)
	}
	first, err := o.State.PutOnce(ctx, key(id, run), b, o.Retention)
	if err != nil || first {
		return c, first, err
	}
	if c, err = o.readClaim(ctx, id, run); err != nil || c.Worker == "" {
		return c, false, err
	}
	if c.Worker == o.Self {
		return c, true, nil
	}
	if alive, err := o.Workers.Alive(ctx, c.Worker); err != nil || alive {
		return c, false, err
	}
	c.Worker = o.Self
	return c, true, o.putClaim(ctx, id, run, c)
}

// readClaim reads a run's claim; zero if there is none.
func (o *Display) readClaim(ctx context.Context, id string, run int) (c claim, err error) {
	b, err := o.State.Get(ctx, key(id, run))
	if errors.Is(err, storage.ErrNotFound) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read a claim: %w", err)
	}
	return c, nil
}

func key(id string, run int) string {
	return fmt.Sprintf("%s/progress-%d", record.RequestGroup(id), run)
}

func (o *Display) putClaim(ctx context.Context, id string, run int, c claim) error {
	b, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode a claim: %w", err)
	}
	return o.State.Put(ctx, key(id, run), b, o.Retention)
}

// drop ends a watch, even if the request has changed.
func (w *watches) drop(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, id)
}

// close ends a watch, unless the request has changed meanwhile.
func (w *watches) close(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open[id]) > 0 {
		return false
	}
	delete(w.open, id)
	return true
}

func (w *watches) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, changed := range w.open {
		signal(changed)
	}
}

// wake signals the watch of a request that it has changed. It reports whether the watch is new.
func (w *watches) wake(id string) (changed chan struct{}, begun bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed, ok := w.open[id]
	if !ok {
		changed = make(chan struct{}, 1)
		w.open[id] = changed
	}
	signal(changed)
	return changed, !ok
}
