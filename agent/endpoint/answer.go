package endpoint

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// The tags around what a model thinks aloud before it answers, where its server does not
// take that out (vLLM and llama.cpp without a reasoning parser). The templates of
// DeepSeek-R1 and of Qwen's thinking models put the first into the prompt, so that only
// the last comes back.
const thinks, thought = "<think>", "</think>"

// WithoutThoughts is the content of an answer without what the model thought aloud
// before it. It is "" where the thoughts did not come to their end.
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

// CutOff reports whether an answer that ended for this reason is not whole, since it may
// have no more tokens (OpenAI's word, Mistral's, and those of Anthropic's and Gemini's
// models behind a gateway). Any other reason is an end, except none: that is no reason to
// trust an answer which does not have the form that was asked for, since the connection
// of a gateway may have broken off.
func CutOff(finish openai.FinishReason) bool {
	switch strings.ToLower(string(finish)) {
	case "length", "model_length", "max_tokens":
		return true
	}
	return false
}

// RefusesFormat reports whether the server may have refused a call because of its
// response_format, so that one that binds less may be taken: some answer 400 or 422 to a
// format that they do not know, some 501, and some fail (500) and
// say of what. A call that was declined, or refused for another parameter that the server
// names, is none of them.
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

// Refused names the parameter of a call that the server, or go-openai before it, does not
// take: temperature, max_tokens or max_completion_tokens; "" where it is none of these, or
// none that was told. Models that reason take no temperature, and only the last of the
// two bounds; other servers know only the first of them.
func Refused(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Rejected {
		return ""
	}
	return e.refused
}

// parameters are those of a call, beside its format, that a server may refuse.
var parameters = []string{"max_completion_tokens", "max_tokens", "temperature"}

// refusedParameter finds the parameter in what a server said: the one that it names as such, or
// the first that its words name, since the second is often what it wants instead.
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

// refusedBefore is the parameter that go-openai itself does not send to models whose
// names it knows.
func refusedBefore(err error) string {
	switch {
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return "max_tokens"
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		return "temperature"
	}
	return ""
}

// formatWords are how servers call what they do not take of a response_format, in lower
// case: the field, its kinds, and what they make of a schema.
var formatWords = []string{"response_format", "response format", "json_schema", "json_object", "json schema", "grammar"}

// aboutFormat reports whether a server speaks of the format.
func (r refusal) aboutFormat() bool { return r.says(formatWords) || r.param == "response_format" }
