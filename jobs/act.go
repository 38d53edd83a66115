package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"atelier/agent/plan"
	"atelier/storage"
)

// retrySoon is when a task is looked at again that another process must do.
const retrySoon = 500 * time.Millisecond

// act does one step, writes down what came of it, and hands over what became ready.
func (j *Jobs) act(ctx context.Context, w task) error {
	if w.Step == hearing {
		return j.hearVoice(ctx, w)
	}
	r, err := j.request(ctx, w.Request)
	if err != nil {
		return err
	}
	g := r.generation(w.Run)
	switch {
	case g == nil || g.turns[w.Step] != w.Turn:
		return nil
	case !r.needs(w.Run, w.Step):
		return j.leave(ctx, r, w)
	}
	if _, done := g.ended[w.Step]; !done {
		r, err = j.do(ctx, r, g, w)
		if errors.Is(context.Cause(ctx), errStopped) {
			ctx = context.WithoutCancel(ctx)
			if r, err = j.request(ctx, w.Request); err == nil {
				err = j.leave(ctx, r, w)
			}
			return err
		}
		if err != nil {
			return err
		}
	}
	return j.advance(ctx, r)
}

// leave writes down that a step was stopped, so that it is done by whichever run comes to
// want it: a way may fail that another run has gone on.
func (j *Jobs) leave(ctx context.Context, r *request, w task) error {
	g := r.generations[w.Run]
	_, begun := g.started[w.Step]
	if _, done := g.ended[w.Step]; done || !begun || !r.busy(w.Run) {
		return j.advance(ctx, r)
	}
	r, err := j.write(ctx, r.id, entry{Stopped: &started{w.Run, w.Step, j.id, w.Turn}})
	if err != nil {
		return err
	}
	return j.advance(ctx, r)
}

// do does a step and gives the request as it is then.
func (j *Jobs) do(ctx context.Context, r *request, g *generation, w task) (*request, error) {
	whole, err := j.unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	asked, err := j.planRequest(ctx, whole, g)
	if err != nil {
		return nil, err
	}
	steps, at := whole.place(w.Run, w.Step)
	if next := j.stepTask(ctx, r, w.Run, steps[at]); next.Kind != w.Kind || next.Draft != w.Draft {
		return r, nil // that was done meanwhile
	}
	if _, before := g.started[w.Step]; !before {
		if _, err := j.logs.append(ctx, requestLog(r.id), entry{At: j.config.Now(), Started: &started{w.Run, w.Step, j.id, w.Turn}}); err != nil {
			return nil, err
		}
		j.hint(ctx, r)
	}
	results := map[string]plan.Result{}
	for _, run := range whole.runs {
		if run.generation == w.Run && run.route != nil {
			results = run.route.All()
			break
		}
	}
	folder := path.Join(ThreadFolder(asked.Thread), r.id, hash(rand.Text()))
	of := Work{
		Request: asked, Steps: steps, At: at, Results: results, Resources: whole.generations[w.Run].plan.Resources, Folder: folder, Salt: g.salt,
		Program: r.program(w.Step), Drafts: g.drafts[w.Step],
	}
	if w.Kind == kindWrite {
		of.Spent = whole.generations[w.Run].spent()
		return j.draft(ctx, r, w, of)
	}
	if w.Draft > 0 {
		of.Program = of.Drafts[w.Draft-1].Program
	}
	result, err := j.have(ctx, w, of)
	switch {
	case ctx.Err() != nil: // a step that was stopped is not one that failed
		return nil, errors.Join(context.Cause(ctx), j.discard(ctx, folder))
	case errors.Is(err, errMoved):
		return r, nil
	case waiting(err):
		return nil, err
	case passing(err):
		return nil, errors.Join(fmt.Errorf("run %s: %w", steps[at].Action.Tool, err), j.discard(ctx, folder))
	case err != nil:
		problem := plan.Sentence(err, plan.Say("What this needs is not here any more."))
		result = plan.Result{Status: plan.Failed, Problem: j.say(r, problem)}
	}
	if trouble := result.Trouble; trouble != nil && 0 < w.Draft && w.Draft < plan.MaxDrafts {
		d := of.Drafts[w.Draft-1]
		d.Trouble = trouble
		return j.recordDraft(ctx, r, w, d)
	}
	return j.end(ctx, r, w, of, result)
}

// end writes down what came of a step in the end, with what its drafts have taken.
func (j *Jobs) end(ctx context.Context, r *request, w task, of Work, result plan.Result) (*request, error) {
	end := stepEnd{Generation: w.Run, Step: w.Step}
	if n := len(of.Drafts); n == plan.MaxDrafts {
		last := of.Drafts[n-1]
		last.Trouble = cmp.Or(last.Trouble, result.Trouble)
		if last.Trouble != nil {
			end.Last = &last
		}
	}
	result.Trouble = nil
	if w.Draft > 0 {
		for _, d := range of.Drafts {
			result.Usage = result.Usage.Plus(d.Usage)
			if d.Model != "" {
				result.Model = d.Model
			}
		}
	}
	j.config.Metrics.Tool(of.Steps[of.At].Action.Tool, result)
	end.Result = result
	return j.record(ctx, r, end, of.Folder)
}

// draft has the next program of a step written, and gives the request as it is then. Where none can be
// written, the step has failed.
func (j *Jobs) draft(ctx context.Context, r *request, w task, of Work) (*request, error) {
	writer, ok := j.config.Agent.(Writer)
	if !ok {
		return nil, fmt.Errorf("the queue %s needs an agent that writes programs", QueuePlan)
	}
	began := time.Now()
	d, err := writer.Write(ctx, of)
	of.Folder = "" // nothing was made
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("write a program: %w", context.Cause(ctx))
	case passing(err):
		return nil, fmt.Errorf("write a program: %w", err)
	case err != nil:
		problem := j.say(r, sentenceFor(r, err))
		result := plan.Result{Status: plan.Failed, Problem: problem, Final: plan.Final(err), Usage: d.Usage, Took: time.Since(began)}
		return j.end(ctx, r, w, of, result)
	case d.Trouble != nil && w.Draft == plan.MaxDrafts:
		of.Drafts = append(slices.Clip(of.Drafts), d)
		problem := plan.Say("No tool does this, and the program that was written for it did not work.")
		return j.end(ctx, r, w, of, plan.Result{Status: plan.Failed, Problem: j.say(r, problem), Took: time.Since(began)})
	}
	return j.recordDraft(ctx, r, w, d)
}

// sentenceFor tells who asked what is wrong: whoever runs the program is told more.
func sentenceFor(r *request, err error) plan.Message {
	told := plan.Sentence
	if r.asked.Options.Operator {
		told = plan.OperatorSentence
	}
	return told(err, plan.Say("It failed, and nothing is known of why."))
}

// recordDraft writes down a draft, or what came of running it.
func (j *Jobs) recordDraft(ctx context.Context, r *request, w task, d plan.Draft) (*request, error) {
	by := started{w.Run, w.Step, j.id, w.Turn}
	r, err := j.write(ctx, r.id, entry{Drafted: &drafted{by, w.Draft, d}})
	if err != nil {
		return nil, err
	}
	j.hint(ctx, r)
	return r, nil
}

// program is what was last written for the same step of this request, "" if nothing was.
func (r *request) program(step string) string {
	for _, g := range slices.Backward(r.generations) {
		for _, end := range g.ends {
			if end.Step == step && end.Result.Status == plan.Done && end.Result.Program != "" {
				return end.Result.Program
			}
		}
	}
	return ""
}

// record writes down what came of a step. The first one counts: the media of any other are
// deleted.
func (j *Jobs) record(ctx context.Context, r *request, end stepEnd, folder string) (*request, error) {
	id := r.id
	entries, at, err := j.keepEnd(ctx, r, end, folder)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(entries, func(e *entry) bool {
		return e.Ended != nil && e.Ended.Generation == end.Generation && e.Ended.Step == end.Step
	})
	if first < 0 { // it was forgotten just now
		return nil, errors.Join(fmt.Errorf("request %s: %w", id, ErrUnknown), j.discard(ctx, folder))
	}
	counts := slices.ContainsFunc(entries[first].Ended.Result.Outputs(), func(o plan.Resource) bool { return path.Dir(o.Blob) == folder })
	if first != at && folder != "" && !counts {
		if err := j.discard(ctx, folder); err != nil {
			return nil, err
		}
	}
	r, err = foldRequest(id, entries)
	if err != nil {
		return nil, err
	}
	j.hint(ctx, r)
	return r, nil
}

// endTries is how often the end of a step is written: some minutes long.
const endTries = 10

// keepEnd adds the end of a step to the log. What the step took long to make is not given up
// because the storage takes nothing for a moment: it is tried again from here. Where it comes
// to nothing its media are deleted, unless it may have been written nevertheless.
func (j *Jobs) keepEnd(ctx context.Context, r *request, end stepEnd, folder string) (entries []*entry, at int, err error) {
	thread := ThreadID(r.asked.Event.Thread)
	result, written, tooLarge := end.Result, false, false
	for n := range endTries {
		if end.Result, err = j.texts.packResult(ctx, thread, result); err == nil {
			entries, at, err = j.logs.added(ctx, requestLog(r.id), entry{At: j.config.Now(), Ended: &end})
			written = written || err != nil && !errors.Is(err, storage.ErrFull) && !errors.Is(err, storage.ErrTooLarge) && !errors.Is(err, ErrUnknown)
		}
		if errors.Is(err, storage.ErrTooLarge) && !tooLarge {
			tooLarge = true
			problem := j.say(r, plan.Say("What it made is too large to be kept."))
			result = plan.Result{Status: plan.Failed, Problem: problem, Took: result.Took, Usage: result.Usage}
			continue
		}
		if err == nil || !passing(err) || j.config.Impatient {
			break
		}
		if pause(ctx, j.config.Retry(n)); ctx.Err() != nil {
			break
		}
	}
	if tooLarge || err != nil && !written {
		err = errors.Join(err, j.discard(ctx, folder))
	}
	return entries, at, err
}

// discard deletes the media of an attempt.
func (j *Jobs) discard(ctx context.Context, folder string) error {
	if folder == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if err := j.config.Blobs.DeleteAll(ctx, folder); err != nil {
		return fmt.Errorf("delete what is of no use: %w", err)
	}
	return nil
}

// place finds a step among those of a run that wants it.
func (r *request) place(generation int, step string) ([]plan.Step, int) {
	for _, run := range r.runs {
		if run.generation != generation || run.route == nil || !run.working() {
			continue
		}
		steps := run.route.Steps()
		if at := slices.IndexFunc(steps, func(s plan.Step) bool { return s.Key == step }); at >= 0 {
			return steps, at
		}
	}
	return nil, -1
}

// actFailed writes down that a step could not be done at all, so that another way is taken.
// Where that cannot be written just now, the step may yet be done.
func (j *Jobs) actFailed(ctx context.Context, w task, problem string) error {
	if w.Step == hearing {
		return j.understood(ctx, w.Request, &heard{Generation: w.Run, Problem: problem})
	}
	r, err := j.write(ctx, w.Request, entry{Ended: &stepEnd{Generation: w.Run, Step: w.Step, Result: plan.Result{Status: plan.Failed, Problem: problem}}})
	if err != nil {
		return err
	}
	j.hint(ctx, r)
	return j.advance(ctx, r)
}
