package openai

import (
	"context"
	"fmt"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/improvise"
	"atelier/agent/toolbox/media"
)

// Improviser returns the server as a writer of programs.
func (b *Backend) Improviser() improvise.Writer { return improviser{b} }

type improviser struct{ b *Backend }

// writing is the candidate that writes programs.
var writing = toolbox.Candidate{Backing: toolbox.Backing{Kind: "openai", Run: "chat"}}

// Ready returns why the server cannot write programs now, or nil.
func (i improviser) Ready(ctx context.Context) error { return i.b.Probe(ctx, writing) }

// MaySee reports whether media may be sent to the server.
func (i improviser) MaySee() bool { return i.b.outward().Allows() }

// Converse returns the next turn of the model. Pictures are shown if there is a vision model.
func (i improviser) Converse(ctx context.Context, t improvise.Conversation) (improvise.Reply, error) {
	b, spent := i.b, new(plan.Tokens)
	for {
		r, err := b.writingRun(ctx, len(t.Pictures) > 0)
		if err != nil {
			return improvise.Reply{}, media.WithSentence(ctx, err)
		}
		r.spent, r.most = spent, t.Most
		messages, err := b.texts.turns(ctx, t, r.media)
		if err != nil {
			return improvise.Reply{}, media.WithSentence(ctx, err)
		}
		answer, err := b.texts.complete(endpoint.Label(ctx, t.Request, "improvise", t.Round), r, messages, form{schema: t.Schema})
		reply := improvise.Reply{Text: answer, Model: r.model, Usage: *spent}
		switch {
		case err == nil:
			return reply, nil
		case r.role == "" || endpoint.KindOf(err) != endpoint.ModelUnknown || !b.config.Models.Unknown(ctx, r.role, r.model):
			return reply, fmt.Errorf("write a program: %w", media.WithSentence(ctx, err))
		}
	}
}

// writingRun returns the run that writes programs, with its model: a vision model if there are pictures,
// they may be sent, and the server has one.
func (b *Backend) writingRun(ctx context.Context, pictures bool) (run, error) {
	if pictures && !b.config.Blind && b.outward().Allows() {
		if r, err := b.withModel(ctx, toolbox.Candidate{Backing: toolbox.Backing{Kind: "openai", Run: "chat-vision"}}); err == nil {
			return r, nil
		}
	}
	return b.withModel(ctx, writing)
}

// withModel returns the run of a backing, with the configured or chosen model.
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

// turns returns the messages of a conversation.
func (ts *texts) turns(ctx context.Context, t improvise.Conversation, seeing bool) ([]api.ChatCompletionMessage, error) {
	messages := []api.ChatCompletionMessage{{Role: api.ChatMessageRoleSystem, Content: t.System}}
	for n, turn := range t.Turns {
		m := api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: turn}
		if n%2 == 1 {
			m.Role = api.ChatMessageRoleAssistant
		}
		if n == 0 && seeing {
			var err error
			if m, err = ts.turnWithPictures(ctx, t, turn); err != nil {
				return nil, err
			}
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// turnWithPictures returns a turn with its pictures.
func (ts *texts) turnWithPictures(ctx context.Context, t improvise.Conversation, text string) (api.ChatCompletionMessage, error) {
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
