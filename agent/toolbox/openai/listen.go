package openai

import (
	"context"
	"fmt"
	"maps"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// transcriptions is the name of the run that transcribes recordings.
const transcriptions = "audio-transcriptions"

// listen asks a model about a recording by its transcript, since many language models accept no sound.
func (b *Backend) listen(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	transcriber, err := b.transcriber(ctx)
	if err != nil {
		return toolbox.Output{}, err
	}
	transcriber.spent = r.spent
	c.Args = maps.Clone(c.Args)
	for name, values := range c.Args {
		if len(values) != 1 || values[0].Type != plan.Audio {
			continue
		}
		heard, err := b.speech.transcribe(ctx, transcriber, toolbox.Candidate{}, c)
		if err != nil {
			return toolbox.Output{}, err
		}
		c.Args[name] = []toolbox.Value{{Resource: plan.Resource{Type: plan.Text, Value: heard.Value}}}
	}
	return b.texts.chat(ctx, r, backing, c)
}

// transcriber returns the run that transcribes recordings, with its model.
func (b *Backend) transcriber(ctx context.Context) (run, error) {
	backing := toolbox.Candidate{Backing: toolbox.Backing{Run: transcriptions}}
	w, err := b.find(backing)
	if err != nil {
		return run{}, err
	}
	if !w.known() {
		return run{}, fault(nil, "It needs a model: set %s to one that the model server has.", w.variable)
	}
	if w.model == "" {
		if w.model, err = b.choose(ctx, backing, w); err != nil {
			return run{}, fmt.Errorf("%s: %w", transcriptions, media.WithSentence(ctx, err))
		}
	}
	return w, nil
}
