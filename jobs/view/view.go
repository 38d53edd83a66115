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
	Store *record.Store
	Index *record.Index
	Quota *quota.Quota
	Hints *queue.Hints
	// Steps describes what each step of a run makes, or has made; nil for none.
	Steps     func(run *record.Run) []plan.Message
	Input     func(ctx context.Context, r *record.Request, g *record.Generation) (plan.Request, error)
	Retention time.Duration
	Now       func() time.Time
}

// Request is a request as shown to people.
type Request struct {
	ID       string          `json:"id"`
	ThreadID string          `json:"thread_id"`
	Thread   adapters.Thread `json:"thread"`
	By       adapters.Person `json:"by"`
	Wish     string          `json:"wish"`
	At       time.Time       `json:"at"`
	// Asked is the request as the agent sees it; empty in lists.
	Asked plan.Request `json:"asked,omitzero"`
	Runs  []Run        `json:"runs"`
}

// Show returns everything known about a request.
func (v *Viewer) Show(ctx context.Context, id string) (Request, error) {
	r, err := v.Store.Request(ctx, id)
	if err != nil {
		return Request{}, err
	}
	whole, err := v.Store.Unpacked(ctx, r)
	if errors.Is(err, storage.ErrNotFound) { // a text has expired: show the rest
		whole, err = r, nil
	}
	if err != nil {
		return Request{}, err
	}
	asked, err := v.Input(ctx, whole, r.Generations[0])
	if err != nil {
		return Request{}, err
	}
	return v.of(whole, asked), nil
}

// Step is a step of a run.
type Step struct {
	plan.Step

	// Text says what it makes, or has made; empty without [Viewer.Steps].
	Text    plan.Message `json:"-"`
	Status  plan.Status  `json:"status"`
	Started time.Time    `json:"started,omitzero"`
	Ended   time.Time    `json:"ended,omitzero"`
	Problem string       `json:"problem,omitempty"`
	// Cause is what the operator is told if it failed.
	Cause string `json:"cause,omitempty"`
	// Output is the name of its result.
	Output string `json:"output,omitempty"`
	// Drafts are the programs written for it in this run. All but the last have a Trouble.
	Drafts []plan.Draft `json:"drafts,omitempty"`
}

// Run is a run as shown to people.
type Run struct {
	N      int           `json:"n"`
	By     string        `json:"by,omitempty"`
	Status record.Status `json:"status"`
	At     time.Time     `json:"at"`
	// Planned, Answered and Ended are the times of these events; zero before.
	Planned  time.Time `json:"planned,omitzero"`
	Answered time.Time `json:"answered,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`

	// Guess is the chosen guess of a question; "" if the request itself was planned.
	Guess  string      `json:"guess,omitempty"`
	Plan   *plan.Plan  `json:"plan,omitempty"`
	Choice plan.Choice `json:"choice,omitempty"`
	Steps  []Step      `json:"steps,omitempty"`
	// Results are the results of all steps that ran, by key, including those of alternatives.
	Results map[string]plan.Result `json:"results,omitempty"`
	// Usage is the model usage of the steps, including those of alternatives and of concurrent runs.
	// Results inherited from an earlier run count as zero.
	Usage plan.Tokens `json:"usage,omitzero"`
	// Stopped is why the run ended early, without an answer of the agent.
	Stopped record.Reason `json:"stopped,omitempty"`
	// Cause is what the operator is told about a run that broke.
	Cause string `json:"cause,omitempty"`
	// Made are the results of the run, in the order of its steps.
	Made   []plan.Resource     `json:"made,omitempty"`
	Answer *record.Answer      `json:"answer,omitempty"`
	Sent   adapters.MessageRef `json:"sent,omitzero"`
	// Problem is why the answer could not be sent.
	Problem string `json:"problem,omitempty"`
	// Votes are people's ratings of the answer.
	Votes []record.Vote `json:"votes,omitempty"`
}

// Latest returns the latest n requests, newest first, for a list: without Asked and without long texts.
// [Viewer.Show] returns a whole request.
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
					continue // forgotten
				}
				return nil, err
			}
			if all = append(all, v.of(r, plan.Request{})); len(all) == n {
				break
			}
		}
	}
	return all, nil
}

// Wait waits until run n has ended, and returns the request.
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

// Find returns the request and the run that a message belongs to: an answer of the bot, or a person's
// request. It fails with [record.ErrUnknown] if there is none.
func (v *Viewer) Find(ctx context.Context, message adapters.MessageRef) (id string, run int, err error) {
	of, ok, err := v.Store.Recall(ctx, message)
	if err == nil && !ok {
		err = fmt.Errorf("find a message: %w", record.ErrUnknown)
	}
	return of.Request, of.Run, err
}

// Standing is a person's pending requests and remaining quota in a thread, or in a channel with its threads.
type Standing struct {
	// Requests are the requests with active runs of the person, earliest first.
	Requests []Request
	Left     quota.Left
}

// Standing returns a person's pending requests and remaining quota.
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

// Over reports whether run n has ended and its answer was sent.
func (r Request) Over(n int) bool {
	return n >= 1 && n <= len(r.Runs) && !r.Runs[n-1].Ended.IsZero()
}

// of converts a request for people. Asked is the request as the agent sees it.
func (v *Viewer) of(r *record.Request, asked plan.Request) Request {
	e := r.Asked.Event
	shown := Request{ID: r.ID, ThreadID: record.ThreadID(e.Thread), Thread: e.Thread, By: e.By, Wish: r.Wish(), At: r.AskedAt, Asked: asked}
	for _, run := range r.Runs {
		g := r.Generations[run.Generation]
		o := Run{
			N: run.N, By: run.By, Status: run.Status(r, g), At: run.BeganAt,
			Planned: g.PlannedAt, Answered: run.AnswerAt, Ended: run.OverAt, Guess: g.Guess, Plan: g.Plan, Answer: run.Answer, Votes: run.Votes,
		}
		if run.Halted != nil {
			o.Stopped, o.Cause = run.Halted.Why, run.Halted.Cause
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
			o.Steps = v.steps(run, g)
		}
		shown.Runs = append(shown.Runs, o)
	}
	return shown
}

// steps converts the steps of a run for people.
func (v *Viewer) steps(run *record.Run, g *record.Generation) []Step {
	var texts []plan.Message
	if v.Steps != nil {
		texts = v.Steps(run)
	}
	var steps []Step
	for i, s := range run.Route.Steps() {
		step := Step{Step: s, Status: run.Route.Status(s.Key), Started: g.Started[s.Key], Ended: g.Ended[s.Key], Drafts: g.Drafts[s.Key]}
		if texts != nil {
			step.Text = texts[i]
		}
		if result, ok := run.Route.Result(s.Key); ok {
			step.Problem, step.Cause = result.Problem, result.Cause
			if result.Output != nil {
				step.Output = result.Output.Name
			}
		}
		steps = append(steps, step)
	}
	return steps
}
