package llmtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"atelier/agent/endpoint"
)

// chatRequest has the fields of a chat completion request that the bot sends; others are rejected.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	ResponseFormat      *responseFormat `json:"response_format"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	Stream              *bool           `json:"stream"` // the client always says it
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	} `json:"json_schema"`
}

var schemaName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// chat answers a chat completion.
func (s *Server) chat(c *call) reply {
	r, err := c.chatRequest()
	if err != nil {
		return c.illFormed(err)
	}
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	if refused := s.admit(c); refused != nil {
		return *refused
	}
	if r.Format == "json_schema" && s.config.NoSchema || r.Format == "json_object" && s.config.NoJSON {
		return failure(http.StatusBadRequest, "", "",
			fmt.Sprintf("Invalid parameter: 'response_format' of type '%s' is not supported with this model.", r.Format))
	}
	if s.config.Answer == nil {
		return c.bad(http.StatusNotFound, "unknown_url", errors.New("no chat completion is scripted"))
	}
	a := s.config.Answer(r)
	if a.broken != "" {
		return c.bad(http.StatusBadRequest, "not_scripted", errors.New(a.broken))
	}
	e, err := a.completion(r)
	if err != nil {
		return c.bad(http.StatusBadRequest, "not_scripted", fmt.Errorf("the script's JSON cannot be encoded: %w", err))
	}
	answer := newReply("application/json", e.Body())
	if a.NoChoices {
		answer = jsonReply(map[string]any{"object": "chat.completion", "model": r.Model, "choices": []any{}})
	}
	return a.fault().over(answer)
}

// chatRequest parses and checks a request.
func (c *call) chatRequest() (Request, error) {
	var q chatRequest
	if err := c.json(&q); err != nil {
		return Request{}, err
	}
	if name := c.PathValue("deployment"); name != "" {
		q.Model = cmp.Or(q.Model, name) // Azure names the model in the path
	}
	if q.Model == "" {
		return Request{}, errors.New("no model")
	}
	if err := q.check(); err != nil {
		return Request{}, err
	}
	r := Request{Model: q.Model, Header: c.Header.Clone(), Body: c.body}
	r.ID, r.Job, r.Round, _ = endpoint.ParseLabel(c.Header.Get(endpoint.LabelHeader))
	var err error
	if r.Messages, err = checkMessages(q.Messages); err != nil {
		return Request{}, err
	}
	if q.MaxTokens != nil {
		r.MaxTokens = *q.MaxTokens
	}
	if q.MaxCompletionTokens != nil {
		r.MaxTokens = *q.MaxCompletionTokens
	}
	err = q.ResponseFormat.check(&r)
	return r, err
}

// check checks the response format, together with the messages, and records it in r.
func (f *responseFormat) check(r *Request) error {
	if f == nil {
		return nil
	}
	if f.JSONSchema != nil && f.Type != "json_schema" {
		return fmt.Errorf("the response format %q has a schema", f.Type)
	}
	switch f.Type {
	case "json_object":
		r.Format = f.Type
		for _, m := range r.Messages {
			if strings.Contains(strings.ToLower(m.Text), "json") {
				return nil
			}
		}
		return errors.New("the response format json_object requires the word JSON in the messages")
	case "json_schema":
		r.Format = f.Type
		j := f.JSONSchema
		switch {
		case j == nil || len(j.Schema) == 0 || !j.Strict:
			return errors.New("the response format json_schema has no schema, or is not strict")
		case !schemaName.MatchString(j.Name):
			return fmt.Errorf("the schema's name %q must have at most 64 letters, digits, _ and -", j.Name)
		}
		r.SchemaName, r.Schema = j.Name, j.Schema
		if err := checkSchema(j.Schema); err != nil {
			return fmt.Errorf("the schema %s: %w", j.Name, err)
		}
		return nil
	default:
		return fmt.Errorf("unknown response format %q", f.Type)
	}
}

func (q chatRequest) check() error {
	switch {
	case q.MaxTokens != nil && q.MaxCompletionTokens != nil:
		return errors.New("both max_tokens and max_completion_tokens")
	case q.Stream != nil && *q.Stream:
		return errors.New("streaming is not supported")
	}
	return errors.Join(
		within("temperature", q.Temperature, 0, 2),
		within("max_tokens", q.MaxTokens, 1, 1<<24),
		within("max_completion_tokens", q.MaxCompletionTokens, 1, 1<<24),
	)
}
