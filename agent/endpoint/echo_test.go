package endpoint_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
)

// A server may repeat what people wrote, in quotes within quotes, in escapes or in none.
func TestEchoes(t *testing.T) {
	t.Parallel()
	const wish = `Write "purple elephant" on the café's 画一只猫 sign` + "\nfor Óscar"
	for _, c := range []struct {
		message string
		hidden  []string
		kept    string
	}{
		{`Invalid value: "write \"purple elephant\" on it".`, []string{"purple", "elephant"}, "Invalid value"},
		{`Invalid value: "say \"gone fishing\" on it". Use json.`, []string{"fishing", "gone", "on it"}, "Use json."},
		{"Failed to parse input at pos 0: Write “purple elephant…", []string{"Write", "purple", "elephant"}, "Failed to parse input at pos 0"},
		{"Unexpected: PURPLE ELEPHANT on the", []string{"PURPLE", "ELEPHANT"}, "Unexpected"},
		{`near on the caf\u00e9's sign\nfor \u00d3scar it ends`, []string{"caf", "sign", "scar"}, "it ends"},
		{"bad input 一只猫", []string{"一", "只", "猫"}, "bad input"},
		{`bad input \u4e00\u53ea\u732b here`, []string{"4e00", "732b"}, "here"},
		{"Unsupported value: 'temperature' does not support 0.1 with this model.", nil, "'temperature' does not support 0.1 with this model."},
		{"You are a planner, said the prompt", nil, "You are a planner, said the prompt"},
	} {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": c.message}})
		if err != nil {
			t.Fatal(err)
		}
		server, _ := serve(t, status(400, string(body)))
		var log journal
		e := build(t, endpoint.Config{BaseURL: server.URL, Log: log.logger()})
		_, chat := e.Client().CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m", Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: "You are a planner."},
			{Role: "user", MultiContent: []openai.ChatMessagePart{
				{Type: "text", Text: wish},
				{Type: "image_url", ImageURL: &openai.ChatMessageImageURL{URL: "data:image/jpeg;base64,Unsupported value"}},
			}},
		}})
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		if err := w.WriteField("prompt", wish); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, edit := e.Post(t.Context(), "/images/edits", "m", w.FormDataContentType(), form.Bytes())
		for _, err := range []error{endpoint.Explain(chat, "m"), edit} {
			said := everything(err)
			for _, word := range c.hidden {
				if strings.Contains(said+log.String(), word) {
					t.Errorf("%q: %q is told in %s", c.message, word, said)
				}
			}
			if !strings.Contains(said, c.kept) {
				t.Errorf("%q: %q is not told in %s", c.message, c.kept, said)
			}
		}
	}
}

// The one word of a prompt is what people said as well.
func TestEchoOfOneWord(t *testing.T) {
	t.Parallel()
	server, _ := serve(t, status(400, `{"error":"no prompt may be elephant"}`))
	_, err := build(t, endpoint.Config{BaseURL: server.URL}).Post(t.Context(), "/images", "m", "application/json", []byte(`{"model":"m","prompt":"Elephant"}`))
	if said := everything(err); strings.Contains(said, "elephant") || !strings.Contains(said, "no prompt may be …") {
		t.Error(said)
	}
}

func TestNamesOfTheSettings(t *testing.T) {
	t.Parallel()
	names := endpoint.Names{Key: "DECOMPOSER_API_KEY", BaseURL: "DECOMPOSER_BASE_URL", Model: "DECOMPOSER_MODEL"}
	for _, c := range []struct {
		status int
		body   string
		want   []string
	}{
		{401, "{}", []string{"DECOMPOSER_API_KEY"}},
		{404, "{}", []string{"DECOMPOSER_MODEL", "DECOMPOSER_BASE_URL"}},
		{501, "{}", []string{"DECOMPOSER_BASE_URL"}},
		{200, "no JSON", []string{"DECOMPOSER_BASE_URL"}},
	} {
		server, _ := serve(t, status(c.status, c.body))
		e := build(t, endpoint.Config{BaseURL: server.URL, Names: names})
		_, err := e.Client().CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m"})
		_, list := e.Models(t.Context())
		for _, err := range []error{e.Explain(err, "m"), list} {
			if err == nil { // a server need not list its models
				continue
			}
			said := everything(err)
			for _, want := range c.want {
				if !strings.Contains(said, want) || strings.Contains(said, "OPENAI_") {
					t.Errorf("%d: %s is not told in %s", c.status, want, said)
				}
			}
		}
	}
}
