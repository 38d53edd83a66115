package agent_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent"
	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/fallback"
	"atelier/agent/planner/llm"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
)

// Tests of the agent with a planner that asks a model: what people see of its failures, and the cost of a whole request.

const (
	modelKey   = "sk-proj-1a2b3c4d5e6f1a2b3c4d5e6f"
	modelWords = "violet walrus" // words that only the model uses
)

// asking is an agent whose planner asks a scripted server.
type asking struct {
	*agent.Agent

	server *llmtest.Server
	log    *bytes.Buffer
}

func newAsking(t *testing.T, answer func(llmtest.Request) llmtest.Response, second planner.Planner, tools ...toolbox.Tool) asking {
	t.Helper()
	a := asking{server: llmtest.New(t, llmtest.Config{Key: modelKey, Answer: answer}), log: new(bytes.Buffer)}
	log := slog.New(slog.NewTextHandler(a.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	e, err := endpoint.New(endpoint.Config{
		BaseURL: a.server.URL(), Key: modelKey, Transport: transport, Log: log,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	tb, err := toolbox.New(toolbox.Config{
		Catalogue: toolbox.NewCatalogue(tools),
		Servers:   []toolbox.Server{{Kind: "native", Backend: maker{"sketch": draws, "trace": draws, "answer": answersLikeTheQuestion}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var m planner.Planner
	if m, err = llm.New(llm.Config{Catalogue: tb.Catalogue(), Model: llm.Model{Endpoint: e, Name: "test-model"}}); err != nil {
		t.Fatal(err)
	}
	if second != nil {
		if m, err = fallback.New(fallback.Config{First: m, Second: second, Log: log}); err != nil {
			t.Fatal(err)
		}
	}
	blobs := &memBlobs{data: map[string][]byte{"blob": picture()}}
	if a.Agent, err = agent.New(agent.Config{Planner: m, Toolbox: tb, Blobs: blobs, Scratch: t.TempDir(), Log: log}); err != nil {
		t.Fatal(err)
	}
	return a
}

// drawers are two equivalent tools.
func drawers() []toolbox.Tool {
	return []toolbox.Tool{tool("sketch", plan.Edge, img), tool("trace", plan.Edge, img)}
}

// edgesWanted is the model's decomposition of the request.
const edgesWanted = `{"thought":"` + modelWords + `","subtasks":[{"description":"Find the edges","task":[],"id":0,"dep":[],` +
	`"args":[{"type":"image","value":"photo-1234.png","meaning":""}],"returns":{"type":"edge","value":"<GENERATED>-0"}}],` +
	`"question":"","reply":"","refused":false,"types":[]}`

// keepsQuiet checks that the log contains neither the key nor words of people or the model.
func (a asking) keepsQuiet(t *testing.T, err error) {
	t.Helper()
	said := a.log.String()
	if err != nil {
		said += err.Error()
	}
	for _, secret := range []string{modelKey, modelWords, "do it"} {
		if strings.Contains(said, secret) {
			t.Errorf("%q is told in %s", secret, said)
		}
	}
}

// Failures of a model or its server become a sentence for people, and a log line for the operator.
func TestPlanTellsOfFaultsOfTheModel(t *testing.T) {
	t.Parallel()
	const (
		twice    = "The language model twice gave an answer that I could not use. Please rephrase your request, or try again."
		declined = "The language model declined this request. Please rephrase it, or ask for something else."
	)
	good := llmtest.Response{Text: edgesWanted}
	for _, c := range []struct {
		name     string
		answers  map[string][]llmtest.Response // by job
		sentence string
		log      string // part of a line
	}{
		{"a wrong key", map[string][]llmtest.Response{"decompose": {{Status: 401, ErrorMessage: "Incorrect key " + modelKey}}},
			"The model server refused the key. Please ask the operator to check it.", "key_refused"},
		{"an unknown model", map[string][]llmtest.Response{"decompose": {{Status: 404, ErrorCode: "model_not_found"}}},
			`The model server does not have the model "test-model". Please ask the operator to check which one is set.`, "model_unknown"},
		{"a server that is down", map[string][]llmtest.Response{"decompose": {{Status: 500}, {Status: 502}, {Status: 503}, {Status: 500}}},
			"The model server does not answer. Please try again later; if that does not help, ask the operator to check that it is running.", "down"},
		{"a quota", map[string][]llmtest.Response{"decompose": {{Status: 429, ErrorCode: "insufficient_quota"}}},
			"The quota at the model server is used up. Please ask the operator to look at the account's plan and billing.", "quota"},
		{"words", map[string][]llmtest.Response{"decompose": {{Text: modelWords}, {Text: modelWords}}}, twice, "job decompose could not be used: no JSON"},
		{"a refusal", map[string][]llmtest.Response{"decompose": {{Refusal: modelWords}}}, declined, "the model refused"},
		{"an unknown tool", map[string][]llmtest.Response{"decompose": {good}, "assess": {{Text: unknownTool}, {Text: unknownTool}}}, twice, "job assess could not be used: unknown tool"},
		{"a refusal in the middle", map[string][]llmtest.Response{"decompose": {good}, "assess": {{Refusal: modelWords}}}, declined, "the model refused"},
		{"verdicts on nothing", map[string][]llmtest.Response{"decompose": {good}, "assess": {{Text: bothGood}}, "settle": {{Text: `{"tasks":[]}`}, {Text: `{"tasks":[]}`}}}, twice, "job settle could not be used: missing part"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, llmtest.ByJob(c.answers), nil, drawers()...)
			p, err := a.Plan(t.Context(), request(photo))
			if p != nil || plan.Sentence(err, plan.Message{}).String() != c.sentence {
				t.Errorf("%v, people see %q", err, plan.Sentence(err, plan.Message{}).String())
			}
			if log := a.log.String(); !strings.Contains(log, c.log) || !strings.Contains(log, "request=r1") || !strings.Contains(log, "level=WARN") {
				t.Errorf("%q is not in the log %s", c.log, log)
			}
			a.keepsQuiet(t, err)
		})
	}
}

const (
	bothGood    = `{"tasks":[{"task":1,"way":"sketch","scores":[{"tool":"sketch","score":5},{"tool":"trace","score":4}]}]}`
	unknownTool = `{"tasks":[{"task":1,"way":"","scores":[{"tool":"` + modelWords + `","score":5}]}]}`
	traceBest   = `{"tasks":[{"task":1,"thought":"` + modelWords + `","scores":[{"solution":1,"score":3},{"solution":2,"score":5}],"fills":[],"models":[]}]}`
)

// A whole request costs four calls, or two if there is only one tool.
func TestRequestsCostFourCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		tools []toolbox.Tool
		jobs  []string
		ran   string
	}{
		{"two ways", drawers(), []string{"decompose", "assess", "settle", "respond"}, "trace"},
		{"one way", drawers()[:1], []string{"decompose", "respond"}, "sketch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			script := map[string][]llmtest.Response{"decompose": {{Text: edgesWanted}}, "assess": {{Text: bothGood}}, "settle": {{Text: traceBest}}}
			answers := llmtest.ByJob(script)
			a := newAsking(t, func(r llmtest.Request) llmtest.Response {
				if r.Job == "respond" { // the record contains the file name
					_, name, _ := strings.Cut(r.User(), `"file":"`)
					name, _, _ = strings.Cut(name, `"`)
					return llmtest.Response{Text: "Here are the edges: " + name}
				}
				return answers(r)
			}, nil, c.tools...)
			text, thinking := a.wholeRequest(t)
			if !strings.HasPrefix(text, "Here are the edges: photo-") {
				t.Errorf("%q", text)
			}
			if last := a.server.Requests()[len(c.jobs)-1].User(); !strings.Contains(last, `"file":"photo-`+c.ran+`.png"`) {
				t.Errorf("%s is not what ran:\n%s", c.ran, last)
			}
			var jobs []string
			for _, j := range thinking.Jobs {
				jobs = append(jobs, j.Name)
			}
			if calls, repairs := thinking.Calls(); calls != len(c.jobs) || repairs != 0 || !slices.Equal(jobs, c.jobs) || len(a.server.Requests()) != len(c.jobs) {
				t.Errorf("%d calls, %d repairs, jobs %q, %d requests", calls, repairs, jobs, len(a.server.Requests()))
			}
			a.keepsQuiet(t, nil)
		})
	}
}

// A model that fails during a request is not asked again, and the answer says how the rest was done.
func TestFallbackForMissingModel(t *testing.T) {
	t.Parallel()
	down := []llmtest.Response{{Status: 500}, {Status: 500}, {Status: 500}, {Status: 500}}
	for _, c := range []struct {
		name    string
		answers map[string][]llmtest.Response
		want    string
	}{
		{"at once", map[string][]llmtest.Response{"decompose": down}, "so I read this with my built-in rules, which understand only English."},
		{"when tools are chosen", map[string][]llmtest.Response{"decompose": {{Text: edgesWanted}}, "assess": down}, "so I chose the tools with my built-in rules, which understand only English."},
		{"at the end", map[string][]llmtest.Response{"decompose": {{Text: edgesWanted}}, "assess": {{Text: bothGood}}, "settle": {{Text: traceBest}}, "respond": down},
			"so I wrote this answer with my built-in rules."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			second := &fakePlanner{decomposition: planner.Decomposition{Subtasks: []plan.Subtask{wants(plan.Edge, photo)}}, text: "Done."}
			a := newAsking(t, llmtest.ByJob(c.answers), second, drawers()...)
			text, thinking := a.wholeRequest(t)
			if want := "Done.\nThe language model does not answer, " + c.want; text != want {
				t.Errorf("%q, want %q", text, want)
			}
			if calls, _ := thinking.Calls(); calls != len(c.answers)-1 {
				t.Errorf("%d calls: %+v", calls, thinking)
			}
			if !strings.Contains(a.log.String(), "another planner stands in") {
				t.Errorf("log: %s", a.log)
			}
			a.keepsQuiet(t, nil)
		})
	}
}

// Without a fallback for a model that fails to write the answer, people get a plain report and the reason.
func TestAnswerWithoutModel(t *testing.T) {
	t.Parallel()
	invented := llmtest.Response{Text: "I made " + modelWords + ".png and cartoon-91bc.png."}
	for _, c := range []struct {
		name    string
		answers []llmtest.Response
		want    string
	}{
		{"down", []llmtest.Response{{Status: 500}, {Status: 500}, {Status: 500}, {Status: 500}}, "The model server does not answer. Please try again later; if that does not help, ask the operator to check that it is running."},
		{"no money", []llmtest.Response{{Status: 429, ErrorCode: "insufficient_quota"}}, "The quota at the model server is used up. Please ask the operator to look at the account's plan and billing."},
		{"an invented file", []llmtest.Response{invented, invented}, "The language model twice gave an answer that I could not use. Please rephrase your request, or try again."},
		{"declined", []llmtest.Response{{Refusal: modelWords}}, "The language model declined this request. Please rephrase it, or ask for something else."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, llmtest.ByJob(map[string][]llmtest.Response{"decompose": {{Text: edgesWanted}}, "respond": c.answers}), nil, drawers()[:1]...)
			text, _ := a.wholeRequest(t)
			first, why, _ := strings.Cut(text, "\n")
			if first != "Here is an edge." || why != "The language model did not write this answer, so it is a plain summary. "+c.want {
				t.Errorf("%q", text)
			}
			a.keepsQuiet(t, nil)
		})
	}
}

// A request that the model declines is not done by another planner.
func TestDeclinedRequestStaysDeclined(t *testing.T) {
	t.Parallel()
	second := &fakePlanner{text: "Done."}
	a := newAsking(t, llmtest.ByJob(map[string][]llmtest.Response{"decompose": {{Status: 400, ErrorCode: "content_filter"}}}), second, drawers()...)
	const declined = "The model's provider declined this because of its content rules. Please rephrase your request, or ask for something else."
	if _, err := a.Plan(t.Context(), request(photo)); plan.Sentence(err, plan.Message{}).String() != declined || len(second.calls) != 0 {
		t.Errorf("%v, the second did %q", err, second.calls)
	}
}

// wholeRequest plans, runs and answers.
func (a asking) wholeRequest(t *testing.T) (string, plan.Thinking) {
	t.Helper()
	r := request(photo)
	p, err := a.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	ran, err := run(t.Context(), a.Agent, r, p, p.Best())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := a.Respond(t.Context(), ran.account)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Text, answer.Thinking
}
