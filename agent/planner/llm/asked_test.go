package llm_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/planner/llm"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
	"atelier/agent/planner/llm/token"
)

// sent are the parameters of a call.
type sent struct {
	Old    int      `json:"max_tokens"`
	New    int      `json:"max_completion_tokens"`
	Warmth *float64 `json:"temperature"`
	Format string   `json:"-"`
}

func sentIn(t *testing.T, r llmtest.Request) sent {
	t.Helper()
	s := sent{Format: r.Format}
	if err := json.Unmarshal(r.Body, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// A model that thinks spends tokens before it answers, whatever its name: one whose
// answer did not begin is given more, and the next ones are too.
func TestModelsThatThink(t *testing.T) {
	t.Parallel()
	const spent = 4500 // on thoughts
	for _, c := range []struct {
		name  string
		cut   string // what is left of the thoughts
		calls int    // of two decompositions
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
			f := newFaulty(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
				if r.MaxTokens < spent+500 {
					return llmtest.Response{Text: c.cut, Finish: "length", Usage: &replay.Usage{Input: 3000, Output: r.MaxTokens}}
				}
				return llmtest.Response{Text: "hm, hm</think>\n\n" + written(split(nil))}
			}}, nil, func(l *llm.Config) { l.Model.Name = c.name })
			for range 2 {
				if err := do(t.Context(), f, "", new(plan.Thinking)); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(f.server.Requests()); n != c.calls {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// Where no model is named the server's list decides, and the next model is asked where the
// server does not know one: each in its own way. One that is named is never replaced.
func TestModelsThatAreChosen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		named         string
		listed, knows []string
		asked         string // in two decompositions
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
			f := newFaulty(t, llmtest.Config{Models: c.listed, Answer: func(r llmtest.Request) llmtest.Response {
				if !slices.Contains(c.knows, r.Model) {
					return llmtest.Response{Status: http.StatusNotFound, ErrorCode: "model_not_found"}
				}
				return llmtest.Response{JSON: split(nil)}
			}}, nil, func(l *llm.Config) {
				var err error
				if l.Model.Choice, err = family.New(family.Config{Endpoint: l.Model.Endpoint}); err != nil {
					t.Fatal(err)
				}
				l.Model.Name = c.named
			})
			var thinking plan.Thinking
			for range 2 {
				if err := do(t.Context(), f, "", &thinking); endpoint.KindOf(err) != c.ends || (err == nil) != (c.ends == "") {
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

// A parameter that a server refuses is left out, and remembered, before the format is.
func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	no := func(param string) llmtest.Response {
		return llmtest.Response{Status: http.StatusBadRequest, Raw: `{"error":{"message":"Unsupported.","param":"` + param + `","code":"unsupported_parameter"}}`}
	}
	for _, c := range []struct {
		name     string
		model    llm.Model
		refuses  func(sent) string
		requests int // of two decompositions
		want     sent
	}{
		{"temperature", llm.Model{Name: "chat"}, func(s sent) string {
			if s.Warmth != nil {
				return "temperature"
			}
			return ""
		}, 3, sent{Old: 4096, Format: "json_schema"}},
		{"both, as of a deployment that reasons", llm.Model{Name: "chat"}, func(s sent) string {
			switch {
			case s.Old != 0:
				return "max_tokens"
			case s.Warmth != nil:
				return "temperature"
			}
			return ""
		}, 4, sent{New: 4096, Format: "json_schema"}},
		{"the new field", llm.Model{Name: "gpt-5", TokenField: "max_completion_tokens"}, func(sent) string { return "" }, 2, sent{New: 16384, Format: "json_schema"}},
		{"the old field, by the client", llm.Model{Name: "gpt-5", TokenField: "max_tokens"}, func(sent) string { return "" }, 2, sent{New: 16384, Format: "json_schema"}},
		{"the new field of an old server", llm.Model{Name: "m", TokenField: "max_completion_tokens"}, func(s sent) string {
			if s.New != 0 {
				return "max_completion_tokens"
			}
			return ""
		}, 3, sent{Old: 4096, Format: "json_schema"}},
		{"temperature and the schema", llm.Model{Name: "chat"}, func(s sent) string {
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
			f := newFaulty(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
				if param := c.refuses(sentIn(t, r)); param != "" {
					return no(param)
				}
				return llmtest.Response{JSON: split(nil)}
			}}, nil, func(l *llm.Config) { l.Model.Name, l.Model.TokenField = c.model.Name, c.model.TokenField })
			for range 2 {
				if err := do(t.Context(), f, "", new(plan.Thinking)); err != nil {
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
		f := newFaulty(t, llmtest.Config{Answer: scripted(no("temperature"))}, nil, nil)
		err := do(t.Context(), f, "", new(plan.Thinking))
		if endpoint.KindOf(err) != endpoint.Rejected || len(f.server.Requests()) != 2 {
			t.Errorf("%v after %d requests", err, len(f.server.Requests()))
		}
	})
}

// A server that fails at a format is asked for a plainer one, and not for the same again.
func TestAServerThatFailsAtAFormat(t *testing.T) {
	t.Parallel()
	bad := llmtest.Response{Status: http.StatusInternalServerError, ErrorType: "server_error", ErrorMessage: `response_format type must be one of "text" or "json_object"`}
	f := newFaulty(t, llmtest.Config{Answer: scripted(bad, llmtest.Response{JSON: split(nil)})}, nil, nil)
	for range 2 {
		if err := do(t.Context(), f, "", new(plan.Thinking)); err != nil {
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

// An answer that broke off without a reason is known by its form; one that is whole is taken.
func TestNoReasonForTheEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, finish, wrong string }{
		"whole":               {written(split(nil)), "none", ""},
		"broken off":          {written(split(nil))[:90], "none", "cut off"},
		"of another shape":    {`{"subtasks":"` + saidWords + `"}`, "none", "wrong shape"},
		"another word":        {written(split(nil)), "eos_token", ""},
		"another word's half": {written(split(nil))[:90], "eos_token", "no JSON"},
		"another limit":       {written(split(nil)), "max_tokens", "cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, llmtest.Config{Answer: scripted(llmtest.Response{Text: c.text, Finish: c.finish})}, nil, nil)
			err := do(t.Context(), f, "", new(plan.Thinking))
			wrong, ok := errors.AsType[*llm.AnswerError](err)
			if (err != nil) != (c.wrong != "") || err != nil && (!ok || wrong.Kind != c.wrong) {
				t.Errorf("it is %v", err)
			}
		})
	}
}

// What a request may take bounds the answers too.
func TestTheCeilingHoldsTheAnswers(t *testing.T) {
	t.Parallel()
	const ceiling = 16_000
	f := newFaulty(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
		return llmtest.Response{Text: `{"thought":"`, Finish: "length", Usage: &replay.Usage{Input: len(r.System()+r.User()) / 4, Output: r.MaxTokens}}
	}}, nil, func(c *llm.Config) { c.MaxTokens = ceiling })
	var thinking plan.Thinking
	err := do(t.Context(), f, "", &thinking)
	all := f.server.Requests()
	if err == nil || len(all) == 0 || thinking.Tokens() > ceiling {
		t.Errorf("%d tokens in %d requests: %v", thinking.Tokens(), len(all), err)
	}
	if len(all) == 2 && all[1].MaxTokens >= all[0].MaxTokens {
		t.Errorf("an answer of %d tokens, then one of %d", all[0].MaxTokens, all[1].MaxTokens)
	}
}

// A repair has room in the smallest context, however long the bad answer is and however
// much there is to complain of.
func TestARepairFitsTheContext(t *testing.T) {
	t.Parallel()
	const context = 4096
	for name, bad := range map[string]llmtest.Response{
		"a long answer":        {Text: strings.Repeat(`"ä":{"x-1":2},`, 2000)},
		"an unknown resource":  {JSON: split(func(s fields) { s["args"] = list{fields{"type": "image", "value": "none.png", "meaning": ""}} })},
		"a long one, no words": {Text: strings.Repeat("没有", 3000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, llmtest.Config{Answer: scripted(bad, llmtest.Response{JSON: split(nil)})}, nil, func(c *llm.Config) { c.ContextTokens = context })
			r := aWish()
			for range 80 {
				r.Earlier = append(r.Earlier, plan.Resource{Name: "photo-" + strings.Repeat("0123456789", 2) + string(rune('a'+len(r.Earlier)%26)) + ".png", Type: plan.Image})
			}
			if _, err := f.Decompose(t.Context(), r, new(plan.Thinking)); err != nil {
				t.Fatal(err)
			}
			all := f.server.Requests()
			if len(all) != 2 {
				t.Fatalf("%d requests", len(all))
			}
			for i, asked := range all {
				size := asked.MaxTokens
				for _, m := range asked.Messages {
					size += token.Count(m.Text)
				}
				if size > context || asked.MaxTokens < 700 {
					t.Errorf("request %d has %d tokens, of them %d for the answer", i+1, size, asked.MaxTokens)
				}
			}
			if last := all[1].Messages[len(all[1].Messages)-1]; !strings.HasPrefix(last.Text, "Your answer cannot be used: ") || !strings.Contains(last.Text, "Give the whole answer again") {
				t.Errorf("the complaint is %q", last.Text)
			}
		})
	}
}
