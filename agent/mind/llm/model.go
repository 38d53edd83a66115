package llm

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
)

// format is how an answer is asked for; from what binds the model most to what every
// server has.
type format int

const (
	bySchema format = iota
	asJSON
	asText
)

// asked is a model with what is known of it and its server.
type asked struct {
	Model

	mu    sync.Mutex
	known manner
}

// manner is how a model is asked: what its server has not refused yet.
type manner struct {
	format format
	field  string // that bounds the answer
	// free is that no temperature is sent, as to a model that reasons.
	free bool
	// thinks is that thoughts count as output, which then may be longer.
	thinks bool
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
	reasons := m.reasons()
	return &asked{Model: m, known: manner{field: m.tokenField(), free: reasons, thinks: reasons}}, nil
}

// The names of the field that bounds an answer. OpenAI and Azure have moved to the
// second; other servers know the first.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	temperature         = "temperature"
)

// reasons tells whether the name, behind that of a provider, is that of a model of
// OpenAI's that thinks before it answers: it takes no temperature, and its thoughts count
// as output. Others are learnt by what they do.
func (m Model) reasons() bool {
	name := path.Base(m.Name)
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func (m Model) tokenField() string {
	switch {
	case m.TokenField != "":
		return m.TokenField
	case m.reasons(), m.Endpoint.Azure(), m.Endpoint.Host() == "api.openai.com":
		return maxCompletionTokens
	}
	return maxTokens
}

// thoughts is how many times more tokens a model that reasons may write.
const thoughts = 4

// request builds the call for an answer of at most so many tokens.
func (a *asked) request(messages []openai.ChatCompletionMessage, s *schema, how manner, most int) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: a.Name, Messages: messages}
	if !how.free {
		r.Temperature = math.SmallestNonzeroFloat32 // zero would be left out
	}
	if how.field == maxTokens {
		r.MaxTokens = most //nolint:staticcheck // the only field that servers other than OpenAI's all know
	} else {
		r.MaxCompletionTokens = most
	}
	if s == nil {
		return r
	}
	switch how.format {
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

// plainer is the manner after a refusal, false where none may help: first without the
// parameter that the server names, and then in a format that binds less.
func (h manner) plainer(err error, from manner, formatted bool) (manner, bool) {
	refused := endpoint.Refused(err)
	switch {
	case refused == temperature && !h.free:
		h.free = true
	case refused == h.field && h.field == from.field: // once
		h.field = maxTokens
		if refused == maxTokens {
			h.field = maxCompletionTokens
		}
	case formatted && h.format < asText && endpoint.RefusesFormat(err):
		h.format++
	default:
		return h, false
	}
	return h, true
}

// manner is the present one.
func (a *asked) manner() manner {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known
}

// worked remembers a manner in which the server answered; the format only where one was
// asked for.
func (a *asked) worked(h manner, formatted bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known.field = h.field
	a.known.free = a.known.free || h.free
	if formatted {
		a.known.format = max(a.known.format, h.format)
	}
}

// thought remembers that the model spent an answer on its thoughts.
func (a *asked) thought() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known.thinks = true
}
