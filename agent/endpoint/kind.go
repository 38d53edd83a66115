package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Kind is what callers decide by.
type Kind string

// The kinds of failure.
const (
	KeyRefused   Kind = "key_refused"   // 401
	Forbidden    Kind = "forbidden"     // 403
	ModelUnknown Kind = "model_unknown" // 404, or said in words
	Limited      Kind = "limited"       // 429: too many requests, later may do
	Quota        Kind = "quota"         // 402, or 429 that later does not help
	TooLong      Kind = "too_long"      // more than the model's context holds
	Rejected     Kind = "rejected"      // any other 4xx, and what the client itself refused
	Down         Kind = "down"          // 5xx, or no connection
	TimedOut     Kind = "timed_out"     // no complete answer within Config.Timeout
	Malformed    Kind = "malformed"     // an answer that is no JSON, too large or broken off
)

// Error is a failure of the server, the last one where a call was tried again.
type Error struct {
	Kind   Kind
	Status int           // of HTTP; 0 if none came
	After  time.Duration // after which the server wants to be asked again; 0 if it did not say
	// Code and Param are the server's own words for what it refused, such as
	// context_length_exceeded and response_format; "" if it did not say.
	Code, Param string
	// Err is the detail for the operator's log. It holds no key, no body, and of the
	// server's words neither what it quotes nor what looks like a key.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("model server (%s): %v", e.Kind, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of the *Error within err; "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// The names that servers give to a failure, in code or type, where the status does not
// decide. OpenAI API reference, error codes; Azure OpenAI; llama.cpp, tools/server;
// Moonshot; Mistral; GitHub Models; Anthropic.
var (
	quotaCodes = []string{
		"insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
		"exceeded_current_quota_error", "insufficient_balance",
	}
	keyCodes   = []string{"invalid_api_key", "invalid_authentication_error", "authentication_error"}
	modelCodes = []string{
		"model_not_found", "deploymentnotfound", "operationnotsupported", "unknown_model",
		"invalid_model", "model_not_available",
	}
	lengthCodes = []string{
		"context_length_exceeded", "exceed_context_size_error", "context_exceeded",
		"string_above_max_length", "tokens_limit_reached", "request_too_large",
	}
)

// The words of servers that give no such name, in lower case.
var (
	// vLLM (serving_engine, renderers), Text Generation Inference, SGLang, Ollama,
	// llama.cpp, llama-cpp-python, Gemini, Mistral.
	lengthWords = []string{
		"maximum context length", "context length is only", "context window", "available context size",
		"exceeds the context length", "exceeds context length", "exceeds the maximum context",
		"longer than the model's context length", "longer than the maximum model length",
		"max_tokens must be at least 1, got -", "prompt is too long", "too long to fit into the model",
		"prompt too long", "prompt contains", "too large for model with",
		"exceeds the maximum number of tokens", "input is too long", "`inputs` must have less than",
		"`inputs` tokens + `max_new_tokens` must be", "exceeds max context", "exceeds the available context",
		"request too large for",
	}
	// DeepSeek, OpenRouter, Mistral, vLLM, Ollama, LocalAI.
	modelWords = []string{
		"model not exist", "is not a valid model", "invalid model", "no such model",
	}
	// Gemini answers 400 to a wrong key.
	keyWords = []string{"api key not valid", "incorrect api key"}
)

// sortOf tells the kind of a refusal by the status and by what the server said.
func sortOf(status int, r refusal) Kind {
	switch {
	case status == http.StatusUnauthorized:
		return KeyRefused
	case status == http.StatusPaymentRequired, r.named(quotaCodes):
		return Quota
	case r.named(modelCodes):
		return ModelUnknown
	case r.named(lengthCodes):
		return TooLong
	case status == http.StatusForbidden:
		return Forbidden
	case status == http.StatusNotFound:
		return ModelUnknown
	case r.named(keyCodes), r.says(keyWords):
		return KeyRefused
	case r.says(lengthWords), status == http.StatusRequestEntityTooLarge:
		return TooLong
	case r.says(modelWords), r.missesModel():
		return ModelUnknown
	case status == http.StatusTooManyRequests:
		return Limited
	case status == http.StatusRequestTimeout:
		return TimedOut
	case status >= http.StatusInternalServerError:
		return Down
	}
	return Rejected
}

func (r refusal) named(codes []string) bool {
	return slices.Contains(codes, strings.ToLower(r.code)) || slices.Contains(codes, strings.ToLower(r.kind))
}

func (r refusal) says(words []string) bool {
	m := strings.ToLower(r.message)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(m, w) })
}

// missesModel tells whether a message is of the form "model X not found".
func (r refusal) missesModel() bool {
	m := strings.ToLower(r.message)
	_, after, ok := strings.Cut(m, "model")
	return ok && (strings.Contains(after, "does not exist") || strings.Contains(after, "not found"))
}
