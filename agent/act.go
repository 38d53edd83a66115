package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/metadata"
	"atelier/agent/toolbox/verify"
)

// Blobs hold media by key. It is the part of the storage that an agent needs.
type Blobs interface {
	// Put stores everything that r gives; nothing is stored if it fails.
	Put(ctx context.Context, key string, r io.Reader) error
	Get(ctx context.Context, key string) (io.ReadCloser, error)
}

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
func (a *Agent) Act(ctx context.Context, w Work) plan.Result {
	result, _ := a.Try(ctx, w) //nolint:errcheck // it is in the result, in people's words
	return result
}

// Try is [Agent.Act], and gives besides what went wrong: that of the storage, for example,
// which may come back, so that the step can be tried again.
func (a *Agent) Try(ctx context.Context, w Work) (plan.Result, error) {
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
func (a *Agent) logStep(ctx context.Context, w Work, r plan.Result, err error) {
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

// prepared is a step whose inputs are at hand.
type prepared struct {
	inputs inputs
	call   toolbox.Call
	tool   toolbox.Tool
}

// remove removes the folder of the step.
func (p prepared) remove() error {
	if err := os.RemoveAll(p.call.Dir); err != nil {
		return fmt.Errorf("remove the folder of the step: %w", err)
	}
	return nil
}

// prepare fetches the inputs of a step into a folder of its own.
func (a *Agent) prepare(ctx context.Context, w Work) (_ prepared, err error) {
	if err := ctx.Err(); err != nil {
		return prepared{}, err
	}
	if a.config.Blobs == nil {
		return prepared{}, errors.New("the agent has no place for media")
	}
	dir, err := os.MkdirTemp(a.config.Scratch, "atelier-step-")
	if err != nil {
		return prepared{}, fmt.Errorf("make a folder for the step: %w", err)
	}
	step := w.Steps[w.At]
	p := prepared{inputs: inputs{blobs: a.config.Blobs, work: w, dir: filepath.Join(dir, "in")}}
	p.tool, _ = a.config.Toolbox.Catalogue().Tool(step.Action.Tool)
	p.call = toolbox.Call{
		Tool: step.Action.Tool, Returns: step.Action.Returns, Request: w.Request.ID,
		Dir: dir, Seed: seed(w.identity()), Now: w.Request.At, Program: w.Program, Spent: w.Spent,
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.remove())
		}
	}()
	if p.call.Args, err = p.inputs.resolve(ctx, step.Action); err != nil {
		return p, err
	}
	if p.call.Now.IsZero() {
		p.call.Now = a.config.Clock()
	}
	typed, err := p.tool.Typed(p.call)
	if err == nil {
		p.call = typed
	}
	return p, err
}

// act is Act with its error. With one, only Usage and Tried of the result count.
func (a *Agent) act(ctx context.Context, w Work) (_ plan.Result, err error) {
	p, err := a.prepare(ctx, w)
	if err != nil {
		return plan.Result{}, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	calls, err := oneByOne(p.tool, p.call)
	if err != nil {
		return plan.Result{}, err
	}
	action := w.Steps[w.At].Action
	result := plan.Result{Status: plan.Done}
	notes := p.inputs.corrected
	candidate := action.Candidate
	var lost missed
	whole := len(calls) == 1 || needsAll(a.config.Toolbox.Catalogue(), w.Steps, w.At)
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

// run uses the tool once and checks what it made.
func (a *Agent) run(ctx context.Context, tool toolbox.Tool, candidate string, call toolbox.Call) (toolbox.Made, error) {
	v := verify.New(verify.Config{Call: call, Effects: tool.Effects, Memory: a.config.Memory, Player: a.config.Player})
	return a.config.Toolbox.Run(ctx, call.Tool, candidate, call, func(o toolbox.Output) error { return v.Verify(ctx, o) })
}

// storeAll adds what a call made to the result of its step.
func (a *Agent) storeAll(ctx context.Context, w Work, call toolbox.Call, made toolbox.Made, result *plan.Result) error {
	for _, o := range append([]toolbox.Output{made.Output}, made.More...) {
		r, err := a.store(ctx, w, call, len(result.Outputs()), o)
		if err != nil {
			return err
		}
		if result.Output == nil {
			result.Output = &r
		} else {
			result.More = append(result.More, r)
		}
	}
	return nil
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

// store gives output i of a step its names and puts its file into the blobs.
func (a *Agent) store(ctx context.Context, w Work, call toolbox.Call, i int, o toolbox.Output) (_ plan.Resource, err error) {
	step := w.Steps[w.At]
	op, key := operation(step.Action), w.identity()
	if i > 0 {
		key += "#" + strconv.Itoa(i+1)
	}
	r := plan.Resource{
		Name:  w.Memory.name(op, key, filepath.Ext(o.Path), inputNames(step.Action, call)),
		Type:  step.Action.Returns,
		Value: o.Value,
		About: a.config.Tell.In(w.Request.Language, o.About),
	}
	if o.Path == "" {
		r.File = a.textFile(w, call, o)
		return r, nil
	}
	r.File = a.fileName(call, step.Action.Args, r.About, filepath.Ext(o.Path))
	bare := o.Path
	if tool, _ := a.config.Toolbox.Catalogue().Tool(step.Action.Tool); !tool.Tags {
		if bare, err = metadata.File(ctx, o.Path); err != nil { // a tool may hand an input through
			return r, err
		}
	}
	f, err := ordinary(bare)
	if err != nil {
		return r, fmt.Errorf("read the output: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r.Blob = path.Join(cmp.Or(w.Folder, w.Request.ID), r.Name)
	if err := a.config.Blobs.Put(ctx, r.Blob, f); err != nil {
		return r, &plan.Fault{Sentence: plan.Say("The result could not be stored."), Err: fmt.Errorf("put %s: %w", r.Blob, err)}
	}
	return r, nil
}

// ordinary opens a file that is one by itself and no link to another.
func ordinary(path string) (*os.File, error) {
	there, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !there.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(there, info) {
		err = errors.New("it became another file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// operation is the word for a result in its chained name: the kind of picture where
// that says it all, else the tool.
func operation(a plan.Action) string {
	if a.Returns.ImageMap() {
		return string(a.Returns)
	}
	return a.Tool
}

// seed is a number that is the same for the same step.
func seed(identity string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(identity)) // a hash takes all that it is given
	return int64(h.Sum64() >> 1)
}
