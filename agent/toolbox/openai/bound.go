package openai

import (
	"cmp"
	"context"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
)

// maxOutput is the token limit of an answer in words, thoughts included. All current models support it, and
// a tool's result should need less.
const maxOutput = 16_384

// The names of the field with the token limit. OpenAI and Azure have moved to the second one; other servers
// support the first one (OpenAI API reference, create chat completion).
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// bounds returns the fields for the token limit in the order in which they are tried; "" sends no limit.
func (ts *texts) bounds() []string {
	switch e := ts.config.Endpoint; {
	case ts.config.TokenField == maxCompletionTokens,
		ts.config.TokenField == "" && (e.Azure() || e.Host() == "api.openai.com"):
		return []string{maxCompletionTokens, maxTokens, ""}
	default:
		return []string{maxTokens, maxCompletionTokens, ""}
	}
}

// bounded sends a request with a token limit in the first field that the server accepts, and remembers which
// one that was.
func (ts *texts) bounded(ctx context.Context, r run, request api.ChatCompletionRequest) (api.ChatCompletionResponse, error) {
	bounds, most := ts.bounds(), min(maxOutput, cmp.Or(r.most, maxOutput))
	for at := int(ts.limitField.Load()); ; at++ {
		request.MaxTokens, request.MaxCompletionTokens = 0, 0 //nolint:staticcheck // the only field that all servers but OpenAI's support
		switch bounds[at] {
		case maxTokens:
			request.MaxTokens = most //nolint:staticcheck // the same
		case maxCompletionTokens:
			request.MaxCompletionTokens = most
		}
		response, err := ts.config.Endpoint.Client().CreateChatCompletion(ctx, request)
		err = r.asFault(err)
		if err == nil {
			ts.limitField.Store(int32(at)) //nolint:gosec // one of three
			return response, nil
		}
		if bounds[at] == "" {
			return response, err
		}
		switch refused := endpoint.Refused(err); {
		case endpoint.KindOf(err) == endpoint.TooLong: // the limit may exceed the context window, which is a limit itself
			at = len(bounds) - 2
		case refused != maxTokens && refused != maxCompletionTokens:
			return response, err
		}
	}
}

// countUsage adds the usage of an answer to r.spent, estimated if the server does not report it.
func (r run) countUsage(messages []api.ChatCompletionMessage, answer api.ChatCompletionResponse) {
	r.spent.Calls++
	u := answer.Usage
	if u.PromptTokens > 0 || u.CompletionTokens > 0 {
		r.spent.Input += u.PromptTokens
		r.spent.Output += u.CompletionTokens
		return
	}
	r.spent.Estimated = true
	var in, out strings.Builder
	for _, m := range messages {
		in.WriteString(m.Content)
		for _, p := range m.MultiContent {
			in.WriteString(p.Text)
		}
	}
	for _, c := range answer.Choices {
		out.WriteString(c.Message.Content)
	}
	const bytesPerToken = 4
	r.spent.Input += in.Len() / bytesPerToken
	r.spent.Output += out.Len() / bytesPerToken
}
