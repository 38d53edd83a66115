package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/toolboxtest"
)

// unset removes all models from a configuration.
func unset(c *Config) { c.Chat, c.Vision, c.Image, c.Speech, c.Transcription = "", "", "", "", "" }

// TestUnsetModels checks that the server may choose if no model is set.
func TestUnsetModels(t *testing.T) {
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
		t.Errorf("used %q", out.Model)
	}
	probed := b.Probe(t.Context(), backing("images-generations", "Draw."))
	_, ran := b.Run(t.Context(), backing("images-generations", "Draw."), call(t, plan.Image, args{}))
	for _, err := range []error{probed, ran} {
		if plan.OperatorSentence(err, plan.Message{}).String() != "It has none." {
			t.Errorf("got %v", err)
		}
	}
	named := backing("chat", "Do.")
	named.Model = "named"
	if out := must(t, b, named, call(t, plan.Text, args{})); out.Model != "named" {
		t.Errorf("the named model is %q", out.Model)
	}
}

// TestReportedModel checks that a candidate's model is reported, whether set, found or named.
func TestReportedModel(t *testing.T) {
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
			t.Errorf("%s uses %q", run, got)
		}
	}
	named := backing("images-generations", "Draw.")
	named.Model = "named"
	if got := b.ModelOf(t.Context(), named); got != "named" {
		t.Errorf("the named model is %q", got)
	}
}

// chosen configures a backend to choose missing models from the server's list.
func chosen(t *testing.T) func(*Config) {
	t.Helper()
	return func(c *Config) {
		unset(c)
		var err error
		if c.Models, err = family.New(family.Config{Endpoint: c.Endpoint, Clock: c.Clock}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestChosenModels checks which models are chosen from the server's list. If the server does not know one, the next is
// tried, but not in place of a named one.
func TestChosenModels(t *testing.T) {
	t.Parallel()
	listed := []string{"gpt-6.1-terra", "gpt-6-luna", "gpt-image-2.6-flare", "gpt-image-2.5-flare", "gpt-4o-mini-tts", "tts-1", "gpt-transcribe", "whisper-1", "other"}
	unknown := []string{"gpt-6.1-terra", "gpt-image-2.6-flare", "gpt-4o-mini-tts", "gpt-transcribe", "other"}
	refused := func(model string) llmtest.Fault {
		if slices.Contains(unknown, model) {
			return llmtest.Fault{Status: http.StatusNotFound, ErrorCode: "model_not_found"}
		}
		return llmtest.Fault{}
	}
	picture := mediatest.PNG(plain(64, 48, red))
	b, server := newBackend(t, llmtest.Config{
		Models: listed,
		Answer: func(r llmtest.Request) llmtest.Response {
			if f := refused(r.Model); f.Status != 0 {
				return llmtest.Response{Status: f.Status, ErrorCode: f.ErrorCode}
			}
			return llmtest.Response{Text: "A cat."}
		},
		Image: func(r llmtest.ImageRequest) llmtest.ImageResponse {
			return llmtest.ImageResponse{Fault: refused(r.Model), Images: [][]byte{picture}}
		},
		Speech: func(r llmtest.SpeechRequest) llmtest.SpeechResponse {
			return llmtest.SpeechResponse{Fault: refused(r.Model), Audio: mp3(3)}
		},
		Transcribe: func(r llmtest.TranscribeRequest) llmtest.TranscribeResponse {
			return llmtest.TranscribeResponse{Fault: refused(r.Model), Text: "Hello."}
		},
	}, chosen(t))
	cat := file(t, plan.Image, "cat.png", mediatest.PNG(speckled(9, 9)))
	for _, c := range []struct {
		run          string
		returns      plan.Type
		given        args
		first, takes string
	}{
		{"chat", plan.Text, args{"text": text("x")}, "gpt-6.1-terra", "gpt-6-luna"},
		{"chat-vision", plan.Text, args{"image": cat}, "gpt-6-luna", "gpt-6-luna"}, // learnt by the chat run
		{"images-generations", plan.Image, args{"prompt": text("a fox")}, "gpt-image-2.6-flare", "gpt-image-2.5-flare"},
		{"images-edits", plan.Image, args{"image": cat, "prompt": text("a fox")}, "gpt-image-2.5-flare", "gpt-image-2.5-flare"},
		{"audio-speech", plan.Audio, args{"text": text("Hello.")}, "gpt-4o-mini-tts", "tts-1"},
		{"audio-transcriptions", plan.Text, args{"audio": file(t, plan.Audio, "a.mp3", mp3(3))}, "gpt-transcribe", "whisper-1"},
	} {
		how := backing(c.run, "{text}{prompt}")
		if err := b.Probe(t.Context(), how); err != nil || b.ModelOf(t.Context(), how) != c.first {
			t.Errorf("%s will use %q, %v", c.run, b.ModelOf(t.Context(), how), err)
		}
		if out := must(t, b, how, call(t, c.returns, c.given)); out.Model != c.takes || b.ModelOf(t.Context(), how) != c.takes {
			t.Errorf("%s used %q", c.run, out.Model)
		}
		how.Model = "other"
		calls := len(server.Calls())
		_, err := b.Run(t.Context(), how, call(t, c.returns, c.given))
		if endpoint.KindOf(err) != endpoint.ModelUnknown || len(server.Calls()) != calls+1 {
			t.Errorf("%s by the named model: %v, in %d calls", c.run, err, len(server.Calls())-calls)
		}
	}
}

// TestNoModelToChoose checks that the error tells the operator what to set.
func TestNoModelToChoose(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t, llmtest.Config{Models: []string{"gpt-6.1-terra"}}, chosen(t), func(c *Config) { c.Blind = true })
	for run, want := range map[string]string{
		"chat": "", "chat-vision": "set OPENAI_VISION_MODEL to one", "images-edits": "set OPENAI_IMAGE_MODEL to one",
		"audio-speech": "set OPENAI_SPEECH_MODEL to one", "audio-transcriptions": "set OPENAI_TRANSCRIPTION_MODEL to one",
	} {
		err := b.Probe(t.Context(), backing(run, "Do."))
		if got := plan.OperatorSentence(err, plan.Message{}).String(); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v", run, err)
		}
		if model := b.ModelOf(t.Context(), backing(run, "Do.")); (model == "") != (want != "") {
			t.Errorf("%s will use %q", run, model)
		}
	}
}

// TestDefaultVoice checks that a found model uses its default voice, since its voices are unknown.
func TestDefaultVoice(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string `json:"model"`
			Voice string `json:"voice"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Model != "kokoro" || asked.Voice != "" {
			t.Errorf("asked for %+v, %v", asked, err)
		}
		_, _ = w.Write(mediatest.Tone("hello", time.Second/10)) //nolint:errcheck // the client is there
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

// TestBlame checks that faults of the server and of the input are distinguished.
func TestBlame(t *testing.T) {
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
		if err == nil || errors.Is(err, toolbox.ErrDown) != c.down || plan.OperatorSentence(err, plan.Message{}).String() == "" {
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
	cat := args{"image": file(t, plan.Image, "cat.png", mediatest.PNG(speckled(9, 9)))}
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
