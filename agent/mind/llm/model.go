package llm

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
)

// format is how an answer is asked for; from what binds the model most to what every
// server has.
type format int32

const (
	bySchema format = iota
	asJSON
	asText
)

// asked is a model with what is known of its server.
type asked struct {
	Model
	// takes is the most binding format that the server has not refused yet.
	takes atomic.Int32
}

func newAsked(m Model) (*asked, error) {
	switch {
	case m.Endpoint == nil:
		return nil, errors.New("llm: a model needs a server")
	case m.Name == "":
		return nil, errors.New("llm: a model needs a name")
	case m.TokenField != "" && m.TokenField != maxTokens && m.TokenField != maxCompletionTokens:
		return nil, fmt.Errorf("llm: the token field is %q, and must be %s or %s", m.TokenField, maxTokens, maxCompletionTokens)
	}
	return &asked{Model: m}, nil
}

// The names of the field that bounds an answer. OpenAI and Azure have moved to the
// second; other servers know the first.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// reasons tells whether the name is that of a model that thinks before it answers: it
// takes no temperature, and its thoughts count as output.
func (a *asked) reasons() bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(a.Name, prefix) {
			return true
		}
	}
	return false
}

// thoughts is how many times more tokens a model that reasons may write.
const thoughts = 4

// request builds the call for an answer of at most so many tokens.
func (a *asked) request(messages []openai.ChatCompletionMessage, s *schema, f format, most int) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: a.Name, Messages: messages}
	if a.reasons() {
		most *= thoughts
	} else {
		r.Temperature = math.SmallestNonzeroFloat32 // zero would be left out
	}
	if a.tokenField() == maxTokens {
		r.MaxTokens = most //nolint:staticcheck // the only field that servers other than OpenAI's all know
	} else {
		r.MaxCompletionTokens = most
	}
	if s == nil {
		return r
	}
	switch f {
	case bySchema:
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: s.name, Schema: s.json, Strict: true},
		}
	case asJSON:
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	case asText: // the prompt alone says what is wanted
	}
	return r
}

func (a *asked) tokenField() string {
	switch {
	case a.TokenField != "":
		return a.TokenField
	case a.reasons(), a.Endpoint.Azure(), a.Endpoint.Host() == "api.openai.com":
		return maxCompletionTokens
	}
	return maxTokens
}

// refuses tells whether the server may have refused a call because of its format: some
// answer 400 or 422 to a response_format that they do not know, some that it is not
// implemented.
func refuses(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && (e.Kind == endpoint.Rejected && !endpoint.Declined(err) || e.Status == http.StatusNotImplemented)
}

// stepDown remembers that the server does not take a format.
func (a *asked) stepDown(to format) {
	for {
		now := a.takes.Load()
		if now >= int32(to) || a.takes.CompareAndSwap(now, int32(to)) {
			return
		}
	}
}
