package openai

import (
	"context"
	"fmt"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/improvise"
)

// Improviser is the server as a writer of programs.
func (b *Backend) Improviser() improvise.Writer { return improviser{b} }

type improviser struct{ b *Backend }

// writing is how programs are written.
var writing = toolbox.Candidate{Backing: toolbox.Backing{Kind: "openai", Run: "chat"}}

// Ready tells why the server cannot be asked now, or has no model that writes.
func (i improviser) Ready(ctx context.Context) error { return i.b.Probe(ctx, writing) }

// MaySee reports whether media may leave for the server.
func (i improviser) MaySee() bool { return i.b.outward().May() }

// Converse asks for the next turn. Pictures are shown where there is a model that looks at them.
func (i improviser) Converse(ctx context.Context, t improvise.Talk) (improvise.Reply, error) {
	b, spent := i.b, new(plan.Tokens)
	for {
		r, err := b.writingRun(ctx, len(t.Pictures) > 0)
		if err != nil {
			return improvise.Reply{}, told(ctx, err)
		}
		r.spent, r.most = spent, t.Most
		messages, err := b.texts.turns(ctx, t, r.media)
		if err != nil {
			return improvise.Reply{}, told(ctx, err)
		}
		answer, err := b.texts.complete(endpoint.Label(ctx, t.Request, "improvise", t.Round), r, messages, form{schema: t.Schema})
		reply := improvise.Reply{Text: answer, Model: r.model, Usage: *spent}
		switch {
		case err == nil:
			return reply, nil
		case r.role == "" || endpoint.KindOf(err) != endpoint.ModelUnknown || !b.config.Models.Unknown(ctx, r.role, r.model):
			return reply, fmt.Errorf("write a program: %w", told(ctx, err))
		}
	}
}

// writingRun is the run that writes programs, with its model: one that is shown media if there are
// pictures, they may leave, and such a model is there.
func (b *Backend) writingRun(ctx context.Context, pictures bool) (run, error) {
	if pictures && !b.config.Blind && b.outward().May() {
		if r, err := b.withModel(ctx, toolbox.Candidate{Backing: toolbox.Backing{Kind: "openai", Run: "chat-vision"}}); err == nil {
			return r, nil
		}
	}
	return b.withModel(ctx, writing)
}

// withModel is the run of a backing, with the model that is set or chosen for it.
func (b *Backend) withModel(ctx context.Context, backing toolbox.Candidate) (run, error) {
	r, err := b.find(backing)
	switch {
	case err != nil || r.model != "":
		return r, err
	case !r.known():
		return r, r.unset(nil)
	}
	r.model, err = b.choose(ctx, backing, r)
	return r, err
}

// turns are the messages of a conversation.
func (ts *texts) turns(ctx context.Context, t improvise.Talk, seeing bool) ([]api.ChatCompletionMessage, error) {
	messages := []api.ChatCompletionMessage{{Role: api.ChatMessageRoleSystem, Content: t.System}}
	for n, turn := range t.Turns {
		m := api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: turn}
		if n%2 == 1 {
			m.Role = api.ChatMessageRoleAssistant
		}
		if n == 0 && seeing {
			var err error
			if m, err = ts.looking(ctx, t, turn); err != nil {
				return nil, err
			}
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// looking is a turn with its pictures.
func (ts *texts) looking(ctx context.Context, t improvise.Talk, text string) (api.ChatCompletionMessage, error) {
	parts := []api.ChatMessagePart{textPart(text)}
	for _, path := range t.Pictures {
		url, err := ts.dataURL(ctx, t.Dir, path)
		if err != nil {
			return api.ChatCompletionMessage{}, err
		}
		parts = append(parts, api.ChatMessagePart{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{URL: url}})
	}
	return api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, MultiContent: parts}, nil
}
