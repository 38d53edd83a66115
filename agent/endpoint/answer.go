package endpoint

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// The tags around a model's reasoning, for servers that do not strip it (vLLM and llama.cpp without
// a reasoning parser). The templates of DeepSeek-R1 and Qwen's thinking models put the opening tag
// into the prompt, so only the closing one comes back.
const thinks, thought = "<think>", "</think>"

// WithoutThoughts strips the model's reasoning from the content of an answer. It returns "" if the
// reasoning was cut off.
func WithoutThoughts(content string) string {
	if at := strings.LastIndex(content, thought); at >= 0 {
		content = content[at+len(thought):]
	}
	content = strings.TrimSpace(content)
	if strings.HasPrefix(content, thinks) {
		return ""
	}
	return content
}

// CutOff reports whether an answer with this finish reason was truncated at the token limit (the
// values of OpenAI, Mistral, and Anthropic's and Gemini's models behind a gateway). An empty reason
// does not count, but then an answer that is not in the requested form may be incomplete too, since
// a gateway's connection may have broken.
func CutOff(finish openai.FinishReason) bool {
	switch strings.ToLower(string(finish)) {
	case "length", "model_length", "max_tokens":
		return true
	}
	return false
}

// RefusesFormat reports whether the server may have rejected a call because of its response_format,
// so that a weaker one may work: some answer 400 or 422 to an unknown format, some 501, and some
// 500 with an explanation. Declined calls, and calls rejected because of another named parameter,
// do not count.
func RefusesFormat(err error) bool {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok || Declined(err):
		return false
	case e.Kind == Rejected:
		return !slices.Contains(parameters, e.Param)
	}
	return e.Status == http.StatusNotImplemented || e.format
}

// Refused returns the parameter that the server, or go-openai itself, does not accept: temperature,
// max_tokens or max_completion_tokens; "" if it is none of these or unknown. Reasoning models
// accept no temperature, and only max_completion_tokens; other servers know only max_tokens.
func Refused(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Rejected {
		return ""
	}
	return e.refused
}

// parameters are the parameters, besides the format, that a server may reject.
var parameters = []string{"max_completion_tokens", "max_tokens", "temperature"}

// refusedParameter finds the rejected parameter: the one in the param field, or the first that the
// message names, since the second is often the suggested replacement.
func (r refusal) refusedParameter() string {
	if r.param != "" {
		if slices.Contains(parameters, r.param) {
			return r.param
		}
		return ""
	}
	first, at := "", len(r.message)
	for _, p := range parameters {
		if i := strings.Index(r.message, p); i >= 0 && i < at {
			first, at = p, i
		}
	}
	return first
}

// refusedBefore returns the parameter that go-openai itself does not send to models that it knows.
func refusedBefore(err error) string {
	switch {
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return "max_tokens"
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		return "temperature"
	}
	return ""
}

// formatWords occur in errors about response_format, in lower case: the field, its kinds, and words
// about schemas.
var formatWords = []string{"response_format", "response format", "json_schema", "json_object", "json schema", "grammar"}

// aboutFormat reports whether the server's error is about the format.
func (r refusal) aboutFormat() bool { return r.says(formatWords) || r.param == "response_format" }
