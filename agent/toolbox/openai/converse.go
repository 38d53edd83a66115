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
func (i improviser) MaySee() bool { return i.b.mayLeave() }

// Converse asks for the next turn. Pictures are shown to a model that looks at pictures.
func (i improviser) Converse(ctx context.Context, t improvise.Talk) (improvise.Reply, error) {
	b, backing := i.b, writing
	if !b.config.Blind && b.runs["chat-vision"].known() && len(t.Pictures) > 0 && b.mayLeave() {
		backing.Run = "chat-vision"
	}
	r, err := b.find(backing)
	if err != nil {
		return improvise.Reply{}, err
	}
	r.spent = new(plan.Tokens)
	if r.model == "" {
		if r.model, err = b.choose(ctx, backing, r); err != nil {
			return improvise.Reply{}, told(ctx, err)
		}
	}
	messages := []api.ChatCompletionMessage{{Role: api.ChatMessageRoleSystem, Content: t.System}}
	for n, turn := range t.Turns {
		m := api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: turn}
		if n%2 == 1 {
			m.Role = api.ChatMessageRoleAssistant
		}
		if n == 0 && backing.Run == "chat-vision" {
			if m, err = b.looking(ctx, t, turn); err != nil {
				return improvise.Reply{}, err
			}
		}
		messages = append(messages, m)
	}
	answer, err := b.complete(endpoint.Label(ctx, t.Request, "improvise", t.Round), r, messages, form{schema: t.Schema})
	reply := improvise.Reply{Text: answer, Model: r.model, Usage: *r.spent}
	if err != nil {
		return reply, fmt.Errorf("write a program: %w", told(ctx, err))
	}
	return reply, nil
}

// looking is a turn with its pictures.
func (b *Backend) looking(ctx context.Context, t improvise.Talk, text string) (api.ChatCompletionMessage, error) {
	parts := []api.ChatMessagePart{textPart(text)}
	for _, path := range t.Pictures {
		url, err := b.dataURL(ctx, t.Dir, path)
		if err != nil {
			return api.ChatCompletionMessage{}, err
		}
		parts = append(parts, api.ChatMessagePart{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{URL: url}})
	}
	return api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, MultiContent: parts}, nil
}
