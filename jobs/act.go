package jobs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/agent/sleep"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// actor is the stage act: it runs one step of a plan.
type actor struct {
	store       *record.Store
	flow        *flow
	transcriber *transcriber
	inputs      *inputs
	runner      *runner
	agent       Agent
	metrics     Metrics
	say         sayer
	self        string
	retry       func(retries int) time.Duration
	impatient   bool
	log         *slog.Logger
}

// run runs one step, records its result, and enqueues the tasks that became ready.
func (c *actor) run(ctx context.Context, w queue.Task) error {
	if w.Step == record.TranscriptionStep {
		return c.transcriber.run(ctx, w)
	}
	r, err := c.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	g := r.Generation(w.Generation)
	switch {
	case g == nil || g.Turns[w.Step] != w.Turn:
		return nil
	case !r.Needs(w.Generation, w.Step):
		return c.leave(ctx, r, w)
	}
	if _, done := g.Ended[w.Step]; !done {
		r, err = c.do(ctx, r, g, w)
		if errors.Is(context.Cause(ctx), errStopped) {
			ctx = context.WithoutCancel(ctx)
			if r, err = c.store.Request(ctx, w.Request); err == nil {
				err = c.leave(ctx, r, w)
			}
			return err
		}
		if err != nil {
			return err
		}
	}
	return c.flow.advance(ctx, r)
}

// do runs a step and returns the request with its result.
func (c *actor) do(ctx context.Context, r *record.Request, g *record.Generation, w queue.Task) (*record.Request, error) {
	whole, err := c.store.Unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	asked, err := c.inputs.of(ctx, whole, g)
	if err != nil {
		return nil, err
	}
	steps, at := whole.StepsWith(w.Generation, w.Step)
	if next := c.flow.stepTask(ctx, r, w.Generation, steps[at]); next.Kind != w.Kind || next.Draft != w.Draft {
		return r, nil // done meanwhile
	}
	if _, before := g.Started[w.Step]; !before {
		begun := record.StepTurn{Generation: w.Generation, Step: w.Step, Worker: c.self, Turn: w.Turn}
		if _, err := c.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Started: &begun}); err != nil {
			return nil, err
		}
		c.flow.written(ctx, r)
	}
	results := map[string]plan.Result{}
	for _, run := range whole.Runs {
		if run.Generation == w.Generation && run.Route != nil {
			results = run.Route.All()
			break
		}
	}
	folder := path.Join(record.ThreadFolder(asked.Thread), r.ID, record.Hash(rand.Text()))
	of := Work{
		Request: asked, Steps: steps, At: at, Results: results, Resources: whole.Generations[w.Generation].Plan.Resources, Folder: folder, Salt: g.Salt,
		Again: g.Again, Program: r.LastProgram(w.Step), Drafts: g.Drafts[w.Step],
	}
	if w.Kind == queue.KindWrite {
		of.Spent = whole.Generations[w.Generation].Spent()
		return c.draft(ctx, r, w, of)
	}
	if w.Draft > 0 {
		of.Program = of.Drafts[w.Draft-1].Program
	}
	preview := path.Join(previews(r), record.Hash(rand.Text()))
	of.Progress = c.progress(ctx, r, w, preview)
	result, err := c.runner.run(ctx, w, of)
	c.runner.dropPreview(ctx, preview, c.log)
	switch {
	case ctx.Err() != nil: // stopped, not failed
		return nil, errors.Join(context.Cause(ctx), c.runner.discard(ctx, folder))
	case errors.Is(err, errMoved):
		return r, nil
	case queue.Waiting(err):
		return nil, err
	case queue.Passing(err):
		return nil, errors.Join(fmt.Errorf("run %s: %w", steps[at].Action.Tool, err), c.runner.discard(ctx, folder))
	case err != nil:
		problem := plan.Sentence(err, plan.Say("Something that this needs is no longer available. Please ask again."))
		result = plan.Result{Status: plan.Failed, Problem: c.say(r, problem), Cause: plan.ForOperator(err)}
	}
	if trouble := result.Trouble; trouble != nil && 0 < w.Draft && w.Draft < plan.MaxDrafts {
		d := of.Drafts[w.Draft-1]
		d.Trouble = trouble
		return c.recordDraft(ctx, r, w, d)
	}
	return c.end(ctx, r, w, of, result)
}

// progress returns a function that shows people how much of a step is done, in steps of 5 percent, and its newest preview,
// which is stored under the key.
func (c *actor) progress(ctx context.Context, r *record.Request, w queue.Task, key string) func(share float64, preview []byte) {
	shown := record.Progress{Percent: -1}
	var last []byte
	return func(share float64, preview []byte) {
		now := shown
		now.Percent = int(20*min(max(share, 0), 1)) * 5
		if len(preview) > 0 && !bytes.Equal(preview, last) {
			if err := c.runner.blobs.Put(ctx, key, bytes.NewReader(preview)); err != nil {
				c.log.DebugContext(ctx, "cannot store the preview of a step", "request", r.ID, "error", plan.ForOperator(err))
			} else {
				last = preview
				now.Preview = adapters.Preview{
					Handle: key, Type: http.DetectContentType(preview), Size: int64(len(preview)), Version: shown.Preview.Version + 1,
				}
			}
		}
		if now == shown {
			return
		}
		shown = now
		if err := c.store.NoteProgress(ctx, r.ID, w.Generation, w.Step, now); err != nil {
			c.log.DebugContext(ctx, "cannot note the progress of a step", "request", r.ID, "error", plan.ForOperator(err))
			return
		}
		c.flow.written(ctx, r)
	}
}

// draft has the agent write the next program of a step, and returns the request with it. If no program
// can be written, the step fails.
func (c *actor) draft(ctx context.Context, r *record.Request, w queue.Task, of Work) (*record.Request, error) {
	writer, ok := c.agent.(Writer)
	if !ok {
		return nil, fmt.Errorf("the queue %s requires an agent that writes programs", queue.Plan)
	}
	began := time.Now()
	d, err := writer.Write(ctx, of)
	of.Folder = "" // nothing was made
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("write a program: %w", context.Cause(ctx))
	case queue.Passing(err):
		return nil, fmt.Errorf("write a program: %w", err)
	case err != nil:
		problem := c.say(r, sentenceFor(r, err))
		result := plan.Result{Status: plan.Failed, Problem: problem, Final: plan.Final(err), Usage: d.Usage, Took: time.Since(began)}
		return c.end(ctx, r, w, of, result)
	case d.Trouble != nil && w.Draft == plan.MaxDrafts:
		of.Drafts = append(slices.Clip(of.Drafts), d)
		problem := plan.Say("No tool does this, and the program that I wrote for it did not work.")
		return c.end(ctx, r, w, of, plan.Result{Status: plan.Failed, Problem: c.say(r, problem), Took: time.Since(began)})
	}
	return c.recordDraft(ctx, r, w, d)
}

// sentenceFor is the error message for the person who asked; the operator's log has more detail.
func sentenceFor(r *record.Request, err error) plan.Message {
	told := plan.Sentence
	if r.Asked.Options.Operator {
		told = plan.OperatorSentence
	}
	return told(err, plan.Say("It failed for an unknown reason."))
}

// recordDraft records a draft, or why it failed to run.
func (c *actor) recordDraft(ctx context.Context, r *record.Request, w queue.Task, d plan.Draft) (*record.Request, error) {
	by := record.StepTurn{Generation: w.Generation, Step: w.Step, Worker: c.self, Turn: w.Turn}
	r, err := c.store.Write(ctx, r.ID, record.Entry{Drafted: &record.Drafted{StepTurn: by, N: w.Draft, Draft: d}})
	if err != nil {
		return nil, err
	}
	c.flow.written(ctx, r)
	return r, nil
}

// end records the final result of a step, including the usage of its drafts.
func (c *actor) end(ctx context.Context, r *record.Request, w queue.Task, of Work, result plan.Result) (*record.Request, error) {
	end := record.StepEnd{Generation: w.Generation, Step: w.Step}
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
	c.metrics.Tool(of.Steps[of.At].Action.Tool, result)
	end.Result = result
	return c.record(ctx, r, end, of.Folder)
}

// record records the result of a step. Only the first result counts: the media of others are deleted.
func (c *actor) record(ctx context.Context, r *record.Request, end record.StepEnd, folder string) (*record.Request, error) {
	id := r.ID
	entries, at, err := c.writeEnd(ctx, r, end, folder)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(entries, func(e *record.Entry) bool {
		return e.Ended != nil && e.Ended.Generation == end.Generation && e.Ended.Step == end.Step
	})
	if first < 0 { // the thread was just forgotten
		return nil, errors.Join(fmt.Errorf("request %s: %w", id, record.ErrUnknown), c.runner.discard(ctx, folder))
	}
	counts := slices.ContainsFunc(entries[first].Ended.Result.Outputs(), func(o plan.Resource) bool { return path.Dir(o.Blob) == folder })
	if first != at && folder != "" && !counts {
		if err := c.runner.discard(ctx, folder); err != nil {
			return nil, err
		}
	}
	r, err = record.FoldRequest(id, entries)
	if err != nil {
		return nil, err
	}
	c.flow.written(ctx, r)
	return r, nil
}

// endTries is how many times writing the end of a step is tried, which takes some minutes.
const endTries = 10

// writeEnd adds the end of a step to the log. It retries, so that an expensive result is not lost in a
// short outage of the storage. If writing fails, the media are deleted, unless the entry may have been
// written after all.
func (c *actor) writeEnd(ctx context.Context, r *record.Request, end record.StepEnd, folder string) (entries []*record.Entry, at int, err error) {
	thread := record.ThreadID(r.Asked.Event.Thread)
	result, written, tooLarge := end.Result, false, false
	for n := range endTries {
		if end.Result, err = c.store.Texts.PackResult(ctx, thread, result); err == nil {
			entries, at, err = c.store.Logs.AppendRead(ctx, record.RequestLog(r.ID), record.Entry{Ended: &end})
			written = written || err != nil && !errors.Is(err, storage.ErrFull) && !errors.Is(err, storage.ErrTooLarge) && !errors.Is(err, record.ErrUnknown)
		}
		if errors.Is(err, storage.ErrTooLarge) && !tooLarge {
			tooLarge = true
			problem := c.say(r, plan.Say("The result is too large to store."))
			result = plan.Result{Status: plan.Failed, Problem: problem, Took: result.Took, Usage: result.Usage}
			continue
		}
		if err == nil || !queue.Passing(err) || c.impatient {
			break
		}
		if sleep.For(ctx, c.retry(n)) != nil {
			break
		}
	}
	if tooLarge || err != nil && !written {
		err = errors.Join(err, c.runner.discard(ctx, folder))
	}
	return entries, at, err
}

// leave records that a step was stopped, so that a later run that needs it starts it again.
func (c *actor) leave(ctx context.Context, r *record.Request, w queue.Task) error {
	g := r.Generations[w.Generation]
	_, begun := g.Started[w.Step]
	if _, done := g.Ended[w.Step]; done || !begun || !r.Busy(w.Generation) {
		return c.flow.advance(ctx, r)
	}
	r, err := c.store.Write(ctx, r.ID, record.Entry{Stopped: &record.StepTurn{Generation: w.Generation, Step: w.Step, Worker: c.self, Turn: w.Turn}})
	if err != nil {
		return err
	}
	return c.flow.advance(ctx, r)
}

// fail records that a step could not be run at all, so that an alternative is tried.
func (c *actor) fail(ctx context.Context, w queue.Task, problem string, err error) error {
	if w.Step == record.TranscriptionStep {
		return c.transcriber.write(ctx, w.Request, &record.Transcript{Generation: w.Generation, Problem: problem})
	}
	result := plan.Result{Status: plan.Failed, Problem: problem, Cause: plan.ForOperator(err)}
	end := record.StepEnd{Generation: w.Generation, Step: w.Step, Result: result}
	r, err := c.store.Write(ctx, w.Request, record.Entry{Ended: &end})
	if err != nil {
		return err
	}
	c.flow.written(ctx, r)
	return c.flow.advance(ctx, r)
}

// runner runs steps, here or in another process.
type runner struct {
	blobs  storage.Blobs
	tasks  *queue.Tasks
	others *queue.Others
	flow   *flow
	agent  Agent
}

// errMoved means that a task was handed over to another queue.
var errMoved = errors.New("moved to another queue")

// run has the agent run a step, or leaves it to a process that runs it better. If the task's queue has no
// such process, or it did not take the step in time, the step runs here as well as possible.
func (r *runner) run(ctx context.Context, w queue.Task, of Work) (plan.Result, error) {
	result, err := r.agent.Act(ctx, of)
	if !errors.Is(err, ErrLacking) || ctx.Err() != nil {
		return result, err
	}
	action := of.Steps[of.At].Action
	others := r.others.CanRun(ctx, action.Tool, w.Queue)
	// A process without an agent puts all steps on cpu. Steps never move to cpu, so that they cannot
	// move back and forth.
	for _, to := range []string{queue.GPU, queue.Program} {
		if w.Queue == queue.CPU && r.others.CanRun(ctx, action.Tool, to) && (!others || r.flow.queueFor(ctx, action) == to) {
			w.Queue = to
			if err := r.tasks.Enqueue(ctx, w, 0); err != nil {
				return result, err
			}
			return result, errMoved
		}
	}
	if !others || !r.others.MayWait(w) {
		of.Anyhow = true
		if result, err = r.agent.Act(ctx, of); !errors.Is(err, ErrLacking) {
			return result, err
		}
	}
	if others {
		return result, queue.Wait(queue.RetrySoon, fmt.Errorf("run %s: %w", action.Tool, err))
	}
	return result, err
}

// discard deletes the media of an attempt.
func (r *runner) discard(ctx context.Context, folder string) error {
	if folder == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if err := r.blobs.DeleteAll(ctx, folder); err != nil {
		return fmt.Errorf("delete unused media: %w", err)
	}
	return nil
}

// previews is the folder in Blobs of the previews of a request's running steps.
func previews(r *record.Request) string {
	return path.Join(record.ThreadFolder(record.ThreadID(r.Asked.Event.Thread)), r.ID, "previews")
}

// dropPreview deletes the preview of a step that runs no longer.
func (r *runner) dropPreview(ctx context.Context, key string, log *slog.Logger) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if err := r.blobs.Delete(ctx, key); err != nil { // it goes with its request
		log.DebugContext(ctx, "cannot delete the preview of a step", "error", plan.ForOperator(err))
	}
}

// transcriber turns a voice message into a request, before planning.
type transcriber struct {
	store   *record.Store
	flow    *flow
	inputs  *inputs
	runner  *runner
	agent   Agent
	metrics Metrics
	say     sayer
}

// run transcribes a voice message and enqueues planning.
func (t *transcriber) run(ctx context.Context, w queue.Task) error {
	r, err := t.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	if !r.Needs(w.Generation, w.Step) {
		return t.flow.advance(ctx, r)
	}
	h, err := t.transcribe(ctx, r, w)
	switch {
	case errors.Is(err, errMoved):
		return nil
	case err != nil:
		return err
	}
	h.Generation = w.Generation
	return t.write(ctx, r.ID, h)
}

// maxHeard is the maximum length of a transcript in bytes.
const maxHeard = 8 << 10

// transcribe has the best tool transcribe the voice message.
func (t *transcriber) transcribe(ctx context.Context, r *record.Request, w queue.Task) (*record.Transcript, error) {
	voice := *r.Voice()
	action, ok := t.agent.Hears(ctx, voice)
	if !ok {
		return &record.Transcript{Problem: t.say(r, plan.Say("I cannot listen to voice messages here. Please write what you want."))}, nil
	}
	g := r.Generations[w.Generation]
	asked, err := t.inputs.of(ctx, r, g)
	if err != nil {
		return nil, err
	}
	folder := path.Join(record.ThreadFolder(asked.Thread), r.ID, record.Hash(rand.Text()))
	result, err := t.runner.run(ctx, w, Work{
		Request: asked, Steps: []plan.Step{{Key: record.TranscriptionStep, Action: action, Final: true}},
		Resources: []plan.Resource{voice}, Folder: folder, Salt: g.Salt,
	})
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), t.runner.discard(ctx, folder))
	case queue.Waiting(err), errors.Is(err, errMoved):
		return nil, err
	case queue.Passing(err):
		return nil, errors.Join(fmt.Errorf("run %s: %w", action.Tool, err), t.runner.discard(ctx, folder))
	case err != nil:
		problem := plan.Sentence(err, plan.Say("Something that this needs is no longer available. Please ask again."))
		result = plan.Result{Status: plan.Failed, Problem: t.say(r, problem)}
	}
	t.metrics.Tool(action.Tool, result)
	text := ""
	if result.Status == plan.Done && result.Output != nil {
		text = strings.TrimSpace(result.Output.Value)
	}
	switch {
	case text == "":
		said := plan.Say("I could not understand your voice message. Please write what you want.")
		if result.Problem != "" {
			said = plan.Say("I could not understand your voice message: %s Please write what you want.", result.Problem)
		}
		return &record.Transcript{Problem: t.say(r, said)}, nil
	case len(text) > maxHeard:
		return &record.Transcript{Problem: t.say(r, plan.Say("Your voice message is too long. Please use fewer words."))}, nil
	}
	return &record.Transcript{Text: text, Approximate: result.Approximate}, nil
}

// write records the transcript of a voice message, or why there is none.
func (t *transcriber) write(ctx context.Context, id string, h *record.Transcript) error {
	r, err := t.store.Write(ctx, id, record.Entry{Transcribed: h})
	if err != nil {
		return err
	}
	t.flow.written(ctx, r)
	return t.flow.advance(ctx, r)
}
