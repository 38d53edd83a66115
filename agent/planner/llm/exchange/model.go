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

// ModelConfig names a model of a server.
type ModelConfig struct {
	Endpoint *endpoint.Endpoint
	Name     string
	// Choice chooses among the models of the server where Name is ""; one of the two is needed.
	Choice *family.Choice
	// TokenField is the field that bounds an answer: max_tokens or
	// max_completion_tokens. Empty chooses by the server and the name. Where the server
	// refuses the one, the other is taken.
	TokenField string
}

// format is how an answer is asked for; from what binds the model most to what every
// server has.
type format int

const (
	bySchema format = iota
	asJSON
	asText
)

// Model is a model with what is known of it and its server. Several exchanges share it.
type Model struct {
	config ModelConfig

	mu    sync.Mutex
	known manner
}

// manner is which model is asked, and how: what its server has not refused yet.
type manner struct {
	model  string
	format format
	field  string // that bounds the answer
	// free is that no temperature is sent, as to a model that reasons.
	free bool
	// thinks is that thoughts count as output, which then may be longer.
	thinks bool
}

// NewModel checks the configuration. Nothing is asked yet.
func NewModel(m ModelConfig) (*Model, error) {
	switch {
	case m.Endpoint == nil:
		return nil, errors.New("a model needs a server")
	case m.Name == "" && m.Choice == nil:
		return nil, errors.New("a model needs a name, or a choice")
	case m.TokenField != "" && m.TokenField != maxTokens && m.TokenField != maxCompletionTokens:
		return nil, fmt.Errorf("the token field is %q, and must be %s or %s", m.TokenField, maxTokens, maxCompletionTokens)
	}
	return &Model{config: m, known: m.manner(m.Name)}, nil
}

// manner is how a model of that name is asked as long as nothing else is known.
func (m ModelConfig) manner(name string) manner {
	reasons := reasons(name)
	return manner{model: name, field: m.tokenField(name), free: reasons, thinks: reasons}
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

// request builds the call for an answer of at most so many tokens.
func (m *Model) request(messages []openai.ChatCompletionMessage, s *Schema, how manner, most int) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: how.model, Messages: messages}
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

// another is the manner of the next model, where the server does not know the one that was
// chosen; false where there is none, and where the operator named it.
func (m *Model) another(ctx context.Context, err error, unknown string) (manner, bool) {
	if m.config.Name != "" || endpoint.KindOf(err) != endpoint.ModelUnknown || !m.config.Choice.Unknown(ctx, family.Chat, unknown) {
		return manner{}, false
	}
	next, err := m.manner(ctx)
	return next, err == nil
}

// worked remembers a manner in which the server answered; the format only where one was
// asked for.
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

// thought remembers that the model spent an answer on its thoughts.
func (m *Model) thought() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known.thinks = true
}
