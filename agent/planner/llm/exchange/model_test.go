package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
)

// sent are the parameters of a call.
type sent struct {
	Old    int      `json:"max_tokens"`
	New    int      `json:"max_completion_tokens"`
	Warmth *float64 `json:"temperature"`
	Format string   `json:"-"`
}

// good is a valid answer.
const good = `{"words":["violet","walrus","and","some","more"]}`

// setup is the part of the configuration that tests change.
type setup struct {
	exchange.Config

	Model exchange.ModelConfig
}

// asker asks a server that gives scripted answers.
type asker struct {
	*exchange.Exchange

	server *llmtest.Server
	waits  *[]time.Duration
}

func newAsker(t *testing.T, server llmtest.Config, change func(*setup)) asker {
	t.Helper()
	a := asker{server: llmtest.New(t, server), waits: new([]time.Duration)}
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	e, err := endpoint.New(endpoint.Config{
		BaseURL: a.server.URL(), Transport: transport,
		Wait: func(ctx context.Context, d time.Duration) error {
			*a.waits = append(*a.waits, d)
			return ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := setup{Model: exchange.ModelConfig{Endpoint: e, Name: "test-model"}}
	if change != nil {
		change(&c)
	}
	if c.Config.Model, err = exchange.NewModel(c.Model); err != nil {
		t.Fatal(err)
	}
	if a.Exchange, err = exchange.New(c.Config); err != nil {
		t.Fatal(err)
	}
	return a
}

// do asks for words.
func (a asker) do(ctx context.Context, thinking *plan.Thinking) error {
	type words struct {
		Words []string `json:"words"`
	}
	form, err := exchange.NewSchema[words]("words", nil)
	if err != nil {
		return err
	}
	q := exchange.Question{Job: "words", Request: "r1", System: strings.Repeat("Say some words as JSON. ", 1200), User: "Now.", Schema: form, Output: 4096}
	return a.Ask(ctx, q, thinking, func(content string) error {
		_, err := exchange.ReadObject[words](content)
		return err
	})
}

func sentIn(t *testing.T, r llmtest.Request) sent {
	t.Helper()
	s := sent{Format: r.Format}
	if err := json.Unmarshal(r.Body, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestModelsThatThink checks models that spend tokens before they answer, whatever their names: if the answer did
// not begin, this call and the later ones get more tokens.
func TestModelsThatThink(t *testing.T) {
	t.Parallel()
	const spent = 4500 // on thoughts
	for _, c := range []struct {
		name  string
		cut   string // what is left of the thoughts
		calls int    // of two questions
	}{
		{"qwen3-vl:8b", "", 3},
		{"deepseek-reasoner", "<think>What is wanted? ", 3},
		{"gpt-5-mini", "", 2},
		{"openai/gpt-5-mini", "", 2},
		{"gpt-6.1-terra", "", 2},
		{"gpt-10-terra", "", 2},
		{"openai/gpt-oss:20b", "", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newAsker(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
				if r.MaxTokens < spent+500 {
					return llmtest.Response{Text: c.cut, Finish: "length", Usage: &replay.Usage{Input: 3000, Output: r.MaxTokens}}
				}
				return llmtest.Response{Text: "hm, hm</think>\n\n" + good}
			}}, func(l *setup) { l.Model.Name = c.name })
			for range 2 {
				if err := f.do(t.Context(), new(plan.Thinking)); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(f.server.Requests()); n != c.calls {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// TestModelsThatAreChosen checks that if no model is named, it comes from the server's list, and that the next one is
// tried if the server does not know it. A named model is never replaced.
func TestModelsThatAreChosen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		named         string
		listed, knows []string
		asked         string // in two questions
		ends          endpoint.Kind
	}{
		{"the first is known", "", []string{"gpt-6.1-terra", "gpt-4"}, []string{"gpt-6.1-terra"}, "gpt-6.1-terra gpt-6.1-terra", ""},
		{"the first is not", "", []string{"gpt-6.1-terra", "gpt-4"}, []string{"gpt-4"}, "gpt-6.1-terra gpt-4 gpt-4", ""},
		{"no list", "", nil, []string{"gpt-6-luna"}, "gpt-6.1-terra gpt-6-luna gpt-6-luna", ""},
		{"none is known", "", []string{"gpt-6.1-terra", "gpt-4"}, nil, "gpt-6.1-terra gpt-4 gpt-6.1-terra gpt-4", endpoint.ModelUnknown},
		{"none is clear", "", []string{"a", "b"}, nil, "", endpoint.ModelUnknown},
		{"named", "gpt-6.1-terra", []string{"gpt-6.1-terra", "gpt-4"}, []string{"gpt-4"}, "gpt-6.1-terra gpt-6.1-terra", endpoint.ModelUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newAsker(t, llmtest.Config{Models: c.listed, Answer: func(r llmtest.Request) llmtest.Response {
				if !slices.Contains(c.knows, r.Model) {
					return llmtest.Response{Status: http.StatusNotFound, ErrorCode: "model_not_found"}
				}
				return llmtest.Response{Text: good}
			}}, func(l *setup) {
				var err error
				if l.Model.Choice, err = family.New(family.Config{Endpoint: l.Model.Endpoint}); err != nil {
					t.Fatal(err)
				}
				l.Model.Name = c.named
			})
			var thinking plan.Thinking
			for range 2 {
				if err := f.do(t.Context(), &thinking); endpoint.KindOf(err) != c.ends || (err == nil) != (c.ends == "") {
					t.Fatal(err)
				}
			}
			var asked []string
			for _, r := range f.server.Requests() {
				asked = append(asked, r.Model)
				if s, plain := sentIn(t, r), r.Model == "gpt-4"; plain != (s.Warmth != nil) || plain != (s.Old != 0) {
					t.Errorf("%s is asked as if it were another: %+v", r.Model, s)
				}
			}
			if got := strings.Join(asked, " "); got != c.asked {
				t.Errorf("asked are %s", got)
			}
			if c.ends == "" && thinking.Jobs[0].Model != c.knows[0] {
				t.Errorf("the account names %s", thinking.Jobs[0].Model)
			}
		})
	}
}

// TestRefusedParameters checks that a parameter that a server rejects is omitted, also later, before another
// format is tried.
func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	no := func(param string) llmtest.Response {
		return llmtest.Response{Status: http.StatusBadRequest, Raw: `{"error":{"message":"Unsupported.","param":"` + param + `","code":"unsupported_parameter"}}`}
	}
	for _, c := range []struct {
		name     string
		model    exchange.ModelConfig
		refuses  func(sent) string
		requests int // of two questions
		want     sent
	}{
		{"temperature", exchange.ModelConfig{Name: "chat"}, func(s sent) string {
			if s.Warmth != nil {
				return "temperature"
			}
			return ""
		}, 3, sent{Old: 4096, Format: "json_schema"}},
		{"both, as of a deployment that reasons", exchange.ModelConfig{Name: "chat"}, func(s sent) string {
			switch {
			case s.Old != 0:
				return "max_tokens"
			case s.Warmth != nil:
				return "temperature"
			}
			return ""
		}, 4, sent{New: 4096, Format: "json_schema"}},
		{"the new field", exchange.ModelConfig{Name: "gpt-5", TokenField: "max_completion_tokens"}, func(sent) string { return "" }, 2, sent{New: 16384, Format: "json_schema"}},
		{"the old field, by the client", exchange.ModelConfig{Name: "gpt-5", TokenField: "max_tokens"}, func(sent) string { return "" }, 2, sent{New: 16384, Format: "json_schema"}},
		{"the new field of an old server", exchange.ModelConfig{Name: "m", TokenField: "max_completion_tokens"}, func(s sent) string {
			if s.New != 0 {
				return "max_completion_tokens"
			}
			return ""
		}, 3, sent{Old: 4096, Format: "json_schema"}},
		{"temperature and the schema", exchange.ModelConfig{Name: "chat"}, func(s sent) string {
			switch {
			case s.Warmth != nil:
				return "temperature"
			case s.Format == "json_schema":
				return "response_format"
			}
			return ""
		}, 4, sent{Old: 4096, Format: "json_object"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newAsker(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
				if param := c.refuses(sentIn(t, r)); param != "" {
					return no(param)
				}
				return llmtest.Response{Text: good}
			}}, func(l *setup) { l.Model.Name, l.Model.TokenField = c.model.Name, c.model.TokenField })
			for range 2 {
				if err := f.do(t.Context(), new(plan.Thinking)); err != nil {
					t.Fatal(err)
				}
			}
			all := f.server.Requests()
			last := sentIn(t, all[len(all)-1])
			last.Warmth = nil // which says nothing where it may be sent
			if len(all) != c.requests || last != c.want {
				t.Errorf("%d requests, at last %+v", len(all), last)
			}
		})
	}
	t.Run("for good", func(t *testing.T) {
		t.Parallel()
		f := newAsker(t, llmtest.Config{Answer: llmtest.InOrder(no("temperature"), no("temperature"))}, nil)
		err := f.do(t.Context(), new(plan.Thinking))
		if endpoint.KindOf(err) != endpoint.Rejected || len(f.server.Requests()) != 2 {
			t.Errorf("%v after %d requests", err, len(f.server.Requests()))
		}
	})
}

// TestServerFailsAtFormat checks that a server that fails with a format is asked for a plainer one, and never for
// the same again.
func TestServerFailsAtFormat(t *testing.T) {
	t.Parallel()
	bad := llmtest.Response{Status: http.StatusInternalServerError, ErrorType: "server_error", ErrorMessage: `response_format type must be one of "text" or "json_object"`}
	f := newAsker(t, llmtest.Config{Answer: llmtest.InOrder(bad, llmtest.Response{Text: good}, llmtest.Response{Text: good})}, nil)
	for range 2 {
		if err := f.do(t.Context(), new(plan.Thinking)); err != nil {
			t.Fatal(err)
		}
	}
	var formats []string
	for _, r := range f.server.Requests() {
		formats = append(formats, r.Format)
	}
	if !slices.Equal(formats, []string{"json_schema", "json_object", "json_object"}) || len(*f.waits) != 0 {
		t.Errorf("asked for %q after %v", formats, *f.waits)
	}
}

// TestMissingFinishReason checks that an answer that was cut off without a reason is recognized by its form, and
// that a complete one is accepted.
func TestMissingFinishReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, finish, wrong string }{
		"whole":               {good, "none", ""},
		"broken off":          {good[:30], "none", "cut off"},
		"of another shape":    {`{"words":"violet"}`, "none", "wrong shape"},
		"another word":        {good, "eos_token", ""},
		"another word's half": {good[:30], "eos_token", "no JSON"},
		"another limit":       {good, "max_tokens", "cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := llmtest.Response{Text: c.text, Finish: c.finish}
			f := newAsker(t, llmtest.Config{Answer: llmtest.InOrder(answer, answer)}, nil)
			err := f.do(t.Context(), new(plan.Thinking))
			wrong, ok := errors.AsType[*exchange.AnswerError](err)
			if (err != nil) != (c.wrong != "") || err != nil && (!ok || wrong.Kind != c.wrong) {
				t.Errorf("it is %v", err)
			}
		})
	}
}

// TestAnswerLimit checks that the budget of a request limits the length of answers, too.
func TestAnswerLimit(t *testing.T) {
	t.Parallel()
	const ceiling = 16_000
	f := newAsker(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		return llmtest.Response{Text: `{"thought":"`, Finish: "length", Usage: &replay.Usage{Input: len(r.System()+r.User()) / 4, Output: r.MaxTokens}}
	}}, func(c *setup) { c.MaxTokens = ceiling })
	var thinking plan.Thinking
	err := f.do(t.Context(), &thinking)
	all := f.server.Requests()
	if err == nil || len(all) == 0 || thinking.Tokens() > ceiling {
		t.Errorf("%d tokens in %d requests: %v", thinking.Tokens(), len(all), err)
	}
	if len(all) == 2 && all[1].MaxTokens >= all[0].MaxTokens {
		t.Errorf("an answer of %d tokens, then one of %d", all[0].MaxTokens, all[1].MaxTokens)
	}
}
