package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// refusal is the server's explanation of an error. All fields are raw text from the server.
type refusal struct {
	message, kind, code, param string
	field                      string // the rejected field, from FastAPI
	number                     int    // the code, if it is numeric
	// estimated is the number of seconds until the model is loaded; "" if unknown.
	estimated string
}

// parseRefusal parses the known forms of error bodies:
//
//	{"error": {"message", "type", "code", "param"}}   OpenAI, Azure, vLLM, llama.cpp
//	{"error": "text"}                                 Ollama's own, vLLM's 401, TGI
//	{"object": "error", "message", "type", "code"}    vLLM before 0.10
//	{"message", "type", "code"}, {"statusCode", "message"}   Mistral, Azure's gateway
//	{"detail": "text"}, {"detail": [{"loc", "msg", "type"}]} FastAPI
//	[{"error": {…}}]                                  Gemini
//	{"error": "{\"error\": {…}}"}                     Ollama, for llama.cpp under it
//	{"error": "text", "estimated_time": 20.5}         Hugging Face, of a model that is being loaded
//	{"error": "text", "code": "device_lost"}          Atelier's tool server
//
// Anything else, such as an HTML page, yields an empty refusal.
func parseRefusal(body []byte) refusal {
	if v, ok := decode(body); ok {
		return refusalOf(v)
	}
	if s := strings.TrimSpace(string(body)); !strings.HasPrefix(s, "<") && !strings.HasPrefix(s, "{") {
		return refusal{message: s}
	}
	return refusal{}
}

func refusalOf(v any) refusal {
	switch v := v.(type) {
	case string:
		if inner, ok := decode([]byte(v)); ok && strings.HasPrefix(strings.TrimSpace(v), "{") {
			return refusalOf(inner) // a gateway wrapped another server's text
		}
		return refusal{message: v}
	case []any:
		if len(v) > 0 {
			return refusalOf(v[0])
		}
	case map[string]any:
		for _, k := range []string{"error", "detail", "errors"} {
			if inner, ok := v[k]; ok && inner != nil {
				r := refusalOf(inner)
				r.kind = cmp.Or(r.kind, text(v["error_type"]))
				r.estimated = cmp.Or(r.estimated, text(v["estimated_time"]))
				return r.withCode(text(v["code"]))
			}
		}
		r := refusalOf(cmp.Or(text(v["message"]), text(v["msg"])))
		r.kind = cmp.Or(r.kind, text(v["type"]))
		r.param = cmp.Or(r.param, text(v["param"]))
		r.estimated = cmp.Or(r.estimated, text(v["estimated_time"]))
		r.field = fieldAt(v["loc"])
		return r.withCode(text(v["code"]))
	}
	return refusal{}
}

// fieldAt joins FastAPI's path to a request field: ["body", "width"].
func fieldAt(loc any) string {
	steps, ok := loc.([]any)
	if !ok {
		return ""
	}
	var names []string
	for _, s := range steps {
		names = append(names, text(s))
	}
	return strings.Join(names, ".")
}

// withCode sets the code of an outer object, unless an inner one had a code.
func (r refusal) withCode(code string) refusal {
	if r.code != "" || r.number != 0 {
		return r
	}
	if n, err := strconv.Atoi(code); err == nil {
		r.number = n
	} else {
		r.code = code
	}
	return r
}

func decode(body []byte) (any, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}

// text returns a string or number as text; lists of strings are joined.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		var parts []string
		for _, p := range v {
			if s, ok := p.(string); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// hiddenRefusal finds an error in a response with status 2xx, as OpenRouter sends if something
// fails after the response has begun.
func hiddenRefusal(body []byte) (refusal, bool) {
	if len(body) > maxRefusal || !bytes.Contains(body, []byte(`"error"`)) {
		return refusal{}, false
	}
	var answer struct {
		Error   any             `json:"error"`
		Choices json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error == nil || answer.Choices != nil {
		return refusal{}, false
	}
	r := parseRefusal(body)
	return r, r != refusal{}
}

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

// Declined reports whether the provider declined a call because of its content rules. The server
// works, and the request should not be sent to another one.
func Declined(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && filtered[strings.ToLower(e.Code)]
}
