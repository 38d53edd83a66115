package clitest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hibiken/asynq"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/operate"
	"atelier/bot/place"
	"atelier/bot/settings"
	"atelier/jobs"
)

// greeter is an agent that greets, at once. To the request "wait" it does so never.
type greeter struct{ waits chan struct{} }

func (greeter) Ways(*plan.Plan, plan.Choice, []plan.Offer) []plan.Message { return nil }

func (greeter) Steps(a jobs.Account) []plan.Message {
	return make([]plan.Message, len(a.Route.Steps()))
}

func (greeter) Alts(a jobs.Account) []plan.Message { return make([]plan.Message, len(a.Route.Steps())) }

func (greeter) Plan(_ context.Context, r plan.Request) (*plan.Plan, error) {
	greet := func(tool string, score float64) plan.Solution {
		arg := plan.Binding{Arg: "name", Type: plan.Text, Source: plan.FromValue("Ann")}
		return plan.Solution{Score: score, Actions: []plan.Action{{Tool: tool, Args: []plan.Binding{arg}, Returns: plan.Text}}}
	}
	return &plan.Plan{
		Wish: r.Wish,
		Tasks: []plan.Task{{
			Subtask:   plan.Subtask{Description: "greet Ann", Returns: plan.Text},
			Solutions: []plan.Solution{greet("greet", 5), greet("wave", 4)},
		}},
		Thinking: plan.Thinking{Jobs: []plan.Job{{Name: "decompose", Model: "m", Calls: 1, Input: 10, Output: 2}}},
	}, nil
}

func (g greeter) Act(ctx context.Context, w jobs.Work) (plan.Result, error) {
	if w.Request.Wish == "wait" {
		g.waits <- struct{}{}
		<-ctx.Done()
	}
	return plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "greeting.txt", Type: plan.Text, Value: "Hello, Ann"}}, nil
}

func (greeter) Respond(_ context.Context, a jobs.Account) (string, plan.Thinking, error) {
	return "Here is the greeting.", a.Plan.Thinking, nil
}

func (greeter) Device(context.Context, plan.Action) string { return jobs.QueueCPU }

func (greeter) Hears(context.Context, plan.Resource) (plan.Action, bool) { return plan.Action{}, false }

func (greeter) Capabilities(context.Context) (map[string][]plan.Candidate, error) {
	return map[string][]plan.Candidate{"greet": nil, "wave": nil}, nil
}

// quiet is a platform on which nobody writes by itself.
type quiet struct{}

func (quiet) Name() string { return "quiet" }

func (quiet) Listen(ctx context.Context, _ adapters.Handler) error { <-ctx.Done(); return nil }

func (quiet) Fetch(context.Context, adapters.File) (io.ReadCloser, error) {
	return nil, adapters.ErrGone
}

func (quiet) Send(_ context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	return adapters.MessageRef{Adapter: "quiet", Channel: r.Thread.Channel, ID: key}, nil
}

// Living is a process that does requests, and how the commands reach it.
type Living struct {
	T      *testing.T
	Jobs   *jobs.Jobs
	Place  *place.Place
	Waits  chan struct{}
	Folder string
	Env    []string
	sent   int
}

// Live starts one, with its socket where it has no Redis.
func Live(t *testing.T, env ...string) *Living {
	t.Helper()
	l := &Living{T: t, Waits: make(chan struct{}, 1), Folder: t.TempDir()}
	l.Env = append([]string{"ATELIER_DATA=" + l.Folder}, env...)
	config, err := settings.Read(l.Env, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l.Place, err = place.Open(t.Context(), config, slog.New(slog.DiscardHandler), place.Placement{Folder: l.Folder, Shared: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bottest.Check(t, l.Place.Close()) })
	l.Jobs, err = jobs.New(jobs.Config{
		Redis: l.Place.Redis, State: l.Place.State, Blobs: l.Place.Blobs, Agent: greeter{l.Waits}, Adapters: []adapters.Adapter{quiet{}},
		Inspect: func(context.Context, string) (jobs.File, error) { return jobs.File{}, errors.New("there are no files") },
		Pools:   []jobs.Pool{{Queues: map[string]int{jobs.QueueGateway: 1, jobs.QueuePlan: 1, jobs.QueueCPU: 1}, Concurrency: 4}},
		Check:   10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Going(func(ctx context.Context) error { return l.Jobs.Run(ctx) })
	if l.Place.Embedded {
		listener, err := control.Listen(l.Folder)
		if err != nil {
			t.Fatal(err)
		}
		l.Going(func(ctx context.Context) error { return control.Answer(ctx, listener, l.Jobs) })
	}
	return l
}

// Going runs something until the test ends.
func (l *Living) Going(f func(context.Context) error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(l.T.Context()))
	ended := make(chan error, 1)
	go func() { ended <- f(ctx) }()
	l.T.Cleanup(func() { stop(); bottest.Check(l.T, <-ended) })
}

// Ask hands a request over, in a thread of its own.
func (l *Living) Ask(wish string) string {
	l.T.Helper()
	l.sent++
	id := strings.Repeat("x", l.sent)
	e := adapters.Event{
		Kind: adapters.MessageSent, ID: id, Adapter: "quiet", Thread: adapters.Thread{Adapter: "quiet", Channel: id},
		By:      adapters.Person{ID: "u1", Name: "Ann"},
		At:      time.Now(),
		Message: &adapters.Message{Ref: adapters.MessageRef{Adapter: "quiet", Channel: id, ID: id}, Order: 1, For: adapters.Direct, Text: wish},
	}
	request, err := l.Jobs.Submit(l.T.Context(), e, jobs.Options{})
	if err != nil {
		l.T.Fatal(err)
	}
	return request
}

// Wait waits until a run has ended.
func (l *Living) Wait(id string, n int) jobs.Request {
	l.T.Helper()
	r, err := l.Jobs.Wait(l.T.Context(), id, n)
	if err != nil {
		l.T.Fatal(err)
	}
	return r
}

// Looks at the queues and the workers.
func (l *Living) Looks(o control.Jobs) {
	l.T.Helper()
	queues, err := o.Queues(l.T.Context())
	names := make([]string, len(queues))
	for i, q := range queues {
		names[i] = q.Name
	}
	if err != nil || !slices.Equal(names, []string{"cpu", "gateway:quiet", "gpu", "plan"}) {
		l.T.Errorf("%v, %v", names, err)
	}
	workers, err := o.Workers(l.T.Context())
	i := slices.IndexFunc(workers, func(w jobs.Worker) bool { return w.ID == "other-1" })
	if err != nil || i < 0 || workers[i].Process != 7 || len(workers[i].Tools["draw"]) != 1 {
		l.T.Errorf("%+v, %v", workers, err)
	}
	l.fail("gpu")
	for range 2 {
		if n, err := o.RetryFailed(l.T.Context(), "gpu"); n != 1 || err != nil {
			l.T.Errorf("%d, %v", n, err)
		}
		l.fail("gpu")
	}
	if n, err := o.DropFailed(l.T.Context(), "gpu"); n != 1 || err != nil {
		l.T.Errorf("%d, %v", n, err)
	}
	for what, act := range map[string]func(context.Context, string) (int, error){"retry": o.RetryFailed, "drop": o.DropFailed} {
		if n, err := act(l.T.Context(), "plan"); n != 0 || err != nil {
			l.T.Errorf("%s: %d, %v", what, n, err)
		}
		if _, err := act(l.T.Context(), "nobody"); !errors.Is(err, jobs.ErrUnknown) {
			l.T.Errorf("%s of a queue that is not there: %v", what, err)
		}
	}
}

// KnowsNothing asks for what is not there.
func (l *Living) KnowsNothing(o control.Jobs, id, thread string) {
	l.T.Helper()
	ctx := l.T.Context()
	for what, err := range map[string]error{
		"show":   second(o.Show(ctx, id)),
		"again":  second(o.Again(ctx, id, "")),
		"cancel": o.Cancel(ctx, id, ""),
		"forget": second(o.Forget(ctx, thread)),
	} {
		if !errors.Is(err, jobs.ErrUnknown) || errors.Is(err, jobs.ErrOver) {
			l.T.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Operated calls every command and looks at what is printed, as text and as JSON.
func (l *Living) Operated() {
	t := l.T
	t.Helper()
	id := l.Ask("greet Ann\x1b[31m")
	r := l.Wait(id, 1)
	l.says(fault.StatusDone, id+"  ", "requests")
	l.says(fault.StatusDone, `  done    greet Ann\x1b[31m`, "requests", "-n", "1")
	var listed []operate.RequestLine
	l.json(&listed, "requests")
	want := operate.RequestLine{ID: id, At: r.At, Thread: r.ThreadID, Adapter: "quiet", By: "Ann", Status: "done", Runs: 1, Wish: "greet Ann\x1b[31m"}
	if diff := cmp.Diff([]operate.RequestLine{want}, listed); diff != "" {
		t.Error(diff)
	}
	l.says(fault.StatusDone, "  Steps\n    1.  greet  -  done  waited ", "show", id[:5])
	var shown jobs.Request
	if l.json(&shown, "show", id); cmp.Diff(r, shown) != "" {
		t.Error(cmp.Diff(r, shown))
	}
	l.says(fault.StatusDone, "Run 2 of the request "+id+" has begun", "retry", id)
	l.Wait(id, 2)
	l.says(fault.StatusFailed, "The request "+id+" has already ended", "cancel", id)
	held := l.Ask("wait")
	<-l.Waits
	var stopped map[string]any
	if l.json(&stopped, "cancel", held); stopped["id"] != held || stopped["cancelled"] != true {
		t.Errorf("%v", stopped)
	}
	l.Wait(held, 1)
	l.says(fault.StatusDone, "gateway:quiet  0 ", "queues")
	var queues struct {
		Queues  []operate.QueueLine  `json:"queues"`
		Workers []operate.WorkerLine `json:"workers"`
	}
	if l.json(&queues, "queues"); len(queues.Queues) != 3 || queues.Queues[0].Name != "cpu" {
		t.Errorf("%+v", queues)
	}
	l.says(fault.StatusDone, "Queue plan: 0 failed tasks retried.", "queues", "--retry", "plan")
	l.says(fault.StatusDone, "{\n  \"dropped\": 0,\n  \"queue\": \"cpu\"\n}\n", "queues", "--drop", "cpu", "--json")
	l.says(fault.StatusFailed, "There is no queue gpu: there are cpu, gateway:quiet, plan.", "queues", "--drop", "gpu")
	l.says(fault.StatusDone, "was deleted: 1 request,", "forget", r.ThreadID)
	l.says(fault.StatusFailed, "There is no thread "+r.ThreadID, "forget", r.ThreadID)
	l.says(fault.StatusFailed, "There is no request "+id, "show", id)
	l.says(fault.StatusFailed, "None of the last 500 requests has an ID that begins with "+id[:8], "retry", id[:8])
	l.says(fault.StatusUsage, "Invalid request ID", "show", "../x")
	l.says(fault.StatusUsage, "Invalid thread", "forget", r.ThreadID[:8])
	l.says(fault.StatusUsage, "-n is 0", "requests", "-n", "0")
	l.says(fault.StatusUsage, "", "queues", "--retry", "plan", "--drop", "plan")
}

// fail lets the one task of a queue be given up.
func (l *Living) fail(queue string) {
	l.T.Helper()
	_, err := asynq.NewClientFromRedisClient(l.Place.Redis).EnqueueContext(l.T.Context(), asynq.NewTask("act", nil), asynq.Queue(queue), asynq.TaskID("1"))
	if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
		l.T.Fatal(err)
	}
	bottest.Check(l.T, asynq.NewInspectorFromRedisClient(l.Place.Redis).ArchiveTask(queue, "1"))
	queues, err := l.Jobs.Queues(l.T.Context())
	if i := slices.IndexFunc(queues, func(q jobs.Queue) bool { return q.Name == queue }); err != nil || queues[i].Failed != 1 {
		l.T.Errorf("%+v, %v", queues, err)
	}
}

// says calls a command that ends so and prints that.
func (l *Living) says(status int, what string, args ...string) {
	l.T.Helper()
	got, stdout, stderr := Called{Env: l.Env, Args: args}.Run(l.T)
	if got != status || !strings.Contains(stdout+stderr, what) || (stdout == "") == (status == fault.StatusDone) {
		l.T.Errorf("%q: status %d, %q is not in\n%s%s", args, got, what, stdout, stderr)
	}
}

// json calls a command and reads what it prints.
func (l *Living) json(v any, args ...string) {
	l.T.Helper()
	_, stdout, stderr := Called{Env: l.Env, Args: append(args, "--json")}.Run(l.T)
	if err := json.Unmarshal([]byte(stdout), v); err != nil {
		l.T.Fatalf("%q: %v%s", args, err, stderr)
	}
}
