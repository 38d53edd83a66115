package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/mind/llm/llmtest"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

// unset takes all models out of a configuration.
func unset(c *Config) { c.Chat, c.Vision, c.Image, c.Speech, c.Transcription = "", "", "", "", "" }

// TestModelsThatAreFound: where none is set, the server may tell.
func TestModelsThatAreFound(t *testing.T) {
	t.Parallel()
	none := &plan.Fault{Sentence: plan.Say("It has none.")}
	b, server := newBackend(t, llmtest.Config{Answer: answers("fine", "fine")}, unset, func(c *Config) {
		c.Find = func(_ context.Context, run string) (string, error) {
			if run == "chat" {
				return "found-it", nil
			}
			return "", none
		}
	})
	if err := b.Probe(t.Context(), backing("chat", "Do.")); err != nil {
		t.Error(err)
	}
	out := must(t, b, backing("chat", "Do."), call(t, plan.Text, args{}))
	if out.Model != "found-it" || server.Requests()[0].Model != "found-it" {
		t.Errorf("taken was %q", out.Model)
	}
	probed := b.Probe(t.Context(), backing("images-generations", "Draw."))
	_, ran := b.Run(t.Context(), backing("images-generations", "Draw."), call(t, plan.Image, args{}))
	for _, err := range []error{probed, ran} {
		if plan.Sentence(err, plan.Message{}).String() != "It has none." {
			t.Errorf("got %v", err)
		}
	}
	named := backing("chat", "Do.")
	named.Model = "named"
	if out := must(t, b, named, call(t, plan.Text, args{})); out.Model != "named" {
		t.Errorf("the one that is named is %q", out.Model)
	}
}

// TestTheModelIsTold that a candidate asks: the one that is set, found or named.
func TestTheModelIsTold(t *testing.T) {
	t.Parallel()
	find := func(c *Config) {
		c.Find = func(_ context.Context, run string) (string, error) {
			if run == "audio-speech" {
				return "found-it", nil
			}
			return "", errors.New("there is none")
		}
	}
	b, _ := newBackend(t, llmtest.Config{}, unset, find, func(c *Config) { c.Image = "dall-e-3" })
	for run, want := range map[string]string{
		"images-generations": "dall-e-3", "images-edits": "dall-e-3", "audio-speech": "found-it", "audio-transcriptions": "", "no such run": "",
	} {
		if got := b.ModelOf(t.Context(), backing(run, "Do.")); got != want {
			t.Errorf("%s asks %q", run, got)
		}
	}
	named := backing("images-generations", "Draw.")
	named.Model = "named"
	if got := b.ModelOf(t.Context(), named); got != "named" {
		t.Errorf("the one that is named is %q", got)
	}
}

// TestAFoundModelSpeaksInItsOwnVoice, since nobody knows which it has.
func TestAFoundModelSpeaksInItsOwnVoice(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string `json:"model"`
			Voice string `json:"voice"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Model != "kokoro" || asked.Voice != "" {
			t.Errorf("asked for %+v, %v", asked, err)
		}
		_, _ = w.Write(wav()) //nolint:errcheck // the client is there
	}))
	t.Cleanup(server.Close)
	e, err := endpoint.New(endpoint.Config{BaseURL: server.URL, Transport: transport(t), Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	b := newBackendAt(t, e, unset, func(c *Config) {
		c.Find = func(context.Context, string) (string, error) { return "kokoro", nil }
	})
	must(t, b, backing("audio-speech", "{text}"), call(t, plan.Audio, args{"text": text("hello")}))
}

// TestWhoseTroubleItIs: the server's own is told from that of the input.
func TestWhoseTroubleItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer llmtest.Response
		down   bool
	}{
		{"down", llmtest.Response{Status: 500}, true},
		{"too many", llmtest.Response{Status: 429}, true},
		{"overloaded", llmtest.Response{Status: 503}, true},
		{"expired", llmtest.Response{Status: 401}, true},
		{"no such model", llmtest.Response{Status: 404}, true},
		{"HTML", llmtest.Response{Raw: "<html></html>", Header: http.Header{"Content-Type": {"text/html"}}}, true},
		{"nonsense", llmtest.Response{Raw: "{"}, true},
		{"cut", llmtest.Response{Text: "x", Reset: true}, true},
		{"no choices", llmtest.Response{NoChoices: true}, true},
		{"rejected", llmtest.Response{Status: 400, ErrorCode: "bad_input"}, false},
		{"too long", llmtest.Response{Status: 400, ErrorCode: "context_length_exceeded"}, false},
		{"declined", llmtest.Response{Status: 400, ErrorCode: "content_policy_violation"}, false},
		{"refused", llmtest.Response{Refusal: "no"}, false},
	} {
		b, _ := newBackend(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response { return c.answer }})
		_, err := b.Run(t.Context(), backing("chat", "Do."), call(t, plan.Text, args{}))
		if err == nil || errors.Is(err, toolbox.ErrDown) != c.down || plan.Sentence(err, plan.Message{}).String() == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestContract(t *testing.T) { //nolint:paralleltest // the suite sets the environment
	started := make(chan struct{}, 8)
	b, _ := newBackend(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		if strings.Contains(r.System(), "Wait") {
			started <- struct{}{}
			return llmtest.Response{Hang: true}
		}
		return llmtest.Response{Text: "A cat."}
	}})
	gone, err := endpoint.New(endpoint.Config{BaseURL: "http://127.0.0.1:1", Transport: transport(t), Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	cat := args{"image": file(t, plan.Image, "cat.png", pngOf(t, speckled(9, 9)))}
	broken := args{"image": file(t, plan.Image, "cat.png", []byte("no picture"))}
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: b,
		Good:    toolboxtest.Use{Candidate: backing("chat-vision", "Look at {image}."), Call: call(t, plan.Text, cat)},
		Bad:     toolboxtest.Use{Candidate: backing("chat-vision", "Look at {image}."), Call: call(t, plan.Text, broken)},
		Unknown: backing("telepathy", "Think."),
		Slow:    &toolboxtest.Use{Candidate: backing("chat", "Wait."), Call: call(t, plan.Text, args{})},
		Started: started,
		Down:    newBackendAt(t, gone),
	})
}
