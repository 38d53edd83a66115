package llmtest_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
)

// TestAnswers checks scripted answers with a real client.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  llmtest.Response
		content string
		refusal string
		finish  openai.FinishReason
		input   int
		output  int
	}{
		"text":         {llmtest.Response{Text: "twelve bytes"}, "twelve bytes", "", "stop", 2, 3},
		"JSON":         {llmtest.Response{JSON: map[string]int{"a": 1}}, `{"a":1}`, "", "stop", 2, 1},
		"text first":   {llmtest.Response{Text: "x", JSON: 1}, "x", "", "stop", 2, 1},
		"nothing":      {llmtest.Response{}, "", "", "stop", 2, 1},
		"cut":          {llmtest.Response{Text: "{", Finish: "length"}, "{", "", "length", 2, 1},
		"no finish":    {llmtest.Response{Text: "x", Finish: "none"}, "x", "", "", 2, 1},
		"a refusal":    {llmtest.Response{Refusal: "I will not."}, "", "I will not.", "stop", 2, 2},
		"no usage":     {llmtest.Response{Text: "x", NoUsage: true}, "x", "", "stop", 0, 0},
		"told usage":   {llmtest.Response{Text: "x", Usage: &replay.Usage{Input: 70, Output: 7}}, "x", "", "stop", 70, 7},
		"a whole body": {llmtest.Response{Raw: `{"choices":[{"message":{"content":"raw"}}]}`}, "raw", "", "", 0, 0},
	} {
		s := llmtest.New(t, llmtest.Config{Answer: llmtest.InOrder(c.answer)})
		res, err := ask(t.Context(), client(t, s.URL()), "what is it")
		if err != nil || len(res.Choices) != 1 {
			t.Fatalf("%s: %+v, %v", name, res, err)
		}
		got := res.Choices[0]
		if got.Message.Content != c.content || got.Message.Refusal != c.refusal || got.FinishReason != c.finish ||
			res.Usage.PromptTokens != c.input || res.Usage.CompletionTokens != c.output {
			t.Errorf("%s: %+v, %+v", name, got, res.Usage)
		}
	}
}

func TestNoChoices(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: llmtest.InOrder(llmtest.Response{NoChoices: true})})
	if res, err := ask(t.Context(), client(t, s.URL()), "hi"); err != nil || len(res.Choices) != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestFaults checks that faults are the real client's errors.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer llmtest.Response
		kind   endpoint.Kind
		status int
	}{
		"a wrong key":     {llmtest.Response{Status: 401, ErrorCode: "invalid_api_key"}, endpoint.KeyRefused, 401},
		"no model":        {llmtest.Response{Status: 404, ErrorCode: "model_not_found", ErrorMessage: "no such model"}, endpoint.ModelUnknown, 404},
		"a quota":         {llmtest.Response{Status: 429, ErrorCode: "insufficient_quota", ErrorType: "insufficient_quota"}, endpoint.Quota, 429},
		"a limit":         {llmtest.Response{Status: 429, Header: http.Header{"retry-after": {"7"}}}, endpoint.Limited, 429},
		"a long context":  {llmtest.Response{Status: 400, ErrorCode: "context_length_exceeded"}, endpoint.TooLong, 400},
		"down":            {llmtest.Response{Status: 502, Raw: "<html>Bad Gateway</html>", Header: http.Header{"Content-Type": {"text/html"}}}, endpoint.Down, 502},
		"no JSON":         {llmtest.Response{Raw: `{"choices":`}, endpoint.Malformed, 0},
		"a broken answer": {llmtest.Response{Text: "the half of it", Reset: true}, endpoint.Malformed, 200},
	} {
		s := llmtest.New(t, llmtest.Config{Answer: llmtest.InOrder(c.answer)})
		_, err := ask(t.Context(), client(t, s.URL()), "hi")
		if kind := endpoint.KindOf(endpoint.Explain(err, "m")); kind != c.kind {
			t.Errorf("%s: kind %q, %v", name, kind, err)
		}
		if len(s.Requests()) != 1 {
			t.Errorf("%s: %d requests", name, len(s.Requests()))
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	var waited []time.Duration
	s := llmtest.New(t, llmtest.Config{Answer: llmtest.InOrder(
		llmtest.Response{Status: 429, Header: http.Header{"retry-after": {"41"}}},
		llmtest.Response{Text: "there"},
	)})
	c := newClient(t, endpoint.Config{BaseURL: s.URL(), Wait: func(_ context.Context, d time.Duration) error {
		waited = append(waited, d)
		return nil
	}})
	res, err := ask(t.Context(), c, "hi")
	if err != nil || res.Choices[0].Message.Content != "there" || len(waited) != 1 || waited[0] < 41*time.Second {
		t.Errorf("%+v, %v, waited %v", res, err, waited)
	}
}

// TestHang checks that a client waits until it disconnects.
func TestHang(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response {
		cancel()
		return llmtest.Response{Hang: true}
	}})
	if _, err := ask(ctx, client(t, s.URL()), "hi"); err == nil || ctx.Err() == nil {
		t.Error("the client got an answer")
	}
}

// TestHangEnds checks that a waiting client is released when the test ends.
func TestHangEnds(t *testing.T) {
	t.Parallel()
	came, ended := make(chan struct{}), make(chan error, 1)
	t.Run("the test that ends", func(t *testing.T) {
		s := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response {
			close(came)
			return llmtest.Response{Hang: true}
		}})
		c := client(t, s.URL())
		go func() {
			_, err := ask(context.Background(), c, "hi")
			ended <- err
		}()
		<-came
	})
	if err := <-ended; err == nil {
		t.Error("the client got an answer")
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: fine, Key: "sk-right", Models: []string{"a", "b"}})
	wrong := client(t, s.URL())
	_, err := ask(t.Context(), wrong, "hi")
	if kind := endpoint.KindOf(endpoint.Explain(err, "m")); kind != endpoint.KeyRefused {
		t.Errorf("%q, %v", kind, err)
	}
	if _, err := wrong.ListModels(t.Context()); endpoint.KindOf(endpoint.Explain(err, "")) != endpoint.KeyRefused {
		t.Error(err)
	}
	right := newClient(t, endpoint.Config{BaseURL: s.URL(), Key: "sk-right"})
	if _, err := ask(t.Context(), right, "hi"); err != nil {
		t.Error(err)
	}
	if len(s.Requests()) != 2 {
		t.Errorf("%d requests", len(s.Requests()))
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	for _, models := range [][]string{nil, {"gpt-x", "m"}} {
		s := llmtest.New(t, llmtest.Config{Models: models, Ends: map[string]string{"m": "2026-12-11"}})
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		e, err := endpoint.New(endpoint.Config{BaseURL: s.URL(), Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		var want []endpoint.Model
		for _, name := range models {
			want = append(want, endpoint.Model{Name: name})
		}
		if len(want) > 0 {
			want[1].Ends = time.Date(2026, 12, 11, 0, 0, 0, 0, time.UTC)
		}
		if got, err := e.Models(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestModes checks that response formats are rejected as by models that lack them.
func TestModes(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: fine, NoSchema: true, NoJSON: true})
	for format, status := range map[string]int{
		`{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":` + object(`{"type":"string"}`) + `}}`: 400,
		`{"type":"json_object"}`: 400,
		`null`:                   200,
	} {
		got, answer := send(t, http.MethodPost, s.URL()+"/chat/completions", "application/json",
			`{"model":"m","messages":[{"role":"user","content":"JSON"}],"response_format":`+format+`}`)
		if got != status || status == 400 && !strings.Contains(answer, "'response_format' of type 'json_") {
			t.Errorf("%s: %d %s", format, got, answer)
		}
	}
	if len(s.Requests()) != 3 {
		t.Errorf("%d requests", len(s.Requests()))
	}
}

func TestAzure(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Answer: fine, Key: "azure-key"})
	c := newClient(t, endpoint.Config{BaseURL: s.AzureURL(), Key: "azure-key", AzureVersion: "2024-10-21", Retries: -1})
	res, err := ask(t.Context(), c, "hi")
	if err != nil || res.Choices[0].Message.Content != "fine" {
		t.Fatal(res, err)
	}
	if calls := s.Calls(); !slices.Equal(calls, []string{"POST /openai/deployments/m/chat/completions"}) {
		t.Error(calls)
	}
}

// TestScripts checks that a finished script, or one without an answer, is a test error.
func TestScripts(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	byJob := llmtest.ByJob(map[string][]llmtest.Response{
		"decompose": {{Text: "d0"}, {Text: "d1"}},
		"respond":   {{Text: "r0"}},
	})
	s := llmtest.New(w, llmtest.Config{Answer: byJob})
	c := client(t, s.URL())
	var got []string
	for _, job := range []string{"decompose", "respond", "decompose", "respond", "settle"} {
		res, err := ask(endpoint.Label(t.Context(), "r", job, 0), c, "hi")
		if err != nil {
			e := endpoint.KindOf(endpoint.Explain(err, "m"))
			got = append(got, string(e))
			continue
		}
		got = append(got, res.Choices[0].Message.Content)
	}
	rejected := string(endpoint.Rejected)
	if want := []string{"d0", "r0", "d1", rejected, rejected}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	errors := w.caught()
	if len(errors) != 2 || !strings.Contains(errors[0], "all are used") || !strings.Contains(errors[1], `no answer for the job "settle"`) {
		t.Errorf("%q", errors)
	}
}

// TestNothingScripted checks that a call without a script is a test error.
func TestNothingScripted(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	for _, c := range []llmtest.Config{
		{},
		{Answer: llmtest.InOrder(llmtest.Response{JSON: func() {}})},
	} {
		s := llmtest.New(w, c)
		if _, err := ask(t.Context(), client(t, s.URL()), "hi"); err == nil {
			t.Error("the call was answered")
		}
		if errors := w.caught(); len(errors) != 1 {
			t.Errorf("%q", errors)
		}
	}
}
