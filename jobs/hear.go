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

// maxHeard is the longest wish that is taken from a voice message, in bytes.
const maxHeard = 8 << 10

// listening is where a voice message is listened to.
func (j *Jobs) listening(ctx context.Context, r *record.Request) string {
	if j.config.Agent != nil {
		if a, ok := j.config.Agent.Hears(ctx, *r.Voice()); ok {
			return j.queueFor(ctx, a)
		}
	}
	return queue.CPU
}

// hearVoice listens to a voice message, and hands over the planning of what it says.
func (j *Jobs) hearVoice(ctx context.Context, w queue.Task) error {
	r, err := j.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	if !r.Needs(w.Run, w.Step) {
		return j.advance(ctx, r)
	}
	h, err := j.listen(ctx, r, w)
	switch {
	case errors.Is(err, errMoved):
		return nil
	case err != nil:
		return err
	}
	h.Generation = w.Run
	return j.understood(ctx, r.ID, h)
}

// listen has the best tool there is write down what is said.
func (j *Jobs) listen(ctx context.Context, r *record.Request, w queue.Task) (*record.Transcript, error) {
	voice := *r.Voice()
	action, ok := j.config.Agent.Hears(ctx, voice)
	if !ok {
		return &record.Transcript{Problem: j.say(r, plan.Say("Nothing here can listen to voice messages. Please write what you want."))}, nil
	}
	g := r.Generations[w.Run]
	asked, err := j.planRequest(ctx, r, g)
	if err != nil {
		return nil, err
	}
	folder := path.Join(record.ThreadFolder(asked.Thread), r.ID, record.Hash(rand.Text()))
	result, err := j.have(ctx, w, Work{
		Request: asked, Steps: []plan.Step{{Key: record.TranscriptionStep, Action: action, Final: true}}, Resources: []plan.Resource{voice}, Folder: folder, Salt: g.Salt,
	})
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), j.discard(ctx, folder))
	case queue.Waiting(err), errors.Is(err, errMoved):
		return nil, err
	case passing(err):
		return nil, errors.Join(fmt.Errorf("run %s: %w", action.Tool, err), j.discard(ctx, folder))
	case err != nil:
		problem := plan.Sentence(err, plan.Say("What this needs is not here any more."))
		result = plan.Result{Status: plan.Failed, Problem: j.say(r, problem)}
	}
	j.config.Metrics.Tool(action.Tool, result)
	text := ""
	if result.Status == plan.Done && result.Output != nil {
		text = strings.TrimSpace(result.Output.Value)
	}
	switch {
	case text == "":
		said := plan.Say("I could not make out your voice message. Please write what you want.")
		if result.Problem != "" {
			said = plan.Say("I could not make out your voice message: %s Please write what you want.", result.Problem)
		}
		return &record.Transcript{Problem: j.say(r, said)}, nil
	case len(text) > maxHeard:
		return &record.Transcript{Problem: j.say(r, plan.Say("Your voice message is too long for a wish. Please say it in fewer words."))}, nil
	}
	return &record.Transcript{Text: text, Approximate: result.Approximate}, nil
}

// understood writes down what a voice message says, or that it cannot be told.
func (j *Jobs) understood(ctx context.Context, id string, h *record.Transcript) error {
	r, err := j.store.Write(ctx, id, record.Entry{Transcribed: h})
	if err != nil {
		return err
	}
	j.hint(ctx, r)
	return j.advance(ctx, r)
}

// quoted is the answer with what was understood of a voice message before it.
func (j *Jobs) quoted(r *record.Request, g *record.Generation, text string) string {
	if g.Transcript == nil || g.Transcript.Text == "" {
		return text
	}
	said := plan.Say("I understood: “%s”", g.Transcript.Text)
	if g.Transcript.Approximate {
		said = plan.Say("I understood, as well as I can here: “%s”", g.Transcript.Text)
	}
	return strings.TrimSpace(j.say(r, said) + "\n\n" + text)
}
