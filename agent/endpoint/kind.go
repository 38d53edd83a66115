package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Kind classifies a failure for callers.
type Kind string

// The kinds of failure.
const (
	KeyRefused   Kind = "key_refused"   // 401
	Forbidden    Kind = "forbidden"     // 403
	ModelUnknown Kind = "model_unknown" // 404, or stated in the message
	Limited      Kind = "limited"       // 429: too many requests, a retry may help
	Quota        Kind = "quota"         // 402, or 429 where a retry does not help
	TooLong      Kind = "too_long"      // longer than the model's context
	Rejected     Kind = "rejected"      // any other 4xx, or refused by the client itself
	Down         Kind = "down"          // 5xx, or no connection
	TimedOut     Kind = "timed_out"     // no complete answer within Config.Timeout
	Malformed    Kind = "malformed"     // not JSON, too large, truncated, or a redirect that is not followed
)

// Error is a server's failure; after retries, the last one.
type Error struct {
	Kind   Kind
	Status int           // HTTP status; 0 if there was no response
	After  time.Duration // when the server wants a retry; 0 if unknown
	// Code and Param are the server's own names for what it rejected, such as
	// context_length_exceeded and response_format; "" if missing.
	Code, Param string
	// Field is the request field that FastAPI rejected, such as body.width; "" if there is none.
	Field string
	// Loading means that a server that is Down is loading the model; After is then the expected
	// time.
	Loading bool
	// format means that the server failed because of response_format (see RefusesFormat); refused
	// is the parameter that it does not accept (see Refused).
	format  bool
	refused string
	// Err is the detail for the operator's log. It contains no key and no body, and the server's
	// message without quotations and anything that looks like a key.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("model server (%s): %v", e.Kind, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the *Error in err; "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// Loading reports whether a call failed because the model is still loading.
func Loading(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Loading
}

// Error names of servers, in code or type, for cases that the status does not decide. Sources:
// OpenAI API reference, error codes; Azure OpenAI; llama.cpp, tools/server; Moonshot; Mistral;
// GitHub Models; Anthropic.
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
	// These matter only if the status is not an error.
	limitCodes = []string{"rate_limit_exceeded", "rate_limit_error", "slow_down"}
	downCodes  = []string{"server_error", "server_is_overloaded", "overloaded_error", "api_error"}
)

// Messages of servers without such names, in lower case.
var (
	lengthWords = []string{
		"maximum context length", "context length is only", "max_tokens must be at least 1, got -", // vLLM
		"longer than the maximum model length", "too long to fit into the model", // vLLM's engine
		"exceeds the context length", "prompt too long", // Ollama
		"available context size", "exceed context window", // llama.cpp, llama-cpp-python
		"longer than the model's context length", "`inputs` must have less than", // SGLang, Text Generation Inference
		"the context window", "prompt is too long", "too large for model with", // OpenAI, Anthropic, Mistral
		"exceeds the maximum number of tokens", // Gemini
		"request too large for",                // more at once than the limit per minute: waiting does not help
	}
	modelWords = []string{
		"model not exist", "is not a valid model", "invalid model:", "invalid model id", // DeepSeek, OpenRouter, Mistral, OpenAI
		"could not load model", // LocalAI, with 500
	}
	keyWords = []string{"api key not valid"} // Gemini, with 400
)

// sortOf classifies a refusal by its status and message.
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

// missesModel reports whether the message has the form "model X not found".
func (r refusal) missesModel() bool {
	m := strings.ToLower(r.message)
	_, after, ok := strings.Cut(m, "model")
	return ok && (strings.Contains(after, "does not exist") || strings.Contains(after, "not found"))
}
