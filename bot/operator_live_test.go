package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/bot/operator"
	"atelier/bot/place"
	"atelier/bot/settings"
	"atelier/jobs"
)

// greeter is an agent that greets, at once. To the wish "wait" it does so never.
type greeter struct{ waits chan struct{} }

func (greeter) Ways(*plan.Plan, plan.Choice, []plan.Offer) []plan.Message { return nil }

func (greeter) Plan(_ context.Context, r plan.Request) (*plan.Plan, error) {
	greet := func(tool string, score float64) plan.Solution {
		arg := plan.Binding{Arg: "name", Type: plan.Text, Source: plan.FromValue("Ann")}
		return plan.Solution{Score: score, Actions: []plan.Action{{Tool: tool, Args: []plan.Binding{arg}, Returns: plan.Text}}}
	}
	return &plan.Plan{
		Wish:     r.Wish,
		Tasks:    []plan.Task{{Subtask: plan.Subtask{Description: "greet Ann", Returns: plan.Text}, Solutions: []plan.Solution{greet("greet", 5), greet("wave", 4)}}},
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

// living is a process that does requests, and how the commands reach it.
type living struct {
	t      *testing.T
	jobs   *jobs.Jobs
	place  *place.Place
	waits  chan struct{}
	folder string
	env    []string
	sent   int
}

// live starts one, with its socket where it has no Redis.
func live(t *testing.T, env ...string) *living {
	t.Helper()
	l := &living{t: t, waits: make(chan struct{}, 1), folder: t.TempDir()}
	l.env = append([]string{"ATELIER_DATA=" + l.folder}, env...)
	config, err := settings.Read(l.env, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l.place, err = place.Open(t.Context(), config, slog.New(slog.DiscardHandler), place.Placement{Folder: l.folder, Shared: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bottest.Check(t, l.place.Close()) })
	l.jobs, err = jobs.New(jobs.Config{
		Redis: l.place.Redis, State: l.place.State, Blobs: l.place.Blobs, Agent: greeter{l.waits}, Adapters: []adapters.Adapter{quiet{}},
		Inspect: func(context.Context, string) (jobs.File, error) { return jobs.File{}, errors.New("there are no files") },
		Pools:   []jobs.Pool{{Queues: map[string]int{jobs.QueueGateway: 1, jobs.QueuePlan: 1, jobs.QueueCPU: 1}, Concurrency: 4}},
		Check:   10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.going(func(ctx context.Context) error { return l.jobs.Run(ctx) })
	if l.place.Embedded {
		listener, err := operator.Listen(l.folder)
		if err != nil {
			t.Fatal(err)
		}
		l.going(func(ctx context.Context) error { return operator.Answer(ctx, listener, l.jobs) })
	}
	return l
}

// going runs something until the test ends.
func (l *living) going(f func(context.Context) error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(l.t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- f(ctx) }()
	l.t.Cleanup(func() { stop(); bottest.Check(l.t, <-ended) })
}

// ask hands a wish over, in a thread of its own.
func (l *living) ask(wish string) string {
	l.t.Helper()
	l.sent++
	id := strings.Repeat("x", l.sent)
	e := adapters.Event{
		Kind: adapters.MessageSent, ID: id, Adapter: "quiet", Thread: adapters.Thread{Adapter: "quiet", Channel: id}, By: adapters.Person{ID: "u1", Name: "Ann"},
		At:      time.Now(),
		Message: &adapters.Message{Ref: adapters.MessageRef{Adapter: "quiet", Channel: id, ID: id}, Order: 1, For: adapters.Direct, Text: wish},
	}
	request, err := l.jobs.Submit(l.t.Context(), e, jobs.Options{})
	if err != nil {
		l.t.Fatal(err)
	}
	return request
}

// wait waits until a run has ended.
func (l *living) wait(id string, n int) jobs.Request {
	l.t.Helper()
	r, err := l.jobs.Wait(l.t.Context(), id, n)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}
