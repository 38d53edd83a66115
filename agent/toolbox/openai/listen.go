package openai

import (
	"context"
	"fmt"
	"maps"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// transcriptions is the run by which recordings are written down.
const transcriptions = "audio-transcriptions"

// listen asks a model about a recording, by the words that are said in it: a model that answers in
// words takes no sound everywhere.
func (b *Backend) listen(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	writer, err := b.writer(ctx)
	if err != nil {
		return toolbox.Output{}, err
	}
	writer.spent = r.spent
	c.Args = maps.Clone(c.Args)
	for name, values := range c.Args {
		if len(values) != 1 || values[0].Type != plan.Audio {
			continue
		}
		heard, err := b.speech.transcribe(ctx, writer, toolbox.Candidate{}, c)
		if err != nil {
			return toolbox.Output{}, err
		}
		c.Args[name] = []toolbox.Value{{Resource: plan.Resource{Type: plan.Text, Value: heard.Value}}}
	}
	return b.texts.chat(ctx, r, backing, c)
}

// writer is the run that writes recordings down, with its model.
func (b *Backend) writer(ctx context.Context) (run, error) {
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
			return run{}, fmt.Errorf("%s: %w", transcriptions, told(ctx, err))
		}
	}
	return w, nil
}
