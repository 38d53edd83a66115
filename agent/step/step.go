// Package step does one step of a plan.
//
// Guarantees:
//   - A step succeeds only if the tool's result is really there and is what the tool should
//     return. A failed step is a result that says so, not an error.
//   - Outputs have chained names. Files have names for people.
//   - A step leaves no files but its outputs in the Blobs, and stops with its context.
package step

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/verify"
)

// Blobs hold media by key. It is the part of the storage that a step needs.
type Blobs interface {
	// Put stores everything that r gives; nothing is stored if it fails.
	Put(ctx context.Context, key string, r io.Reader) error
	Get(ctx context.Context, key string) (io.ReadCloser, error)
}

// Config is what steps are done with.
type Config struct {
	Toolbox *toolbox.Toolbox
	// Blobs hold the media that steps read and write. Without them no step is done.
	Blobs Blobs
	// Scratch is the folder for the files of running steps. Empty means the system's.
	Scratch string
	// Memory is what looks at pictures take their memory of; nil has no bound.
	Memory *memory.Budget
	// Player looks into sound and video that tools made. Nil believes every file.
	Player verify.Player
	Clock  func() time.Time
	Tell   plan.Tell
	Log    *slog.Logger
}

// Actor does steps. It is safe for concurrent use.
type Actor struct{ config Config }

// New returns an actor. It starts nothing.
func New(c Config) *Actor { return &Actor{c} }

// Work is one step to be done.
type Work struct {
	Request plan.Request
	// Steps are all steps of the chosen solutions, At is the one to be done.
	Steps []plan.Step
	At    int
	// Memory holds the plan's resources and the results of the steps before.
	Memory *Memory
	// Folder is the folder of the Blobs below which the outputs are stored: an output
	// has the key Folder/NAME. Empty means the request's ID. Where the same step may be
	// done twice at the same moment, each has a folder of its own.
	Folder string
	// Program is what the tool that improvises wrote for the same step before, "" if it is to write.
	Program string
	// Spent is how many tokens the request has taken of language models before. It bounds what is
	// written for the step.
	Spent int
	// Salt makes the same step another one: with another seed, and outputs of other
	// names. Empty is the step itself.
	Salt string
}

// identity tells the step from all others; the seed and the names come of it.
func (w Work) identity() string { return w.Steps[w.At].Key + w.Salt }

// told is what whoever asked is told of an error.
func (w Work) told(err error, otherwise plan.Message) plan.Message {
	if w.Request.Operator {
		return plan.OperatorSentence(err, otherwise)
	}
	return plan.Sentence(err, otherwise)
}

var failedSomehow = plan.Say("It failed for an unknown reason.")

// Act does one step: it resolves the inputs, runs the tool, checks that the output
// really is what the tool promises, and stores it under a chained name. What goes
// wrong is in the result; Act records nothing in the memory.
func (a *Actor) Act(ctx context.Context, w Work) plan.Result {
	result, _ := a.Try(ctx, w) //nolint:errcheck // it is in the result, in people's words
	return result
}

// Try is [Agent.Act], and gives besides what went wrong: that of the storage, for example,
// which may come back, so that the step can be tried again.
func (a *Actor) Try(ctx context.Context, w Work) (plan.Result, error) {
	began := a.config.Clock()
	result, err := a.act(ctx, w)
	if err != nil {
		problem := w.told(err, failedSomehow)
		if ctx.Err() != nil {
			problem = plan.Say("It was stopped before it finished.")
		}
		result = plan.Result{
			Status: plan.Failed, Problem: a.config.Tell.In(w.Request.Language, problem), Final: plan.Final(err) && ctx.Err() == nil,
			Usage: result.Usage, Tried: result.Tried,
		}
		result.Trouble, _ = errors.AsType[*plan.Trouble](err)
	}
	result.Took = a.config.Clock().Sub(began)
	a.logStep(ctx, w, result, err)
	return result, err
}

// logStep tells the operator how a step ended.
func (a *Actor) logStep(ctx context.Context, w Work, r plan.Result, err error) {
	step := w.Steps[w.At]
	log := a.config.Log.With("request", w.Request.ID, "tool", step.Action.Tool, "step", step.Key, "took", r.Took)
	if err == nil {
		log.DebugContext(ctx, "step done", "candidate", r.Candidate)
		return
	}
	if ctx.Err() != nil {
		log.InfoContext(ctx, "step stopped", "error", plan.ForOperator(err))
		return
	}
	log.WarnContext(ctx, "step failed", "error", plan.ForOperator(err))
}

// act is Act with its error. With one, only Usage and Tried of the result count.
func (a *Actor) act(ctx context.Context, w Work) (_ plan.Result, err error) {
	p, err := a.prepare(ctx, w)
	if err != nil {
		return plan.Result{}, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	action := w.Steps[w.At].Action
	calls, err := oneByOne(p.tool, p.call, max(action.Count, int(told(p.call, toolbox.ResultsParam))))
	if err != nil {
		return plan.Result{}, err
	}
	result := plan.Result{Status: plan.Done}
	notes := p.inputs.corrected
	candidate := action.Candidate
	var lost missed
	whole := len(calls) == 1 || action.Count == 0 && needsAll(a.config.Toolbox.Catalogue(), w.Steps, w.At)
	for i, call := range calls {
		if err := os.MkdirAll(call.Dir, 0o700); err != nil {
			return plan.Result{Usage: result.Usage}, fmt.Errorf("make a folder for the call: %w", err)
		}
		made, err := a.run(ctx, p.tool, candidate, call)
		result.Usage = result.Usage.Plus(made.Usage)
		switch {
		case err == nil:
		case whole || ctx.Err() != nil:
			return plan.Result{Usage: result.Usage, Tried: made.Tried}, err
		default:
			lost.add(i, err, made.Tried)
			continue
		}
		for _, failed := range stoodIn(candidate, made) {
			notes = append(notes, plan.Say("%s A fallback was used instead.", failed))
		}
		notes = append(notes, made.Note)
		candidate = made.Candidate // the calls after this one need not fail first
		result.Candidate = made.Candidate
		result.Model = cmp.Or(made.Model, naming.Ran(p.tool, made.Candidate).Model)
		result.Program = made.Program
		result.Approximate = result.Approximate || made.Approximate
		if err := a.storeAll(ctx, w, call, made, &result); err != nil {
			return plan.Result{Usage: result.Usage}, err
		}
	}
	if result.Output == nil {
		return plan.Result{Usage: result.Usage, Tried: lost.tried}, lost.first
	}
	if lost.first != nil {
		a.config.Log.WarnContext(ctx, "parts of a step failed", "request", w.Request.ID, "tool", action.Tool, "step", w.Steps[w.At].Key,
			"parts", lost.parts, "error", plan.ForOperator(lost.first))
	}
	notes = append(notes, lost.note(len(calls), w.told))
	result.Note = a.config.Tell.In(w.Request.Language, note(notes))
	return result, nil
}

// stoodIn says that something else made an output than the candidate that was wanted, where
// that could not even be tried; nothing where it did or was.
func stoodIn(wanted string, made toolbox.Made) []plan.Message {
	if wanted == "" || made.Candidate == wanted || len(made.Failed) > 0 {
		return made.Failed
	}
	return []plan.Message{plan.Say("The planned way to run it is not available at the moment.")}
}

// run uses the tool once and checks what it made.
func (a *Actor) run(ctx context.Context, tool toolbox.Tool, candidate string, call toolbox.Call) (toolbox.Made, error) {
	v := verify.New(verify.Config{Call: call, Effects: tool.Effects, Memory: a.config.Memory, Player: a.config.Player})
	return a.config.Toolbox.Run(ctx, call.Tool, candidate, call, func(o toolbox.Output) error { return v.Verify(ctx, o) })
}

// note joins what people should know about how a step was done. What holds of several calls is said once.
func note(said []plan.Message) plan.Message {
	var parts []plan.Message
	for _, m := range said {
		if !slices.ContainsFunc(parts, m.Equal) {
			parts = append(parts, m)
		}
	}
	return plan.Sentences(parts...)
}
