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
	Malformed    Kind = "malformed"     // an answer that is no JSON, too large or broken off, or a redirect that is not followed
)

// Error is a failure of the server, the last one where a call was tried again.
type Error struct {
	Kind   Kind
	Status int           // of HTTP; 0 if none came
	After  time.Duration // after which the server wants to be asked again; 0 if it did not say
	// Code and Param are the server's own words for what it refused, such as
	// context_length_exceeded and response_format; "" if it did not say.
	Code, Param string
	// Field is the field of the request that FastAPI blames, such as body.width; "" if there is none.
	Field string
	// Loading is, of a server that is Down, that it has said that the model is on its way;
	// After is then how long that is expected to take.
	Loading bool
	// format is that the server failed at the response_format (see RefusesFormat), and
	// refused the parameter that it does not take (see Refused).
	format  bool
	refused string
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

// Loading reports whether a call failed since the model is being loaded.
func Loading(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Loading
}

// The names that servers give to a failure, in code or type, where the status does not
// decide. OpenAI API reference, error codes; Azure OpenAI; llama.cpp, tools/server;
// Moonshot; Mistral; GitHub Models; Anthropic.
var (
	quotaCodes = []string{
		"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
		"project_spend_limit_exceeded", "organization_usage_limit_exceeded",
		"billing_hard_limit_reached", "billing_not_active", "exceeded_current_quota_error",
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
	// These matter only where there is no status of failure.
	limitCodes = []string{"rate_limit_exceeded", "rate_limit_error", "slow_down"}
	downCodes  = []string{"server_error", "server_is_overloaded", "overloaded_error", "api_error"}
)

// The words of servers that give no such name, in lower case.
var (
	lengthWords = []string{
		"maximum context length", "context length is only", "max_tokens must be at least 1, got -", // vLLM
		"longer than the maximum model length", "too long to fit into the model", // vLLM's engine
		"exceeds the context length", "prompt too long", // Ollama
		"available context size", "exceed context window", // llama.cpp, llama-cpp-python
		"longer than the model's context length", "`inputs` must have less than", // SGLang, Text Generation Inference
		"the context window", "prompt is too long", "too large for model with", // OpenAI, Anthropic, Mistral
		"exceeds the maximum number of tokens", // Gemini
		"request too large for",                // more at once than the limit a minute: waiting does not help
	}
	modelWords = []string{
		"model not exist", "is not a valid model", "invalid model:", "invalid model id", // DeepSeek, OpenRouter, Mistral, OpenAI
		"could not load model", // LocalAI, with 500
	}
	keyWords = []string{"api key not valid"} // Gemini, with 400
)

// sortOf tells the kind of a refusal by the status and by what the server said.
func sortOf(status int, r refusal) Kind {
	switch {
	case status >= 300 && status < 400:
		return Malformed
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
	case r.says(modelWords), r.missesModel(), status == http.StatusBadRequest && r.param == "model":
		return ModelUnknown
	case status == http.StatusTooManyRequests, status < 300 && r.named(limitCodes):
		return Limited
	case status == http.StatusRequestTimeout:
		return TimedOut
	case status >= http.StatusInternalServerError, status < 300 && r.named(downCodes):
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

// missesModel reports whether a message is of the form "model X not found".
func (r refusal) missesModel() bool {
	m := strings.ToLower(r.message)
	_, after, ok := strings.Cut(m, "model")
	return ok && (strings.Contains(after, "does not exist") || strings.Contains(after, "not found"))
}
