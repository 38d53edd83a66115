package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
)

// Texts that must not appear in an error or a log: the key, the request, the model's answer.
const (
	key       = "sk-proj-4f9d8c7b6a5e4f9d8c7b6a5e"
	wishWords = "purple elephant"
	saidWords = "violet walrus"
)

// aWish returns the request that all faults are tested with.
func aWish() plan.Request {
	return plan.Request{
		ID: "r1", Wish: "Find the edges of my " + wishWords,
		Given: []plan.Resource{{Name: "photo-3f2a.png", Type: plan.Image, Blob: "b"}},
	}
}

// The JSON of answers, with the fields of the contract.
type (
	fields map[string]any
	list   []any
)

// split is an answer to the decomposition of one subtask, changed.
func split(change func(subtask fields)) fields {
	s := part(0)
	if change != nil {
		change(s)
	}
	return parts(s)
}

// circle returns an answer with two subtasks that need each other.
func circle() fields {
	first, second := part(0), part(1)
	first["dep"], second["dep"] = list{1}, list{0}
	return parts(first, second)
}

func part(id int) fields {
	return fields{
		"description": "Find the edges of the " + saidWords, "task": list{"image-processing"}, "id": id, "dep": list{},
		"args":    list{fields{"type": "image", "value": "photo-3f2a.png", "meaning": ""}},
		"returns": fields{"type": "edge", "value": fmt.Sprintf("<GENERATED>-%d", id)},
	}
}

func parts(subtasks ...any) fields {
	return fields{"thought": saidWords, "subtasks": subtasks, "question": "", "reply": "", "refused": false, "types": list{}}
}

func written(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return string(b)
}

func scored(tool string) fields {
	return fields{"tasks": list{fields{"task": 1, "way": saidWords, "scores": list{fields{"tool": tool, "score": 5}}}}}
}

func settled(solution int) fields {
	return fields{"tasks": list{fields{
		"task": 1, "thought": saidWords, "fills": list{}, "models": list{},
		"scores": list{fields{"solution": 1, "score": 5}, fields{"solution": solution, "score": 2}},
	}}}
}

// do does a job of the planner for the request.
func do(ctx context.Context, m planner.Planner, job string, thinking *plan.Thinking) (err error) {
	r := aWish()
	task := plan.Subtask{
		Description: r.Wish, Returns: plan.Edge,
		Args: []plan.Arg{{Type: plan.Image, Source: plan.FromResource("photo-3f2a.png")}},
	}
	switch job {
	case "assess":
		_, err = m.Assess(ctx, r, []planner.Assessment{{Subtask: task, Candidates: []string{"image_to_edge", "image_to_line"}}}, thinking)
	case "settle":
		var ways []plan.Solution
		for _, tool := range []string{"image_to_edge", "image_to_line"} {
			ways = append(ways, plan.Solution{Score: 3, Actions: []plan.Action{{Tool: tool, Returns: plan.Edge, Args: []plan.Binding{
				{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo-3f2a.png")},
			}}}})
		}
		_, err = m.Settle(ctx, r, []planner.Contest{{Subtask: task, Solutions: ways}}, thinking)
	case "respond":
		action := plan.Action{Tool: "image_captioning", Returns: plan.Text}
		_, err = m.Respond(ctx, planner.Account{
			Request: r,
			Plan:    &plan.Plan{Wish: r.Wish, Tasks: []plan.Task{{Subtask: task, Solutions: []plan.Solution{{Actions: []plan.Action{action}}}}}},
			Steps:   []plan.Step{{Final: true, Action: action}},
			Results: []plan.Result{{Status: plan.Done, Output: &plan.Resource{Name: "text-1", Type: plan.Text, Value: "A " + saidWords + "."}}},
		}, thinking)
	default:
		_, err = m.Decompose(ctx, r, thinking)
	}
	return err
}

// someTools returns the tools of the catalogue that the tests mention: a few are read faster.
var someTools = sync.OnceValues(func() (*toolbox.Catalogue, error) {
	all, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		return nil, err
	}
	var some []toolbox.Tool
	for _, name := range []string{"image_captioning", "image_to_edge", "image_to_line"} {
		if t, ok := all.Tool(name); ok {
			some = append(some, t)
		}
	}
	return toolbox.NewCatalogue(some), nil
})

// plannerAt returns a planner that knows some tools and uses the endpoint.
func plannerAt(t *testing.T, e *endpoint.Endpoint, change func(*llm.Config)) *llm.Planner {
	t.Helper()
	catalogue, err := someTools()
	if err != nil {
		t.Fatal(err)
	}
	c := llm.Config{Catalogue: catalogue, Model: llm.Model{Endpoint: e, Name: "test-model"}}
	if change != nil {
		change(&c)
	}
	m, err := llm.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// faulty is a planner whose server gives scripted answers in order, and repeats the last one.
type faulty struct {
	*llm.Planner

	server *llmtest.Server
	log    *bytes.Buffer
	waits  *[]time.Duration
}

func newFaulty(t *testing.T, server llmtest.Config, change func(*endpoint.Config), configure func(*llm.Config)) faulty {
	t.Helper()
	f := faulty{server: llmtest.New(t, server), log: new(bytes.Buffer), waits: new([]time.Duration)}
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	c := endpoint.Config{
		BaseURL: f.server.URL(), Key: key, Transport: transport,
		Wait: func(ctx context.Context, d time.Duration) error {
			*f.waits = append(*f.waits, d)
			return ctx.Err()
		},
		Log: slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&c)
	}
	e, err := endpoint.New(c)
	if err != nil {
		t.Fatal(err)
	}
	f.Planner = plannerAt(t, e, configure)
	return f
}

// scripted gives answers in order, and repeats the last one.
func scripted(answers ...llmtest.Response) func(llmtest.Request) llmtest.Response {
	var mu sync.Mutex
	n := 0
	return func(llmtest.Request) llmtest.Response {
		mu.Lock()
		defer mu.Unlock()
		at := min(n, len(answers)-1)
		n++
		return answers[at]
	}
}

// keepsQuiet checks that neither an error nor the log contains a secret text.
func (f faulty) keepsQuiet(t *testing.T, err error) {
	t.Helper()
	for _, said := range []string{fmt.Sprint(err), f.log.String()} {
		for _, secret := range []string{key, wishWords, saidWords, "photo-3f2a"} {
			if strings.Contains(said, secret) {
				t.Errorf("%q is told in %s", secret, said)
			}
		}
	}
}

// The sentences that people see.
const (
	keySentence       = "The model server refused the key. Please ask the operator to check it."
	forbiddenSentence = "The model server does not allow this with the key that is set. Please ask the operator to check what the key may use."
	modelSentence     = `The model server does not have the model "test-model". Please ask the operator to check which one is set.`
	limitSentence     = "The model server is getting too many requests at the moment. Please try again in a minute."
	laterSentence     = "The model server is getting too many requests at the moment. Please try again in 2 minutes."
	quotaSentence     = "The quota at the model server is used up. Please ask the operator to look at the account's plan and billing."
	lengthSentence    = "This is too long for the model. Please shorten the text, send less, or start a new thread."
	rejectedSentence  = "The model server rejected the request. Please rephrase it; if that does not help, ask the operator to check the log."
	filteredSentence  = "The model's provider declined this because of its content rules. Please rephrase your request, or ask for something else."
	downSentence      = "The model server does not answer. Please try again later; if that does not help, ask the operator to check that it is running."
	lateSentence      = "The model took too long to answer. Please try again, or ask for less at once."
	garbledSentence   = "The model server's answer could not be read. Please try again; if that does not help, ask the operator to check the server's address."
	declinedSentence  = "The language model declined this request. Please rephrase it, or ask for something else."
	twiceSentence     = "The language model twice gave an answer that I could not use. Please rephrase your request, or try again."
	dearSentence      = "This needs more work by the language model than one request may use. Please ask for less at a time."
)

// refusal returns an error of the server that quotes secret texts.
func refusal(status int, code string) llmtest.Response {
	return llmtest.Response{Status: status, ErrorCode: code, ErrorType: "invalid_request_error", ErrorMessage: fmt.Sprintf("No: key %s, wish %q, answer %q.", key, wishWords, saidWords)}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	busy := func(after string) llmtest.Response {
		r := refusal(http.StatusTooManyRequests, "rate_limit_exceeded")
		if after != "" {
			r.Header = http.Header{"Retry-After": {after}}
		}
		return r
	}
	good := llmtest.Response{JSON: split(nil)}
	for _, c := range []struct {
		name     string
		job      string // decompose where it is empty
		answers  []llmtest.Response
		sentence string // "" is that it works
		kind     endpoint.Kind
		wrong    string // the kind of an AnswerError
		requests int    // that reach the server
		calls    int    // that the model answered
	}{
		// the server
		{name: "401", answers: []llmtest.Response{refusal(401, "invalid_api_key")}, sentence: keySentence, kind: endpoint.KeyRefused, requests: 1},
		{name: "403", answers: []llmtest.Response{refusal(403, "")}, sentence: forbiddenSentence, kind: endpoint.Forbidden, requests: 1},
		{name: "404", answers: []llmtest.Response{refusal(404, "model_not_found")}, sentence: modelSentence, kind: endpoint.ModelUnknown, requests: 1},
		{name: "429, and then an answer", answers: []llmtest.Response{busy(""), good}, requests: 2, calls: 1},
		{name: "429 with Retry-After, and then an answer", answers: []llmtest.Response{busy("7"), good}, requests: 2, calls: 1},
		{name: "429 for good", answers: []llmtest.Response{busy("")}, sentence: limitSentence, kind: endpoint.Limited, requests: 4},
		{name: "429 with Retry-After of two minutes", answers: []llmtest.Response{busy("120")}, sentence: laterSentence, kind: endpoint.Limited, requests: 1},
		{name: "429 for a quota", answers: []llmtest.Response{refusal(429, "insufficient_quota")}, sentence: quotaSentence, kind: endpoint.Quota, requests: 1},
		{name: "500", answers: []llmtest.Response{refusal(500, "")}, sentence: downSentence, kind: endpoint.Down, requests: 4},
		{name: "502, and then an answer", answers: []llmtest.Response{{Status: 502, Raw: "<html>" + key + "</html>"}, good}, requests: 2, calls: 1},
		{name: "502", answers: []llmtest.Response{{Status: 502, Raw: "<html>" + key + "</html>"}}, sentence: downSentence, kind: endpoint.Down, requests: 4},
		{name: "a reset in the middle, and then an answer", answers: []llmtest.Response{{JSON: split(nil), Reset: true}, good}, requests: 2, calls: 1},
		{name: "a reset in the middle", answers: []llmtest.Response{{JSON: split(nil), Reset: true}}, sentence: garbledSentence, kind: endpoint.Malformed, requests: 4},
		{name: "too long for the model", answers: []llmtest.Response{refusal(400, "context_length_exceeded")}, sentence: lengthSentence, kind: endpoint.TooLong, requests: 1},
		{name: "rejected in every format", answers: []llmtest.Response{refusal(400, "")}, sentence: rejectedSentence, kind: endpoint.Rejected, requests: 3},
		{name: "filtered by the provider", answers: []llmtest.Response{refusal(400, "content_filter")}, sentence: filteredSentence, kind: endpoint.Rejected, requests: 1},
		{name: "10 MB of text", answers: []llmtest.Response{{Text: strings.Repeat(saidWords, 10<<20/len(saidWords))}}, sentence: garbledSentence, kind: endpoint.Malformed, requests: 1},
		{name: "a body that is no JSON", answers: []llmtest.Response{{Raw: saidWords}}, sentence: garbledSentence, kind: endpoint.Malformed, requests: 1},

		// the model
		{name: "a refusal", answers: []llmtest.Response{{Refusal: "I will not draw a " + saidWords}}, sentence: declinedSentence, requests: 1, calls: 1},
		{name: "a content filter", answers: []llmtest.Response{{Text: saidWords, Finish: "content_filter"}}, sentence: declinedSentence, requests: 1, calls: 1},
		{name: "no choice", answers: []llmtest.Response{{NoChoices: true}}, sentence: twiceSentence, wrong: "empty", requests: 2, calls: 2},
		{name: "no choice, and then an answer", answers: []llmtest.Response{{NoChoices: true}, good}, requests: 2, calls: 2},
		{name: "an empty choice", answers: []llmtest.Response{{Text: " \n"}}, sentence: twiceSentence, wrong: "empty", requests: 2, calls: 2},
		{name: "cut off", answers: []llmtest.Response{{Text: written(split(nil))[:90], Finish: "length"}}, sentence: twiceSentence, wrong: "cut off", requests: 2, calls: 2},
		{name: "cut off before it began", answers: []llmtest.Response{{Text: " ", Finish: "length"}}, sentence: twiceSentence, wrong: "cut off", requests: 2, calls: 2},
		{name: "invalid JSON", answers: []llmtest.Response{{Text: `{"thought": "` + saidWords}}, sentence: twiceSentence, wrong: "no JSON", requests: 2, calls: 2},
		{name: "words", answers: []llmtest.Response{{Text: "Here is your " + saidWords}}, sentence: twiceSentence, wrong: "no JSON", requests: 2, calls: 2},
		{name: "words, and then an answer", answers: []llmtest.Response{{Text: "Here is your " + saidWords}, good}, requests: 2, calls: 2},
		{name: "JSON in a fence", answers: []llmtest.Response{{Text: "Sure:\n```json\n" + written(split(nil)) + "\n```\n"}}, requests: 1, calls: 1},
		{name: "JSON of the wrong shape", answers: []llmtest.Response{{JSON: fields{"subtasks": saidWords}}}, sentence: twiceSentence, wrong: "wrong shape", requests: 2, calls: 2},
		{name: "JSON that says nothing", answers: []llmtest.Response{{JSON: fields{"answer": saidWords}}}, sentence: twiceSentence, wrong: "missing part", requests: 2, calls: 2},
		{name: "an unknown resource", answers: []llmtest.Response{{JSON: split(func(s fields) {
			s["args"] = list{fields{"type": "image", "value": saidWords + ".png", "meaning": ""}}
		})}}, sentence: twiceSentence, wrong: "unknown resource", requests: 2, calls: 2},
		{name: "an unknown type", answers: []llmtest.Response{{JSON: split(func(s fields) {
			s["returns"] = fields{"type": saidWords, "value": "<GENERATED>-0"}
		})}}, sentence: twiceSentence, wrong: "wrong type", requests: 2, calls: 2},
		{name: "a resource of the wrong type", answers: []llmtest.Response{{JSON: split(func(s fields) {
			s["args"] = list{fields{"type": "audio", "value": "photo-3f2a.png", "meaning": ""}}
		})}}, sentence: twiceSentence, wrong: "wrong type", requests: 2, calls: 2},
		{name: "an unknown domain", answers: []llmtest.Response{{JSON: split(func(s fields) { s["task"] = list{saidWords} })}}, sentence: twiceSentence, wrong: "wrong shape", requests: 2, calls: 2},
		{name: "a forward reference", answers: []llmtest.Response{{JSON: split(func(s fields) { s["dep"] = list{1} })}}, sentence: twiceSentence, wrong: "wrong order", requests: 2, calls: 2},
		{name: "a cycle", answers: []llmtest.Response{{JSON: circle()}}, sentence: twiceSentence, wrong: "wrong order", requests: 2, calls: 2},
		{name: "an unknown tool", job: "assess", answers: []llmtest.Response{{JSON: scored(saidWords)}}, sentence: twiceSentence, wrong: "unknown tool", requests: 2, calls: 2},
		{name: "an unknown tool, and then a known one", job: "assess", answers: []llmtest.Response{{JSON: scored(saidWords)}, {JSON: scored("image_to_edge")}}, requests: 2, calls: 2},
		{name: "an unknown solution", job: "settle", answers: []llmtest.Response{{JSON: settled(7)}}, sentence: twiceSentence, wrong: "unknown number", requests: 2, calls: 2},
		{name: "a known solution", job: "settle", answers: []llmtest.Response{{JSON: settled(2)}}, requests: 1, calls: 1},
		{name: "a file that is not there", job: "respond", answers: []llmtest.Response{{Text: "I made " + saidWords + ".png."}}, sentence: twiceSentence, wrong: "unknown resource", requests: 2, calls: 2},
		{name: "a server that is gone at the end", job: "respond", answers: []llmtest.Response{refusal(500, "")}, sentence: downSentence, kind: endpoint.Down, requests: 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, llmtest.Config{Key: key, Answer: scripted(c.answers...)}, nil, nil)
			var thinking plan.Thinking
			err := do(t.Context(), f, c.job, &thinking)
			if got := plan.Sentence(err, plan.Message{}).String(); got != c.sentence || (err == nil) != (c.sentence == "") {
				t.Errorf("people see %q: %v", got, err)
			}
			if got := endpoint.KindOf(err); got != c.kind {
				t.Errorf("it is of the kind %q: %v", got, err)
			}
			wrong, unusable := errors.AsType[*llm.AnswerError](err)
			if unusable != (c.wrong != "") || unusable && wrong.Kind != c.wrong {
				t.Errorf("the answer is told to be wrong by %v", err)
			}
			if final := c.sentence == declinedSentence || c.sentence == filteredSentence; plan.Final(err) != final {
				t.Errorf("final is %v", !final)
			}
			calls, repairs := thinking.Calls()
			if n := len(f.server.Requests()); n != c.requests || calls != c.calls || repairs != max(0, calls-1) {
				t.Errorf("%d requests, %d calls, %d repairs", n, calls, repairs)
			}
			if len(thinking.Jobs) != 1 || c.calls > 0 && thinking.Jobs[0].Input == 0 {
				t.Errorf("the job is not noted: %+v", thinking.Jobs)
			}
			f.keepsQuiet(t, err)
		})
	}
}

// TestRetryAfter checks that a server that names a waiting time is not called earlier.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	busy := refusal(429, "")
	busy.Header = http.Header{"Retry-After": {"7"}}
	f := newFaulty(t, llmtest.Config{Answer: scripted(busy, busy, llmtest.Response{JSON: split(nil)})}, nil, nil)
	if err := do(t.Context(), f, "", new(plan.Thinking)); err != nil {
		t.Fatal(err)
	}
	if len(*f.waits) != 2 || slices.Min(*f.waits) < 7*time.Second {
		t.Errorf("it waited %v", *f.waits)
	}
	f.keepsQuiet(t, nil)
}

// TestHang checks that a server that never answers is abandoned, and that a cancelled call returns at once.
func TestHang(t *testing.T) {
	t.Parallel()
	t.Run("given up", func(t *testing.T) {
		t.Parallel()
		f := newFaulty(t, llmtest.Config{Answer: scripted(llmtest.Response{Hang: true})},
			func(c *endpoint.Config) { c.Timeout, c.Retries = 20*time.Millisecond, 1 }, nil)
		err := do(t.Context(), f, "", new(plan.Thinking))
		if plan.Sentence(err, plan.Message{}).String() != lateSentence || endpoint.KindOf(err) != endpoint.TimedOut || len(*f.waits) != 1 {
			t.Errorf("%v after %v", err, *f.waits)
		}
		f.keepsQuiet(t, err)
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := newFaulty(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response {
			cancel()
			return llmtest.Response{Hang: true}
		}}, nil, nil)
		err := do(ctx, f, "", new(plan.Thinking))
		if !errors.Is(err, context.Canceled) || len(f.server.Requests()) != 1 || len(*f.waits) != 0 {
			t.Errorf("%v after %d requests", err, len(f.server.Requests()))
		}
		f.keepsQuiet(t, err)
	})
	t.Run("gone between tries", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := newFaulty(t, llmtest.Config{Answer: scripted(refusal(500, ""))}, func(c *endpoint.Config) {
			c.Wait = func(ctx context.Context, _ time.Duration) error {
				cancel()
				return ctx.Err()
			}
		}, nil)
		if err := do(ctx, f, "", new(plan.Thinking)); !errors.Is(err, context.Canceled) || len(f.server.Requests()) != 1 {
			t.Errorf("%v after %d requests", err, len(f.server.Requests()))
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		f := newFaulty(t, llmtest.Config{}, func(c *endpoint.Config) { c.BaseURL = "http://127.0.0.1:1/v1" }, nil)
		err := do(t.Context(), f, "", new(plan.Thinking))
		if plan.Sentence(err, plan.Message{}).String() != downSentence || endpoint.KindOf(err) != endpoint.Down || len(*f.waits) != 3 {
			t.Errorf("%v after %v", err, *f.waits)
		}
		f.keepsQuiet(t, err)
	})
}

// TestFormatsAreWalkedDownOnce checks that a format that the server rejected is not tried again.
func TestFormatsAreWalkedDownOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		noSchema, noJSON bool
		formats          []string // of the requests of three jobs
	}{
		{"a schema", false, false, []string{"json_schema", "json_schema", "json_schema"}},
		{"an object", true, false, []string{"json_schema", "json_object", "json_object", "json_object"}},
		{"a text", true, true, []string{"json_schema", "json_object", "", "", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, llmtest.Config{NoSchema: c.noSchema, NoJSON: c.noJSON, Answer: scripted(llmtest.Response{JSON: split(nil)})}, nil, nil)
			var thinking plan.Thinking
			for range 3 {
				if err := do(t.Context(), f, "", &thinking); err != nil {
					t.Fatal(err)
				}
			}
			var formats []string
			for _, r := range f.server.Requests() {
				formats = append(formats, r.Format)
			}
			if !slices.Equal(formats, c.formats) {
				t.Errorf("asked for %q", formats)
			}
			if calls, repairs := thinking.Calls(); calls != 3 || repairs != 0 {
				t.Errorf("%d calls, %d repairs", calls, repairs)
			}
		})
	}
}

// TestFormatsAreKeptWhereNoneHelps checks that if a server rejects a request for another reason, the next one asks
// for a schema again.
func TestFormatsAreKeptWhereNoneHelps(t *testing.T) {
	t.Parallel()
	f := newFaulty(t, llmtest.Config{Answer: scripted(refusal(400, ""), refusal(400, ""), refusal(400, ""), llmtest.Response{JSON: split(nil)})}, nil, nil)
	if err := do(t.Context(), f, "", new(plan.Thinking)); err == nil {
		t.Fatal("it worked")
	}
	if err := do(t.Context(), f, "", new(plan.Thinking)); err != nil {
		t.Fatal(err)
	}
	if last := f.server.Requests()[3]; last.Format != "json_schema" {
		t.Errorf("asked for %q", last.Format)
	}
}

// goodAnswers returns a good answer for each job.
func goodAnswers() map[string]llmtest.Response {
	return map[string]llmtest.Response{
		"decompose": {JSON: split(nil)}, "assess": {JSON: scored("image_to_edge")}, "settle": {JSON: settled(2)}, "respond": {Text: "It is done."},
	}
}

var jobs = []string{"decompose", "assess", "settle", "respond"}

// TestCalls checks that a request costs a call for each job, and one more for each answer that had to be repaired.
func TestCalls(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string][]llmtest.Response{"good answers": nil, "repaired answers": {{Text: " "}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := map[string][]llmtest.Response{}
			for job, good := range goodAnswers() {
				script[job] = append(slices.Clone(bad), good)
			}
			f := newFaulty(t, llmtest.Config{Key: key, Answer: llmtest.ByJob(script)}, nil, nil)
			var thinking plan.Thinking
			for i, job := range jobs {
				if err := do(t.Context(), f, job, &thinking); err != nil {
					t.Fatal(err)
				}
				if j := thinking.Jobs[i]; j.Name != job || j.Model != "test-model" || j.Calls != 1+len(bad) || j.Repairs != len(bad) || j.Input == 0 || j.Output == 0 || j.Estimated {
					t.Errorf("%+v", j)
				}
			}
			if calls, repairs := thinking.Calls(); calls != 4+4*len(bad) || repairs != 4*len(bad) {
				t.Errorf("%d calls, %d repairs", calls, repairs)
			}
			for _, r := range f.server.Requests() {
				if r.ID != "r1" || r.Round < 1 || r.Round > 1+len(bad) {
					t.Errorf("a call is labelled %q %q %d", r.ID, r.Job, r.Round)
				}
			}
		})
	}
}

// TestCeilingOfTokens checks that no call is made that would exceed the budget of a request, not even for another
// job or a repair.
func TestCeilingOfTokens(t *testing.T) {
	t.Parallel()
	usage := &replay.Usage{Input: 900_000, Output: 90_000}
	for _, c := range []struct {
		name   string
		answer llmtest.Response
		job    string // in which the ceiling is met
		calls  int
	}{
		{"before another job", llmtest.Response{JSON: split(nil), Usage: usage}, "assess", 1},
		{"before a repair", llmtest.Response{Text: " ", Usage: usage}, "decompose", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, llmtest.Config{Answer: scripted(c.answer)}, nil, func(c *llm.Config) { c.MaxTokens = 990_000 })
			var thinking plan.Thinking
			err := do(t.Context(), f, "decompose", &thinking)
			if c.job != "decompose" {
				if err != nil {
					t.Fatal(err)
				}
				err = do(t.Context(), f, c.job, &thinking)
			}
			if !errors.Is(err, plan.ErrOverBudget) || plan.Sentence(err, plan.Message{}).String() != dearSentence || !plan.Final(err) {
				t.Errorf("%v", err)
			}
			if calls, _ := thinking.Calls(); calls != c.calls || len(f.server.Requests()) != c.calls || thinking.Tokens() != 990_000 {
				t.Errorf("%d calls, %d requests, %d tokens", calls, len(f.server.Requests()), thinking.Tokens())
			}
			f.keepsQuiet(t, err)
		})
	}
}

// TestRepairFitsTheContext checks that a repair fits the smallest context, however long the bad answer and the
// complaints are.
func TestRepairFitsTheContext(t *testing.T) {
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
