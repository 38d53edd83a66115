package llmtest_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/llmtest"
)

// TestRequest checks that everything that a real client sends is read.
func TestRequest(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: fine, Key: "sk-test"})
	schema := json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)
	_, err := client(t, s.URL()).CreateChatCompletion(endpoint.Label(t.Context(), "image/1", "decompose", 1), openai.ChatCompletionRequest{
		Model: "m",
		Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: "sys"},
			{Role: "user", Content: "first"},
			{Role: "assistant", Content: "yes"},
			{Role: "user", MultiContent: []openai.ChatMessagePart{
				{Type: "text", Text: "look"},
				{Type: "image_url", ImageURL: &openai.ChatMessageImageURL{URL: dataURL(t, "png"), Detail: "low"}},
				{Type: "image_url", ImageURL: &openai.ChatMessageImageURL{URL: dataURL(t, "jpeg")}},
				{Type: "text", Text: "here"},
			}},
		},
		MaxTokens:   99, //nolint:staticcheck // most servers know no other name
		Temperature: 1e-45,
		ResponseFormat: &openai.ChatCompletionResponseFormat{
			Type:       "json_schema",
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "subtasks", Schema: schema, Strict: true},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := s.Requests()
	if len(got) != 1 || got[0].Header.Get("Authorization") != "Bearer sk-test" || !json.Valid(got[0].Body) {
		t.Fatalf("%+v", got)
	}
	got[0].Header, got[0].Body = nil, nil
	want := llmtest.Request{
		ID: "image/1", Job: "decompose", Round: 1, Model: "m", Format: "json_schema", SchemaName: "subtasks", Schema: schema, MaxTokens: 99,
		Messages: []llmtest.Message{
			{Role: "system", Text: "sys"},
			{Role: "user", Text: "first"},
			{Role: "assistant", Text: "yes"},
			{Role: "user", Text: "look\n\nhere", Images: 2},
		},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
	if got[0].System() != "sys" || got[0].User() != "first\n\nlook\n\nhere" {
		t.Errorf("system %q, user %q", got[0].System(), got[0].User())
	}
	if calls := s.Calls(); !slices.Equal(calls, []string{"POST /v1/chat/completions"}) {
		t.Error(calls)
	}
}

func dataURL(t *testing.T, format string) string {
	t.Helper()
	return "data:image/" + format + ";base64," + base64.StdEncoding.EncodeToString([]byte(encoded(t, format, picture(4, 2, false))))
}

// TestInvalidRequests checks that requests that OpenAI would reject are rejected.
func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s := llmtest.New(w, llmtest.Config{Answer: fine})
	user := `{"role":"user","content":"hi"}`
	pic := dataURL(t, "png")
	part := func(p string) string { return `"messages":[{"role":"user","content":[` + p + `]}]` }
	for name, c := range map[string]struct{ body, why string }{
		"no JSON":                     {`{"model":"m","messages":[` + user, "does not fit"},
		"two values":                  {`{"model":"m","messages":[` + user + `]}{}`, "unexpected data"},
		"not UTF-8":                   {`{"model":"m","messages":[{"role":"user","content":"` + "\xff" + `"}]}`, "not UTF-8"},
		"unknown field":               {`{"model":"m","top_k":3,"messages":[` + user + `]}`, "top_k"},
		"wrong type":                  {`{"model":"m","temperature":"hot","messages":[` + user + `]}`, "temperature"},
		"no model":                    {`{"messages":[` + user + `]}`, "no model"},
		"no messages":                 {`{"model":"m","messages":[]}`, "no messages"},
		"unknown role":                {`{"model":"m","messages":[{"role":"bot","content":"hi"}]}`, `"bot": unknown role`},
		"system too late":             {`{"model":"m","messages":[` + user + `,{"role":"system","content":"sys"}]}`, "must come before other messages"},
		"no content":                  {`{"model":"m","messages":[{"role":"user"}]}`, "no content"},
		"null content":                {`{"model":"m","messages":[{"role":"assistant","content":null}]}`, "no content"},
		"empty content":               {`{"model":"m","messages":[{"role":"user","content":" \n"}]}`, "content is empty"},
		"content of another type":     {`{"model":"m","messages":[{"role":"user","content":7}]}`, "must be a string or a list of parts"},
		"no parts":                    {`{"model":"m","messages":[{"role":"user","content":[]}]}`, "no parts"},
		"empty text part":             {`{"model":"m",` + part(`{"type":"text","text":""}`) + `}`, "part 0"},
		"text part without text":      {`{"model":"m",` + part(`{"type":"text"}`) + `}`, "part 0"},
		"unknown part":                {`{"model":"m",` + part(`{"type":"video_url"}`) + `}`, "video_url"},
		"unknown field of a part":     {`{"model":"m",` + part(`{"type":"text","txt":"x"}`) + `}`, "txt"},
		"a picture that is none":      {`{"model":"m",` + part(`{"type":"image_url"}`) + `}`, "must have only a picture"},
		"a linked picture":            {`{"model":"m",` + part(`{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}`) + `}`, "must be a base64 data URL"},
		"a picture not in base64":     {`{"model":"m",` + part(`{"type":"image_url","image_url":{"url":"data:image/png;base64,@@"}}`) + `}`, "not base64"},
		"a cut picture":               {`{"model":"m",` + part(`{"type":"image_url","image_url":{"url":"`+pic[:len(pic)-24]+`"}}`) + `}`, "cannot be read"},
		"a picture of another format": {`{"model":"m",` + part(`{"type":"image_url","image_url":{"url":"`+strings.Replace(pic, "png", "jpeg", 1)+`"}}`) + `}`, "png, not jpeg"},
		"an unknown detail":           {`{"model":"m",` + part(`{"type":"image_url","image_url":{"url":"`+pic+`","detail":"fine"}}`) + `}`, "detail"},
		"the system shows a picture":  {`{"model":"m","messages":[{"role":"system","content":[{"type":"image_url","image_url":{"url":"` + pic + `"}}]}]}`, "only user messages"},
		"both ceilings":               {`{"model":"m","max_tokens":1,"max_completion_tokens":1,"messages":[` + user + `]}`, "both max_tokens and max_completion_tokens"},
		"no tokens":                   {`{"model":"m","max_tokens":0,"messages":[` + user + `]}`, "max_tokens is 0"},
		"too hot":                     {`{"model":"m","temperature":2.5,"messages":[` + user + `]}`, "temperature is 2.5"},
		"streaming":                   {`{"model":"m","stream":true,"messages":[` + user + `]}`, "streaming"},
		"a loose schema":              {`{"model":"m","response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object"}}},"messages":[` + user + `]}`, "not strict"},
		"unknown format":              {`{"model":"m","response_format":{"type":"yaml"},"messages":[` + user + `]}`, "yaml"},
		"a schema of no schema":       {`{"model":"m","response_format":{"type":"json_schema"},"messages":[` + user + `]}`, "has no schema"},
		"a schema without a name":     {`{"model":"m","response_format":{"type":"json_schema","json_schema":{"strict":true,"schema":{"type":"object"}}},"messages":[` + user + `]}`, "the schema's name"},
		"JSON that is not asked for":  {`{"model":"m","response_format":{"type":"json_object"},"messages":[` + user + `]}`, "the word JSON"},
	} {
		status, answer := send(t, http.MethodPost, s.URL()+"/chat/completions", "application/json", c.body)
		errors := w.caught()
		if status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) || !strings.Contains(errors[0], "POST /v1/chat/completions") {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
		if !strings.Contains(answer, `"type":"invalid_request_error"`) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	if got := s.Requests(); len(got) != 0 {
		t.Errorf("%d requests are recorded", len(got))
	}
}

// TestInvalidHeaders checks calls with a valid body but invalid headers.
func TestInvalidHeaders(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s := llmtest.New(w, llmtest.Config{Answer: fine})
	body := `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	for name, c := range map[string]struct {
		method, url, contentType string
		header                   []string
		status                   int
		why                      string
	}{
		"no type":             {"POST", s.URL() + "/chat/completions", "", nil, 400, "content type"},
		"a type of forms":     {"POST", s.URL() + "/chat/completions", "application/x-www-form-urlencoded", nil, 400, "content type"},
		"no bearer":           {"POST", s.URL() + "/chat/completions", "application/json", []string{"Authorization: sk-test"}, 400, "Bearer KEY"},
		"an empty bearer":     {"POST", s.URL() + "/chat/completions", "application/json", []string{"Authorization: Bearer "}, 400, "Bearer KEY"},
		"a small bearer":      {"POST", s.URL() + "/chat/completions", "application/json", []string{"Authorization: bearer x"}, 400, "Bearer KEY"},
		"a key of two":        {"POST", s.URL() + "/chat/completions", "application/json", []string{"Authorization: Bearer x y"}, 400, "Bearer KEY"},
		"a long label":        {"POST", s.URL() + "/chat/completions", "application/json", []string{"X-Client-Request-Id: " + strings.Repeat("x", 513)}, 400, "X-Client-Request-Id"},
		"a label of others":   {"POST", s.URL() + "/chat/completions", "application/json", []string{"X-Client-Request-Id: schön"}, 400, "X-Client-Request-Id"},
		"Azure, no version":   {"POST", s.AzureURL() + "/openai/deployments/m/chat/completions", "application/json", nil, 400, "api-version"},
		"another method":      {"PUT", s.URL() + "/chat/completions", "application/json", nil, 404, "unknown path"},
		"another path":        {"POST", s.URL() + "/completions", "application/json", nil, 404, "unknown path"},
		"the base twice":      {"POST", s.URL() + "/v1/chat/completions", "application/json", nil, 404, "unknown path"},
		"a picture not given": {"GET", s.AzureURL() + "/hosted/7", "", nil, 404, ""},
	} {
		status, _ := send(t, c.method, c.url, c.contentType, body, c.header...)
		errors := w.caught()
		if status != c.status || (c.why == "") != (len(errors) == 0) || c.why != "" && !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
		if len(errors) > 0 && strings.Contains(errors[0], "sk-test") {
			t.Errorf("%s: the error contains the key: %q", name, errors)
		}
	}
}

// TestUnusualRequests checks that unusual but documented requests are accepted.
func TestUnusualRequests(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: fine})
	for name, body := range map[string]string{
		"all fields": `{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5,"temperature":2}`,
		"nulls":      `{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":null,"response_format":null,"max_tokens":null}`,
		"JSON mode":  `{"model":"m","messages":[{"role":"system","content":"Answer in Json."},{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}}`,
	} {
		if status, answer := send(t, http.MethodPost, s.URL()+"/chat/completions", "application/json; charset=utf-8", body); status != http.StatusOK {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	if got := s.Requests(); len(got) != 3 {
		t.Errorf("%d requests", len(got))
	}
}
