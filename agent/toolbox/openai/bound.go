package openai

import (
	"cmp"
	"context"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
)

// maxOutput is the most tokens of one answer in words, thoughts included: what the models
// of today all may write, and more than a tool's result should have.
const maxOutput = 16_384

// The names of the field that bounds an answer. OpenAI and Azure have moved to the
// second; other servers know the first (OpenAI API reference, create chat completion).
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// bounds are the ways to bound an answer, in the order in which they are tried; "" is
// none, where only its bytes are counted.
func (ts *texts) bounds() []string {
	switch e := ts.config.Endpoint; {
	case ts.config.TokenField == maxCompletionTokens,
		ts.config.TokenField == "" && (e.Azure() || e.Host() == "api.openai.com"):
		return []string{maxCompletionTokens, maxTokens, ""}
	default:
		return []string{maxTokens, maxCompletionTokens, ""}
	}
}

// bounded asks for an answer that is bounded in the first way that the server takes, and
// remembers which that was.
func (ts *texts) bounded(ctx context.Context, r run, request api.ChatCompletionRequest) (api.ChatCompletionResponse, error) {
	bounds, most := ts.bounds(), min(maxOutput, cmp.Or(r.most, maxOutput))
	for at := int(ts.looseness.Load()); ; at++ {
		request.MaxTokens, request.MaxCompletionTokens = 0, 0 //nolint:staticcheck // the only field that servers other than OpenAI's all know
		switch bounds[at] {
		case maxTokens:
			request.MaxTokens = most //nolint:staticcheck // the same
		case maxCompletionTokens:
			request.MaxCompletionTokens = most
		}
		response, err := ts.config.Endpoint.Client().CreateChatCompletion(ctx, request)
		err = r.sorted(err)
		if err == nil {
			ts.looseness.Store(int32(at)) //nolint:gosec // one of three
			return response, nil
		}
		if bounds[at] == "" {
			return response, err
		}
		switch refused := endpoint.Refused(err); {
		case endpoint.KindOf(err) == endpoint.TooLong: // the bound may be what is too much, and the context is one itself
			at = len(bounds) - 2
		case refused != maxTokens && refused != maxCompletionTokens:
			return response, err
		}
	}
}

// counts notes what an answer took, estimated where the server does not tell.
func (r run) counts(messages []api.ChatCompletionMessage, answer api.ChatCompletionResponse) {
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
