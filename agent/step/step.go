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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/verify"
)

// Blobs store media by key. It is the part of the storage that steps need.
type Blobs interface {
	// Put stores all data from r. If it fails, nothing is stored.
	Put(ctx context.Context, key string, r io.Reader) error
	Get(ctx context.Context, key string) (io.ReadCloser, error)
}

// Config configures an Actor.
type Config struct {
	Toolbox *toolbox.Toolbox
	// Blobs hold the media that steps read and write. Without them, steps fail.
	Blobs Blobs
	// Scratch is the folder for the files of running steps. Empty means the system's.
	Scratch string
	// Memory bounds the memory used for looking at pictures; nil means no bound.
	Memory *memory.Budget
	// Player checks audio and video made by tools. Nil accepts every file.
	Player verify.Player
	Clock  func() time.Time
	Tell   plan.Translate
	Log    *slog.Logger
}

// Actor does steps. It is safe for concurrent use.
type Actor struct{ config Config }

// New returns an actor. It starts nothing.
func New(c Config) *Actor { return &Actor{c} }

// Work is a step to do.
type Work struct {
	Request plan.Request
	// Steps are all steps of the chosen solutions, At is the index of this one.
	Steps []plan.Step
	At    int
	// Memory holds the plan's resources and the results of earlier steps.
	Memory *Memory
	// Folder is the prefix of the keys under which outputs are stored: Folder/NAME. Empty means the
	// request's ID. Concurrent runs of the same step need different folders.
	Folder string
	// Program is the program written for this step before, "" if one must be written.
	Program string
	// Spent is the number of language model tokens that the request has used so far. It limits
	// program writing.
	Spent int
	// Salt makes the same step a different one, with another seed and other names of outputs. It
	// may be empty.
	Salt string
	// Again asks for a result that differs from an earlier one, whatever seed the request names.
	Again bool
	// Progress takes the share of the step that is done, from 0 to 1, where that is known, and a small PNG or JPEG of
	// what is made so far, or nil. Progress may be nil.
	Progress func(share float64, preview []byte)
}

// identity identifies the step; the seed and the names derive from it.
func (w Work) identity() string { return w.Steps[w.At].Key + w.Salt }

// told returns the sentence about an error for the author of the request.
func (w Work) told(err error, otherwise plan.Message) plan.Message {
	if w.Request.Operator {
		return plan.OperatorSentence(err, otherwise)
	}
	return plan.Sentence(err, otherwise)
}

var failedSomehow = plan.Say("It failed for an unknown reason.")

// Act does one step: it resolves the inputs, runs the tool, verifies the output, and stores it
// under a chained name. Errors are in the result. Act does not record the result in the memory.
func (a *Actor) Act(ctx context.Context, w Work) plan.Result {
	result, _ := a.Try(ctx, w) //nolint:errcheck // the result contains it, worded for people
	return result
}

// Try is like [Actor.Act] and also returns the error, for example of the storage, so that the step
// can be retried.
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
			Cause: plan.ForOperator(err), Usage: result.Usage, Tried: result.Tried,
		}
		result.Trouble, _ = errors.AsType[*plan.Trouble](err)
	}
	result.Took = a.config.Clock().Sub(began)
	a.logStep(ctx, w, result, err)
	return result, err
}

// logStep logs the outcome of a step.
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

// act is Act with its error. On error, only Usage and Tried of the result are set.
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
		notes = append(notes, made.Note, w.savedAs(call, made.Path))
		candidate = made.Candidate // so that later calls need not fail first
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

// stoodIn explains why another candidate than the wanted one made an output; empty if the wanted
// one did.
func stoodIn(wanted string, made toolbox.Made) []plan.Message {
	if wanted == "" || made.Candidate == wanted || len(made.Failed) > 0 {
		return made.Failed
	}
	return []plan.Message{plan.Say("The planned way to run it is not available at the moment.")}
}

// run calls the tool once and verifies its outputs.
func (a *Actor) run(ctx context.Context, tool toolbox.Tool, candidate string, call toolbox.Call) (toolbox.Made, error) {
	v := verify.New(verify.Config{Call: call, Effects: tool.Effects, Memory: a.config.Memory, Player: a.config.Player})
	return a.config.Toolbox.Run(ctx, call.Tool, candidate, call, func(o toolbox.Output) error { return v.Verify(ctx, o) })
}

// savedAs says that the result of an edited HEIC picture is a JPEG, unless the request names the format, or a later step
// edits the picture further: that one knows what is delivered.
func (w Work) savedAs(call toolbox.Call, path string) plan.Message {
	if !call.Returns.Fits(plan.Image) || call.Text("format") != "" || !hasExt(path, ".jpg", ".jpeg") {
		return plan.Message{}
	}
	edited := slices.ContainsFunc(w.Steps[w.At+1:], func(s plan.Step) bool {
		return s.Action.Returns.Fits(plan.Image) && slices.Contains(s.Inputs(), w.At)
	})
	if edited || !w.fromHEIC(w.At) {
		return plan.Message{}
	}
	return plan.Say("It is a JPEG now: I save edited HEIC pictures as JPEG.")
}

// fromHEIC reports whether a step, or one before it whose output it uses, works on a HEIC picture.
func (w Work) fromHEIC(at int) bool {
	step := w.Steps[at]
	for _, b := range step.Action.Args {
		for _, source := range b.Source.Leaves() {
			if source.Kind == plan.OfResource && hasExt(source.Name, ".heic", ".heif", ".hif") {
				return true
			}
		}
	}
	return slices.ContainsFunc(step.Inputs(), w.fromHEIC)
}

func hasExt(name string, extensions ...string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}

// note joins the remarks about how a step was done, without duplicates.
func note(said []plan.Message) plan.Message {
	var parts []plan.Message
	for _, m := range said {
		if !slices.ContainsFunc(parts, m.Equal) {
			parts = append(parts, m)
		}
	}
	return plan.Sentences(parts...)
}
