package llm

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

func newAsked(m Model) (*asked, error) {
	switch {
	case m.Endpoint == nil:
		return nil, errors.New("llm: a model needs a server")
	case m.Name == "" && m.Choice == nil:
		return nil, errors.New("llm: a model needs a name, or a choice")
	case m.TokenField != "" && m.TokenField != maxTokens && m.TokenField != maxCompletionTokens:
		return nil, fmt.Errorf("llm: the token field is %q, and must be %s or %s", m.TokenField, maxTokens, maxCompletionTokens)
	}
	return &asked{Model: m, known: m.manner(m.Name)}, nil
}

// manner is how a model of that name is asked as long as nothing else is known.
func (m Model) manner(name string) manner {
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

func (m Model) tokenField(name string) string {
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
func (a *asked) request(messages []openai.ChatCompletionMessage, s *schema, how manner, most int) openai.ChatCompletionRequest {
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
func (a *asked) manner(ctx context.Context) (manner, error) {
	name := a.Name
	if name == "" {
		var err error
		if name, err = a.Choice.Model(ctx, family.Chat); err != nil {
			return manner{}, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known.model != name { // another one was chosen
		a.known = a.Model.manner(name)
	}
	return a.known, nil
}

// another is the manner of the next model, where the server does not know the one that was
// chosen; false where there is none, and where the operator named it.
func (a *asked) another(ctx context.Context, err error, unknown string) (manner, bool) {
	if a.Name != "" || endpoint.KindOf(err) != endpoint.ModelUnknown || !a.Choice.Unknown(ctx, family.Chat, unknown) {
		return manner{}, false
	}
	next, err := a.manner(ctx)
	return next, err == nil
}

// worked remembers a manner in which the server answered; the format only where one was
// asked for.
func (a *asked) worked(h manner, formatted bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known.model != h.model {
		return
	}
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
