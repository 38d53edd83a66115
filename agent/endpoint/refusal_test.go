package endpoint_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

func TestWithoutThoughts(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                                   "",
		" an answer\n":                       "an answer",
		"<think>hm</think>\n\nan answer":     "an answer",
		"hm, well</think>\n\nan answer":      "an answer",
		"<think>a </think> b </think> end":   "end",
		"\n<think>hm, and then it was cut":   "",
		"hm</think>":                         "",
		"hm</think><think>again":             "",
		`{"reply":"so <think> is a tag"}`:    `{"reply":"so <think> is a tag"}`,
		"<think>\n\n</think>\n\n{\"a\":1}\n": `{"a":1}`,
	} {
		if got := endpoint.WithoutThoughts(content); got != want {
			t.Errorf("%q is %q, not %q", content, got, want)
		}
	}
}

func TestCutOff(t *testing.T) {
	t.Parallel()
	for reason, want := range map[openai.FinishReason]bool{
		"length": true, "LENGTH": true, "model_length": true, "max_tokens": true, "MAX_TOKENS": true,
		"stop": false, "": false, "eos_token": false, "end_turn": false, "content_filter": false, "tool_calls": false,
	} {
		if got := endpoint.CutOff(reason); got != want {
			t.Errorf("%q: %v", reason, got)
		}
	}
}

// param returns an error that names a parameter.
func param(name, message string) string {
	return `{"error":{"message":"` + message + `","type":"invalid_request_error","param":"` + name + `","code":"unsupported_value"}}`
}

func TestRejectedRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		status  int
		body    string
		format  bool
		refused string
		tries   int
	}{
		{"format", 400, param("response_format", "json_schema is not supported"), true, "", 1},
		{"no words", 400, "{}", true, "", 1},
		{"422", 422, `{"detail":[{"msg":"unexpected","type":"extra_forbidden"}]}`, true, "", 1},
		{"501", 501, "{}", true, "", 1},
		{"500 of the format", 500, refusalBody("server_error", "500", "response_format type must be one of text or json_object"), true, "", 1},
		{"500 of the grammar", 500, refusalBody("server_error", "500", "failed to parse grammar"), true, "", 1},
		{"503 of the schema", 503, refusalBody("server_error", "", "JSON Schema conversion failed"), true, "", 1},
		{"500 of something else", 500, refusalBody("server_error", "", "out of memory"), false, "", 4},
		{"429 of the format", 429, refusalBody("rate_limit_error", "", "too many json_schema calls"), false, "", 4},
		{"declined", 400, refusalBody("invalid_request_error", "content_policy_violation", "no"), false, "", 1},
		{"401", 401, "{}", false, "", 1},
		{"temperature", 400, param("temperature", "Unsupported value: 'temperature' does not support 0."), false, "temperature", 1},
		{"max_tokens", 400, param("max_tokens", "Use 'max_completion_tokens' instead."), false, "max_tokens", 1},
		{
			"max_tokens in words", 400, refusalBody("BadRequestError", "", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
			true, "max_tokens", 1,
		},
		{"temperature in words", 400, `{"error":"o1-like models don't support temperature=0"}`, true, "temperature", 1},
		{"another parameter", 400, param("messages", "the temperature of this text is too high"), true, "", 1},
	} {
		server, tries := serve(t, status(c.status, c.body))
		_, err := ask(t.Context(), build(t, endpoint.Config{BaseURL: server.URL, Wait: new(waits).wait}))
		if got := endpoint.RefusesFormat(err); got != c.format {
			t.Errorf("%s: the format is refused: %v", c.name, got)
		}
		if got := endpoint.Refused(err); got != c.refused {
			t.Errorf("%s: %q is refused, not %q", c.name, got, c.refused)
		}
		if tries.count() != c.tries {
			t.Errorf("%s: %d tries, not %d", c.name, tries.count(), c.tries)
		}
	}
}

func TestRejectedBeforeSending(t *testing.T) {
	t.Parallel()
	server, tries := serve(t, status(http.StatusOK, answer))
	client := build(t, endpoint.Config{BaseURL: server.URL}).Client()
	for want, r := range map[string]openai.ChatCompletionRequest{
		"max_tokens":  {Model: "gpt-5-mini", MaxTokens: 100},
		"temperature": {Model: "o3-mini", Temperature: 0.5},
	} {
		_, err := client.CreateChatCompletion(t.Context(), r)
		if got := endpoint.Refused(endpoint.Explain(err, r.Model)); got != want || endpoint.RefusesFormat(endpoint.Explain(err, r.Model)) {
			t.Errorf("%s: %q is refused, not %q", r.Model, got, want)
		}
	}
	if tries.count() != 0 {
		t.Error("it was sent")
	}
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"content_filter": true, "content_policy_violation": true, "ResponsibleAIPolicyViolation": true,
		"": false, "context_length_exceeded": false,
	} {
		err := fmt.Errorf("respond: %w", &plan.Fault{Sentence: plan.Say("No."), Err: &endpoint.Error{Kind: endpoint.Rejected, Code: code, Err: errors.New("400")}})
		if endpoint.Declined(err) != want {
			t.Errorf("code %q: declined is %v", code, !want)
		}
	}
	if endpoint.Declined(nil) || endpoint.Declined(errors.New("content_filter")) {
		t.Error("what is no failure of a server is declined")
	}
}
