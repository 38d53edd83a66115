package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/quota"
	"atelier/jobs/record"
	"atelier/storage"
)

// Viewer shows requests to people.
type Viewer struct {
	Store     *record.Store
	Index     *record.Index
	Quota     *quota.Quota
	Hints     *queue.Hints
	Input     func(ctx context.Context, r *record.Request, g *record.Generation) (plan.Request, error)
	Retention time.Duration
	Now       func() time.Time
}

// Request is a request as people see it.
type Request struct {
	ID       string          `json:"id"`
	ThreadID string          `json:"thread_id"`
	Thread   adapters.Thread `json:"thread"`
	By       adapters.Person `json:"by"`
	Wish     string          `json:"wish"`
	At       time.Time       `json:"at"`
	// Asked is the request as the agent knows it; empty in a list of them.
	Asked plan.Request `json:"asked,omitzero"`
	Runs  []Run        `json:"runs"`
}

// Show returns all that is known of a request.
func (v *Viewer) Show(ctx context.Context, id string) (Request, error) {
	r, err := v.Store.Request(ctx, id)
	if err != nil {
		return Request{}, err
	}
	whole, err := v.Store.Unpacked(ctx, r)
	if errors.Is(err, storage.ErrNotFound) { // the time of a text has come: the rest is shown
		whole, err = r, nil
	}
	if err != nil {
		return Request{}, err
	}
	asked, err := v.Input(ctx, whole, r.Generations[0])
	if err != nil {
		return Request{}, err
	}
	return of(whole, asked), nil
}

// Step is a step of a run.
type Step struct {
	plan.Step

	Status  plan.Status `json:"status"`
	Started time.Time   `json:"started,omitzero"`
	Ended   time.Time   `json:"ended,omitzero"`
	Problem string      `json:"problem,omitempty"`
	// Output is the name of what it made.
	Output string `json:"output,omitempty"`
	// Drafts are the programs that were written for it in this run. All but the last have a Trouble.
	Drafts []plan.Draft `json:"drafts,omitempty"`
}

// Run is a run as people see it.
type Run struct {
	N      int           `json:"n"`
	By     string        `json:"by,omitempty"`
	Status record.Status `json:"status"`
	At     time.Time     `json:"at"`
	// Planned, Answered and Ended are when that was done; zero before.
	Planned  time.Time `json:"planned,omitzero"`
	Answered time.Time `json:"answered,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`

	// Guess is what was chosen of the guesses of a question; "" where the plan is that of the request.
	Guess  string      `json:"guess,omitempty"`
	Plan   *plan.Plan  `json:"plan,omitempty"`
	Choice plan.Choice `json:"choice,omitempty"`
	Steps  []Step      `json:"steps,omitempty"`
	// Results are those of every step that ran, by key, of other ways too.
	Results map[string]plan.Result `json:"results,omitempty"`
	// Usage is what the steps took of models, those of other ways and of runs at the same
	// time too. What was taken over from an earlier run took nothing.
	Usage plan.Tokens `json:"usage,omitzero"`
	// Stopped tells that the run ended before its time, and why: the answer is not that of
	// the agent.
	Stopped record.Reason `json:"stopped,omitempty"`
	// Made is what the run made, in the order of its steps.
	Made   []plan.Resource     `json:"made,omitempty"`
	Answer *record.Answer      `json:"answer,omitempty"`
	Sent   adapters.MessageRef `json:"sent,omitzero"`
	// Problem is why the answer could not be sent.
	Problem string `json:"problem,omitempty"`
	// Votes are what people think of the answer, by a button.
	Votes []record.Vote `json:"votes,omitempty"`
}

// of is a request as people see it, with what the agent sees of it.
func of(r *record.Request, asked plan.Request) Request {
	e := r.Asked.Event
	v := Request{ID: r.ID, ThreadID: record.ThreadID(e.Thread), Thread: e.Thread, By: e.By, Wish: r.Wish(), At: r.AskedAt, Asked: asked}
	for _, run := range r.Runs {
		g := r.Generations[run.Generation]
		o := Run{
			N: run.N, By: run.By, Status: run.Status(r, g), At: run.BeganAt,
			Planned: g.PlannedAt, Answered: run.AnswerAt, Ended: run.OverAt, Guess: g.Guess, Plan: g.Plan, Answer: run.Answer, Votes: run.Votes,
		}
		if run.Halted != nil {
			o.Stopped = run.Halted.Why
		}
		for _, end := range g.Ends[g.Inherited:] {
			o.Usage = o.Usage.Plus(end.Result.Usage)
		}
		if run.Sent != nil {
			o.Sent, o.Problem = run.Sent.Ref, run.Sent.Problem
		}
		if run.Route != nil {
			if run.Answer != nil {
				run.Route.NameFiles(run.Answer.FileNames())
			}
			o.Choice, o.Results, o.Made = run.Route.Choice(), run.Route.All(), run.Route.Made()
			for _, s := range run.Route.Steps() {
				step := Step{Step: s, Status: run.Route.Status(s.Key), Started: g.Started[s.Key], Ended: g.Ended[s.Key], Drafts: g.Drafts[s.Key]}
				if result, ok := run.Route.Result(s.Key); ok {
					step.Problem = result.Problem
					if result.Output != nil {
						step.Output = result.Output.Name
					}
				}
				o.Steps = append(o.Steps, step)
			}
		}
		v.Runs = append(v.Runs, o)
	}
	return v
}

// Latest returns the latest requests, at most n, the latest first, as far back as requests are kept.
// They are for a list: without Asked, and without long texts. [Viewer.Show] returns all of one.
func (v *Viewer) Latest(ctx context.Context, n int) ([]Request, error) {
	var all []Request
	now := v.Now()
	for age := time.Duration(0); age <= v.Retention && len(all) < n; age += 24 * time.Hour {
		ids, err := v.Index.On(ctx, now.Add(-age))
		if err != nil {
			return nil, err
		}
		for _, id := range slices.Backward(ids) {
			if slices.ContainsFunc(all, func(r Request) bool { return r.ID == id }) {
				continue
			}
			r, err := v.Store.Request(ctx, id)
			if err != nil {
				if record.IgnoreUnknown(err) == nil {
					continue // it was forgotten
				}
				return nil, err
			}
			if all = append(all, of(r, plan.Request{})); len(all) == n {
				break
			}
		}
	}
	return all, nil
}

// Wait waits until the run of that number has ended, and returns the request as it is then.
func (v *Viewer) Wait(ctx context.Context, id string, n int) (Request, error) {
	r, err := v.Store.Request(ctx, id)
	if err != nil {
		return Request{}, err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	var shown Request
	v.Hints.Follow(watching, queue.Progress(r.Asked.Event.Thread.Adapter), func(hint []byte) {
		if hint != nil && string(hint) != id {
			return
		}
		if shown, err = v.Show(ctx, id); err != nil || shown.Over(n) {
			stop()
		}
	})
	if err == nil && !shown.Over(n) {
		err = ctx.Err()
	}
	return shown, err
}

// Find returns the request and the run that a message belongs to: one of the bot's, or a person's that
// is a request. It fails with [record.ErrUnknown] if there is none.
func (v *Viewer) Find(ctx context.Context, message adapters.MessageRef) (id string, run int, err error) {
	of, ok, err := v.Store.Recall(ctx, message)
	if err == nil && !ok {
		err = fmt.Errorf("find a message: %w", record.ErrUnknown)
	}
	return of.Request, of.Run, err
}

// Standing is how a person stands in a thread, or in a channel with its threads.
type Standing struct {
	// Requests are those with a run of the person that has not ended, the earliest first.
	Requests []Request
	Left     quota.Left
}

// Standing returns how a person stands.
func (v *Viewer) Standing(ctx context.Context, by adapters.Person, in adapters.Thread) (s Standing, err error) {
	requests, err := v.Index.Unfinished(ctx, by.ID, in)
	if err != nil {
		return s, err
	}
	for _, r := range slices.Backward(requests) {
		shown, err := v.Show(ctx, r.ID)
		if err != nil {
			return s, err
		}
		s.Requests = append(s.Requests, shown)
	}
	s.Left, err = v.Quota.Left(ctx, by, in)
	return s, err
}

// Over reports whether the run of that number has ended and its answer was sent.
func (r Request) Over(n int) bool {
	return n >= 1 && n <= len(r.Runs) && !r.Runs[n-1].Ended.IsZero()
}
