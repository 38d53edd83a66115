package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
)

// TestFinishReasons checks that any finish reason of a server is accepted, and so is none.
func TestFinishReasons(t *testing.T) {
	t.Parallel()
	for _, finish := range []string{"none", "eos_token", "end_turn", "stop_sequence"} {
		b, _ := newBackend(t, llmtest.Config{Answer: llmtest.InOrder(llmtest.Response{Text: "fine", Finish: finish})})
		if out := must(t, b, backing("chat", "Greet {text}."), call(t, plan.Text, args{"text": text("x")})); out.Value != "fine" {
			t.Errorf("%s: got %+v", finish, out)
		}
	}
}

// boundOf returns the field with the token limit of a request.
func boundOf(t *testing.T, r llmtest.Request) string {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{maxTokens, maxCompletionTokens} {
		if _, ok := body[field]; ok {
			if r.MaxTokens != maxOutput {
				t.Errorf("%s is %d", field, r.MaxTokens)
			}
			return field
		}
	}
	return "nothing"
}

// TestAnswersAreBounded checks that answers are limited by the field that the server accepts, which is found once.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	refuses := func(fields ...string) func(t *testing.T, r llmtest.Request) llmtest.Response {
		return func(t *testing.T, r llmtest.Request) llmtest.Response {
			t.Helper()
			for _, f := range fields {
				if boundOf(t, r) == f {
					return llmtest.Response{Status: http.StatusBadRequest, ErrorMessage: "Unsupported parameter: '" + f + "' is too large."}
				}
			}
			return llmtest.Response{Text: "fine"}
		}
	}
	for name, c := range map[string]struct {
		answer func(t *testing.T, r llmtest.Request) llmtest.Response
		field  string // the configured one
		model  string
		want   string
	}{
		"the old field":               {refuses(), "", "talker", "max_tokens max_tokens"},
		"the new field, if it is set": {refuses(), maxCompletionTokens, "talker", "max_completion_tokens max_completion_tokens"},
		"the old one is refused":      {refuses(maxTokens), "", "talker", "max_tokens max_completion_tokens max_completion_tokens"},
		"the client refuses it":       {refuses(), "", "gpt-5-mini", "max_completion_tokens max_completion_tokens"},
		"both are refused":            {refuses(maxTokens, maxCompletionTokens), "", "talker", "max_tokens max_completion_tokens nothing nothing"},
		"a small context": {func(t *testing.T, r llmtest.Request) llmtest.Response {
			t.Helper()
			if boundOf(t, r) != "nothing" {
				return llmtest.Response{Status: http.StatusBadRequest, ErrorMessage: "max_tokens is too large: This model's maximum context length is 8192 tokens."}
			}
			return llmtest.Response{Text: "fine"}
		}, "", "talker", "max_tokens nothing nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, server := newBackend(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response { return c.answer(t, r) }},
				func(config *Config) { config.TokenField, config.Chat = c.field, c.model })
			for range 2 {
				must(t, b, backing("chat", "Greet {text}."), call(t, plan.Text, args{"text": text("x")}))
			}
			var got []string
			for _, r := range server.Requests() {
				got = append(got, boundOf(t, r))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("requested %q, want %q", got, c.want)
			}
		})
	}
}

// TestLongBadAnswer checks that only the start of a bad answer is sent back, as valid text.
func TestLongBadAnswer(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, llmtest.Config{Answer: answers("x"+strings.Repeat("é\n", 20_000), "The Sea")})
	must(t, b, backing("chat", "Name {text}."), call(t, plan.Title, args{"text": text("x")}))
	again := server.Requests()[1].Messages[2]
	if len(again.Text) > 2100 || !strings.HasPrefix(again.Text, "xé\né") || !strings.HasSuffix(again.Text, "…") || strings.Contains(again.Text, "\uFFFD") {
		t.Errorf("%d bytes were sent back", len(again.Text))
	}
}

// TestUsage checks that the usage of failed calls is reported too.
func TestUsage(t *testing.T) {
	t.Parallel()
	counted := func(text string, in, out int) llmtest.Response {
		const body = `{"choices": [{"message": {"role": "assistant", "content": %q}, "finish_reason": "stop"}], ` +
			`"usage": {"prompt_tokens": %d, "completion_tokens": %d}}`
		return llmtest.Response{Raw: fmt.Sprintf(body, text, in, out)}
	}
	const declines = `{"choices": [{"message": {"role": "assistant", "refusal": "no"}, "finish_reason": "stop"}], ` +
		`"usage": {"prompt_tokens": 50, "completion_tokens": 5}}`
	script := func(all ...llmtest.Response) llmtest.Config {
		return llmtest.Config{
			Answer: llmtest.InOrder(all...),
			Image: func(llmtest.ImageRequest) llmtest.ImageResponse {
				return llmtest.ImageResponse{Images: [][]byte{pngOf(t, plain(15, 10, blue))}}
			},
			Speech: func(llmtest.SpeechRequest) llmtest.SpeechResponse { return llmtest.SpeechResponse{Audio: mp3(3)} },
			Transcribe: func(llmtest.TranscribeRequest) llmtest.TranscribeResponse {
				return llmtest.TranscribeResponse{Text: "hi"}
			},
		}
	}
	said := args{"text": text("x")}
	for name, c := range map[string]struct {
		script  llmtest.Config
		run     string
		returns plan.Type
		args    args
		fails   bool
		want    plan.Tokens
	}{
		"once":              {script(counted("fine", 70, 7)), "chat", plan.Text, said, false, plan.Tokens{Calls: 1, Input: 70, Output: 7}},
		"asked again":       {script(counted("a\nb", 70, 7), counted("a", 90, 2)), "chat", plan.Title, said, false, plan.Tokens{Calls: 2, Input: 160, Output: 9}},
		"in vain":           {script(counted("a\nb", 70, 7), counted("a\nb", 90, 9)), "chat", plan.Title, said, true, plan.Tokens{Calls: 2, Input: 160, Output: 16}},
		"refused":           {script(llmtest.Response{Raw: declines}), "chat", plan.Text, said, true, plan.Tokens{Calls: 1, Input: 50, Output: 5}},
		"a drawing":         {script(), "images-generations", plan.Image, said, false, plan.Tokens{Calls: 1}},
		"a long speech":     {script(), "audio-speech", plan.Audio, args{"text": text(strings.Repeat("A word. ", 400))}, false, plan.Tokens{Calls: 3}},
		"a transcription":   {script(), "audio-transcriptions", plan.Text, args{"audio": file(t, plan.Audio, "voice.mp3", mp3(4))}, false, plan.Tokens{Calls: 1}},
		"the key is no use": {script(llmtest.Response{Status: http.StatusUnauthorized}), "chat", plan.Text, said, true, plan.Tokens{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, c.script)
			out, err := b.Run(t.Context(), backing(c.run, "Do {text}."), call(t, c.returns, c.args))
			if (err != nil) != c.fails || out.Usage != c.want {
				t.Errorf("usage %+v, %v", out.Usage, err)
			}
		})
	}
	b, _ := newBackend(t, llmtest.Config{Answer: llmtest.InOrder(llmtest.Response{Text: "a fine answer", NoUsage: true})})
	u := must(t, b, backing("chat", "Do {text}."), call(t, plan.Text, said)).Usage
	if u.Calls != 1 || u.Input < 100 || u.Output != 3 || !u.Estimated {
		t.Errorf("estimated %+v", u)
	}
}
