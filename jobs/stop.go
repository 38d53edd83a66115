package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// stopper stops runs.
type stopper struct {
	store   *record.Store
	index   *record.Index
	limits  *limits
	hints   *queue.Hints
	tasks   *queue.Tasks
	running *queue.Running
	log     *slog.Logger
}

// errNotTheirs means that a person may not stop a request.
var errNotTheirs = errors.New("only the person who asked and admins may stop it")

// ErrOver means that the request has ended already.
var ErrOver = errors.New("already ended")

// asked handles a person's request to stop: what a given message shows, or else the person's latest active request in the
// thread, or in a channel, its threads included. A progress message shows its run, and other messages show their request
// and what continues from its results. It fails with [ErrOver] if nothing is in progress, and with [errNotTheirs] and the
// thread of the request if the person may stop nothing of that.
func (o *stopper) asked(ctx context.Context, e adapters.Event) (in adapters.Thread, err error) {
	why := record.HaltCancelled
	if e.Cancel.Deleted {
		why = record.HaltDeleted
	}
	stop := record.Halted{Why: why, By: e.By.ID, Name: e.By.Name, Message: e.MessageRef()}
	on := e.Cancel.On
	if on.IsZero() {
		return in, o.cancelLast(ctx, e, stop)
	}
	of, ok, err := o.store.Recall(ctx, on)
	if err != nil || !ok {
		return in, err
	}
	r, err := o.store.Request(ctx, of.Request)
	if err != nil {
		return in, record.IgnoreUnknown(err)
	}
	in = r.Asked.Event.Thread
	run := r.Run(of.Run)
	switch asks := r.AsksAt(on); {
	case of.Means != "" && (e.Cancel.Deleted || e.By.ID == of.By):
		return in, o.takeBack(ctx, r, run, of.By, stop)
	case e.Cancel.Deleted && !asks:
		return in, o.noteDeleted(ctx, r, run, on)
	case !asks && run != nil && !run.AnsweredAt(on):
		if err := o.may(e.By, stop, r, run); err != nil {
			return in, err
		}
		return in, o.halt(ctx, r.ID, run.N, stop)
	case e.Cancel.Deleted: // by whomever
		return in, o.haltAll(ctx, r.Asked.Event.By, stop, r)
	}
	return in, o.haltAll(ctx, e.By, stop, r)
}

// haltAll stops the runs that the message of a request shows, as far as the person may.
func (o *stopper) haltAll(ctx context.Context, by adapters.Person, stop record.Halted, r *record.Request) error {
	theirs, refused, err := o.shownBy(ctx, by, stop, r)
	if err != nil {
		return err
	}
	for _, w := range theirs {
		if err := o.halt(ctx, w.of.ID, w.run.N, stop); err != nil {
			return err
		}
	}
	switch {
	case len(theirs) > 0:
		return nil
	case refused && !stop.Silent():
		return errNotTheirs
	}
	return ErrOver
}

// work is a run of a request.
type work struct {
	of  *record.Request
	run *record.Run
}

// shownBy returns the runs of a request, and of the requests that continue from its results, that the person may stop.
// refused is set if there are other runs, which the person may not stop.
func (o *stopper) shownBy(ctx context.Context, by adapters.Person, stop record.Halted, r *record.Request) (theirs []work, refused bool, err error) {
	further, err := o.continuing(ctx, r)
	if err != nil {
		return nil, false, err
	}
	for _, of := range append([]*record.Request{r}, further...) {
		for _, run := range of.Runs {
			switch err := o.may(by, stop, of, run); {
			case err == nil:
				theirs = append(theirs, work{of, run})
			case errors.Is(err, errNotTheirs):
				refused = true
			}
		}
	}
	return theirs, refused, nil
}

// continuing returns the requests that continue from the results of a request. The root of them all lists them.
func (o *stopper) continuing(ctx context.Context, r *record.Request) ([]*record.Request, error) {
	root := r
	if press := r.Asked.Press; press != nil {
		var err error
		if root, err = o.store.Request(ctx, press.Root); err != nil {
			return nil, record.IgnoreUnknown(err)
		}
	}
	var all []*record.Request
	for _, id := range root.ContinuedBy {
		further, err := o.store.Request(ctx, id)
		switch {
		case errors.Is(err, record.ErrUnknown):
		case err != nil:
			return nil, err
		case root == r || further.Asked.Press.Of.Request == r.ID:
			all = append(all, further)
		}
	}
	return all, nil
}

// may returns why a person may not stop a run. The run's asker may, and the request's and admins unless they do it by an edit or a
// deletion, after which the run's asker would be told nothing.
func (o *stopper) may(by adapters.Person, stop record.Halted, r *record.Request, run *record.Run) error {
	switch {
	case !stop.Ends(run):
		return ErrOver
	case by.ID == r.AskerOf(run), !stop.Silent() && (by.Admin || by.ID == r.Asked.Event.By.ID):
		return nil
	case !o.limits.Allowed(by, r.Asked.Event.Thread):
		return ErrOver // for them there is nothing here
	}
	return errNotTheirs
}

// takeBack stops the run that a person's message started in place of a button, unless others want it too.
func (o *stopper) takeBack(ctx context.Context, r *record.Request, run *record.Run, by string, stop record.Halted) error {
	switch {
	case run == nil || !stop.Ends(run):
		return ErrOver
	case slices.ContainsFunc(run.Choosers, func(other string) bool { return other != by }):
		_, err := o.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{TakenBack: &record.TakenBack{Pick: run.Picked, By: by}})
		return err
	}
	return o.halt(ctx, r.ID, run.N, stop)
}

// noteDeleted records that the answer to a run was deleted, if the deleted message is the one that people
// react to. The thread no longer works on its results.
func (o *stopper) noteDeleted(ctx context.Context, r *record.Request, run *record.Run, gone adapters.MessageRef) error {
	if run == nil || run.Deleted || run.Sent == nil || run.Sent.Ref.Key() != gone.Key() {
		return nil
	}
	forget := record.Entry{Deleted: &record.RunRef{Request: r.ID, Run: run.N}}
	if _, err := o.store.Logs.Append(ctx, record.ThreadLog(record.ThreadID(r.Asked.Event.Thread)), forget); err != nil {
		return err
	}
	_, err := o.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Run: run.N, AnswerDeleted: true})
	return err
}

// ignoreOver returns nil for errors that mean there is nothing to stop, and other errors unchanged.
func ignoreOver(err error) error {
	if errors.Is(err, ErrOver) || errors.Is(err, errNotTheirs) {
		return nil
	}
	return record.IgnoreUnknown(err)
}

// cancelLast stops the person's latest request, or in another person's request, the run they picked.
func (o *stopper) cancelLast(ctx context.Context, e adapters.Event, stop record.Halted) error {
	requests, err := o.index.Unfinished(ctx, e.By.ID, e.Thread)
	if err != nil || len(requests) == 0 {
		return err
	}
	r := requests[0]
	if r.Asked.Event.By.ID == e.By.ID {
		return ignoreOver(o.cancel(ctx, r.ID, stop))
	}
	for _, run := range slices.Backward(r.Runs) {
		if run.By == e.By.ID && run.Active() {
			return o.halt(ctx, r.ID, run.N, stop)
		}
	}
	return nil
}

// cancel stops every active run of a request. It fails with [ErrOver] if there is none.
func (o *stopper) cancel(ctx context.Context, id string, h record.Halted) error {
	r, err := o.store.Request(ctx, id)
	if err != nil {
		return err
	}
	stopped := false
	for _, run := range r.Runs {
		if !h.Ends(run) {
			continue
		}
		stopped = true
		if err := o.halt(ctx, id, run.N, h); err != nil {
			return err
		}
	}
	if !stopped {
		return fmt.Errorf("request %s: %w", id, ErrOver)
	}
	return nil
}

// halt stops a run: it records the halt, notifies the processes that work on it, and enqueues the answer. A
// process that misses the hint finds the halt in the record.
func (o *stopper) halt(ctx context.Context, id string, n int, h record.Halted) error {
	if _, err := o.store.Logs.Append(ctx, record.RequestLog(id), record.Entry{Run: n, Halted: &h}); err != nil {
		return err
	}
	return o.announce(ctx, id, n, h.Why)
}

// announce notifies the processes that work on a halted run, and enqueues its answer.
func (o *stopper) announce(ctx context.Context, id string, n int, why record.Reason) error {
	hint, err := json.Marshal(record.RunRef{Request: id, Run: n})
	if err != nil {
		return fmt.Errorf("encode a stop: %w", err)
	}
	if err := o.hints.Publish(ctx, queue.Stops, hint); err != nil {
		return fmt.Errorf("publish a stop: %w", err)
	}
	o.log.InfoContext(ctx, "run stopped", "request", id, "run", n, "why", string(why))
	return o.tasks.Enqueue(ctx, queue.Task{Kind: queue.KindCompose, Request: id, Run: n, Queue: queue.Plan}, 0)
}

// follow stops the tasks of this process whose runs were stopped.
func (o *stopper) follow(ctx context.Context) {
	o.hints.Follow(ctx, queue.Stops, func(hint []byte) {
		var of record.RunRef
		requests := []string{}
		if hint == nil { // hints were missed: check everything that runs
			for _, t := range o.running.Of("") {
				requests = append(requests, t.Request)
			}
		} else if err := json.Unmarshal(hint, &of); err == nil {
			requests = append(requests, of.Request)
		}
		slices.Sort(requests)
		for _, id := range slices.Compact(requests) {
			if err := o.stopTasks(ctx, id); err != nil && ctx.Err() == nil {
				o.log.WarnContext(ctx, "cannot check for a stop", "request", id, "error", plan.ForOperator(err))
			}
		}
	})
}

// stopTasks stops the running tasks of a request that no run needs any longer.
func (o *stopper) stopTasks(ctx context.Context, id string) error {
	tasks := o.running.Of(id)
	if len(tasks) == 0 {
		return nil
	}
	r, err := o.store.Request(ctx, id)
	if record.IgnoreUnknown(err) != nil {
		return err
	}
	for _, t := range tasks {
		if err != nil || !wanted(r, t.Task) { // forgotten, or stopped
			t.Stop(errStopped)
		}
	}
	return nil
}

// wanted reports whether a task of a request is still worth doing.
func wanted(r *record.Request, t queue.Task) bool {
	switch t.Kind {
	case queue.KindAct, queue.KindWrite:
		return r.Needs(t.Generation, t.Step)
	case queue.KindFetch:
		return slices.ContainsFunc(r.Runs, (*record.Run).Active)
	case queue.KindPlan:
		run := r.Run(t.Run)
		return run != nil && run.Active()
	case queue.KindCompose: // the answer is rewritten without a model
		run := r.Run(t.Run)
		return run == nil || run.Halted == nil || run.Answer != nil
	default:
		return true // answers are always sent
	}
}

// freeEdit is how long after a request an edit does not count against the quota: immediate corrections
// of a message are part of the same request.
const freeEdit = time.Minute

// editor handles edits of messages. It stops the request of an edited message and starts a new one from the
// new text.
type editor struct {
	store     *record.Store
	limits    *limits
	admission *admission
	chooser   *chooser
	stopper   *stopper
	now       func() time.Time
}

// edited handles an edit.
func (d *editor) edited(ctx context.Context, e adapters.Event) error {
	if e.At.Sub(e.Message.Edited.At) > adapters.Editable {
		return nil
	}
	of, known, err := d.store.Recall(ctx, e.Message.Ref)
	if err != nil {
		return err
	}
	if !known {
		return d.begin(ctx, e)
	}
	if of.Means != "" {
		return d.correct(ctx, e, of)
	}
	r, err := d.store.Request(ctx, of.Request)
	if errors.Is(err, record.ErrUnknown) {
		return d.begin(ctx, e)
	}
	if err != nil {
		return err
	}
	asked := r.Asked.Event
	switch {
	case r.ID == record.RequestID(e): // a repeated event: the first may be half recorded
		t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
		if err != nil {
			return err
		}
		return d.admission.admit(ctx, e, t, origin{})
	case e.By.ID != asked.By.ID && !e.By.Admin, !e.At.After(asked.At), asked.Message == nil:
		return nil
	case takesBack(asked.Message, e.Message), stops(e.Message):
		stop := stopBy(e)
		stop.Withdrawn = !stops(e.Message)
		return ignoreOver(d.stopper.haltAll(ctx, e.By, stop, r))
	case asked.Message.AsksSame(e.Message) && !r.Withdrawn():
		return nil
	}
	e.By = asked.By // a request stays its author's, whoever edits it
	return d.replace(ctx, e, r)
}

// begin handles a message that becomes a request by its edit. If the platform sends a second event for it,
// such as Slack's app_mention, both are the same request.
func (d *editor) begin(ctx context.Context, e adapters.Event) error {
	if e.Message.For == adapters.Overheard || isEmpty(e.Message) {
		return nil
	}
	sent, m := e, *e.Message
	m.Edited = nil
	sent.Kind, sent.ID, sent.Message = adapters.MessageSent, e.Message.Edited.Event, &m
	first, err := d.store.Request(ctx, record.RequestID(sent))
	if record.IgnoreUnknown(err) != nil {
		return err
	}
	if err == nil && first.Message() == nil { // a mention without text, which was answered
		sent = e
	}
	return d.admission.message(ctx, sent)
}

// correct handles an edit of a message that stands for a button. What it started is taken back, and the new words count.
func (d *editor) correct(ctx context.Context, e adapters.Event, of record.Remembered) error {
	if e.By.ID != of.By || of.Means == means(e.Message) {
		return nil
	}
	r, err := d.store.Request(ctx, of.Request)
	if record.IgnoreUnknown(err) != nil {
		return err
	}
	nothing := isEmpty(e.Message) || stops(e.Message)
	if err == nil {
		if refused, err := d.takeBack(ctx, e, r, r.Run(of.Run), !nothing); refused || err != nil {
			return err
		}
	}
	if nothing {
		return nil
	}
	return d.admission.address(ctx, e)
}

// takeBack takes back the run that a message started in place of a button. If the message asks for something else now, that gets
// the run's place in the quota; refused means that the quota forbids it.
func (d *editor) takeBack(ctx context.Context, e adapters.Event, r *record.Request, run *record.Run, asks bool) (refused bool, err error) {
	stop := stopBy(e)
	if !stops(e.Message) {
		stop.Why = record.HaltReplaced
	}
	if asks && run != nil && stop.Ends(run) && run.By == e.By.ID {
		if refused, err = d.exchange(ctx, countedRun(r, run), run.BeganAt, e); refused || err != nil {
			return refused, err
		}
	}
	return false, ignoreOver(d.stopper.takeBack(ctx, r, run, e.By.ID, stop))
}

// exchange gives the place of work in the quota to the edit that replaces it, and reports whether the quota forbids that: then
// the person is told, and the work continues. An immediate correction counts once with what it corrects.
func (d *editor) exchange(ctx context.Context, id string, began time.Time, e adapters.Event) (refused bool, err error) {
	free := d.limits.Done
	if d.now().Sub(began) < freeEdit {
		free = d.limits.Withdraw
	}
	if err := free(ctx, id, e.By, e.Thread); err != nil {
		return false, err
	}
	why, err := d.limits.refusal(ctx, record.RequestID(e), e, e.Thread)
	if why == nil || err != nil {
		return false, err
	}
	if _, err := d.limits.Take(ctx, id, e.By, e.Thread); err != nil {
		return false, fmt.Errorf("count a request: %w", err)
	}
	if err := d.limits.Hold(ctx, id, e.By, e.Thread); err != nil {
		return false, err
	}
	why.Sentence = plan.Sentences(why.Sentence, plan.Say("I continue with your message as it was before the edit."))
	e.Message = nil // the message still shows the work
	return true, d.admission.refuse(ctx, e, e.Thread, why)
}

// stops reports whether a message only asks to stop.
func stops(m *adapters.Message) bool {
	sign, _ := signOf(m)
	return sign == stopSign
}

// replace stops what the author of a message asked for with it, and begins the request of its edited version.
func (d *editor) replace(ctx context.Context, e adapters.Event, r *record.Request) error {
	from := origin{replaces: &record.Replaced{Answered: r.Answered()}}
	if before := r.Asked.Replaces; before != nil {
		from.replaces.Requests = slices.Clone(before.Requests)
	}
	from.replaces.Requests = append(from.replaces.Requests, r.ID)
	stop := stopBy(e)
	stop.Why = record.HaltReplaced
	working, _, err := d.stopper.shownBy(ctx, e.By, stop, r)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(working, func(w work) bool { return countedRun(w.of, w.run) != "" }); i >= 0 {
		w := working[i]
		if refused, err := d.exchange(ctx, countedRun(w.of, w.run), w.run.BeganAt, e); refused || err != nil {
			return err
		}
	}
	for _, w := range working {
		if err := d.stopper.halt(ctx, w.of.ID, w.run.N, stop); err != nil {
			return err
		}
	}
	for _, run := range r.Runs {
		if run.Answer != nil && run.Answer.Question != "" {
			if err := d.chooser.closeQuestion(ctx, r, run.N); err != nil {
				return err
			}
		}
	}
	if from.answers, err = d.questionOf(ctx, r.Asked.Answers); err != nil {
		return err
	}
	t, err := d.store.Thread(ctx, record.ThreadID(e.Thread))
	if err != nil {
		return err
	}
	if done, err := d.admission.shorthand.take(ctx, e, t, from.answers); done || err != nil {
		return err
	}
	return d.admission.admit(ctx, e, t, from)
}

// questionOf returns the question that a request asked, nil if there is none.
func (d *editor) questionOf(ctx context.Context, id string) (*record.OpenQuestion, error) {
	if id == "" {
		return nil, nil //nolint:nilnil // no question is answered
	}
	r, err := d.store.Request(ctx, id)
	if err != nil {
		return nil, record.IgnoreUnknown(err)
	}
	for _, run := range slices.Backward(r.Runs) {
		if a := run.Answer; a != nil && a.Question != "" {
			return &record.OpenQuestion{
				Request: id, Asker: r.Asked.Event.By.ID, Text: a.Question, Guesses: a.Guesses(), Wish: r.WishOf(r.Generations[run.Generation]),
			}, nil
		}
	}
	return nil, nil //nolint:nilnil // as above
}

// takesBack reports whether an edit removes the mention, or everything, from a message.
func takesBack(was, is *adapters.Message) bool {
	return is.For == adapters.Overheard && was.For != adapters.Overheard || isEmpty(is)
}

func isEmpty(m *adapters.Message) bool {
	return strings.TrimSpace(m.Text) == "" && len(m.Files) == 0 && m.ReplyTo == nil
}
