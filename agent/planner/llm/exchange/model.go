package exchange

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/lazyregexp"
)

// ModelConfig names a server and its model.
type ModelConfig struct {
	Endpoint *endpoint.Endpoint
	Name     string
	// Choice chooses among the models of the server where Name is ""; one of the two is needed.
	Choice *family.Choice
	// TokenField is the field that limits an answer: max_tokens or
	// max_completion_tokens. If it is empty, the server and the name decide. If the server
	// refuses one, the other is tried.
	TokenField string
}

// format is how an answer is requested, from the strictest format to the one that every server
// supports.
type format int

const (
	bySchema format = iota
	asJSON
	asText
)

// Model is a model and what was learned about it and its server. Several exchanges share it.
type Model struct {
	config ModelConfig

	mu    sync.Mutex
	known manner
}

// manner says which model is asked, and with what its server has not refused so far.
type manner struct {
	model  string
	format format
	field  string // limits the answer
	// free means that no temperature is sent, because the model reasons.
	free bool
	// thinks means that thoughts count as output, which therefore may be longer.
	thinks bool
}

// NewModel checks the configuration. Nothing is asked yet.
func NewModel(m ModelConfig) (*Model, error) {
	switch {
	case m.Endpoint == nil:
		return nil, errors.New("exchange: Endpoint is required")
	case m.Name == "" && m.Choice == nil:
		return nil, errors.New("exchange: Name or Choice is required")
	case m.TokenField != "" && m.TokenField != maxTokens && m.TokenField != maxCompletionTokens:
		return nil, fmt.Errorf("the token field %q is invalid: expected %s or %s", m.TokenField, maxTokens, maxCompletionTokens)
	}
	return &Model{config: m, known: m.manner(m.Name)}, nil
}

// manner returns how to ask a model of which only the name is known.
func (m ModelConfig) manner(name string) manner {
	reasons := reasons(name)
	return manner{model: name, field: m.tokenField(name), free: reasons, thinks: reasons}
}

// The names of the field that limits an answer. OpenAI and Azure have moved to the second; other
// servers know the first.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	temperature         = "temperature"
)

// reasons reports whether a name, after that of the provider, belongs to an OpenAI model that thinks
// before it answers. Such a model takes no temperature, and its thoughts count as output. Other
// models that think are recognised by their answers.
func reasons(name string) bool { return reasoning.MatchString(path.Base(name)) }

var reasoning = lazyregexp.New(`^(o[134]|gpt-([5-9]|\d\d))`)

func (m ModelConfig) tokenField(name string) string {
	switch {
	case m.TokenField != "":
		return m.TokenField
	case reasons(name), m.Endpoint.Azure(), m.Endpoint.Host() == "api.openai.com":
		return maxCompletionTokens
	}
	return maxTokens
}

// thoughts is how many times more tokens a model that reasons may write.
const thoughts = 4

// request builds a call for an answer of at most that many tokens.
func (m *Model) request(messages []openai.ChatCompletionMessage, s *Schema, how manner, most int) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: how.model, Messages: messages}
	if !how.free {
		r.Temperature = math.SmallestNonzeroFloat32 // zero would not be sent
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
	case asText: // the prompt alone says what the form is
	}
	return r
}

// plainer returns the manner to try after a refusal: first without the parameter that the server
// names, then in a less strict format. It returns false if nothing can help.
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

// manner returns the current manner.
func (m *Model) manner(ctx context.Context) (manner, error) {
	name := m.config.Name
	if name == "" {
		var err error
		if name, err = m.config.Choice.Model(ctx, family.Chat); err != nil {
			return manner{}, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known.model != name { // another one was chosen
		m.known = m.config.manner(name)
	}
	return m.known, nil
}

// another returns the manner of the next model if the server does not know the chosen one. It returns
// false if there is no other, or if the operator named the model.
func (m *Model) another(ctx context.Context, err error, unknown string) (manner, bool) {
	if m.config.Name != "" || endpoint.KindOf(err) != endpoint.ModelUnknown || !m.config.Choice.Unknown(ctx, family.Chat, unknown) {
		return manner{}, false
	}
	next, err := m.manner(ctx)
	return next, err == nil
}

// worked remembers a manner that the server accepted. It remembers the format only if one was
// requested.
func (m *Model) worked(h manner, formatted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known.model != h.model {
		return
	}
	m.known.field = h.field
	m.known.free = m.known.free || h.free
	if formatted {
		m.known.format = max(m.known.format, h.format)
	}
}

// thought remembers that the model used up its answer for thinking.
func (m *Model) thought() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known.thinks = true
}
