package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"strings"

	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

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
	if !r.Needs(w.Run, w.Step) {
		return t.flow.advance(ctx, r)
	}
	h, err := t.transcribe(ctx, r, w)
	switch {
	case errors.Is(err, errMoved):
		return nil
	case err != nil:
		return err
	}
	h.Generation = w.Run
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
	g := r.Generations[w.Run]
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
