package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
	"atelier/storage/redis/embedded"
)

// restart is a process after another one on the same State, whose queues were lost. It resumes the given number of requests,
// and does not run yet.
func (h *house) restart(requests int, change ...func(*jobs.Config)) *jobs.Jobs {
	h.t.Helper()
	server := embedded.New()
	check(h.t, server.Start())
	h.t.Cleanup(server.Close)
	client := server.Client()
	h.t.Cleanup(func() { check(h.t, client.Close()) })
	h.redis = client
	j := h.process(change...)
	n, err := j.Resume(h.t.Context())
	check(h.t, err)
	if n != requests {
		h.t.Fatalf("%d requests were taken up, not %d\n%s", n, requests, h.log)
	}
	return j
}

func hasty(c *jobs.Config) { c.Grace = time.Millisecond }

// TestRequestContinuesAfterRestart, whatever its stage.
func TestRequestContinuesAfterRestart(t *testing.T) {
	t.Parallel()
	for stage, hold := range map[string]func(h *house) (at, release chan struct{}){
		"fetch": func(h *house) (chan struct{}, chan struct{}) {
			at, release := make(chan struct{}, 9), make(chan struct{})
			h.chat.onFetch = func(int, adapters.File) error { at <- struct{}{}; <-release; return nil }
			return at, release
		},
		"plan": func(h *house) (chan struct{}, chan struct{}) {
			at, release := make(chan struct{}, 9), make(chan struct{})
			h.planner.plan = func(ctx context.Context, r plan.Request) (*plan.Plan, error) {
				at <- struct{}{}
				<-ctx.Done()
				return read(r.Wish), ctx.Err()
			}
			return at, release
		},
		"act": func(h *house) (chan struct{}, chan struct{}) {
			return h.planner.blocks("edge").entered, make(chan struct{})
		},
		"compose": func(h *house) (chan struct{}, chan struct{}) {
			at := make(chan struct{}, 9)
			h.planner.respond = func(ctx context.Context, _ jobs.Account) (string, error) {
				at <- struct{}{}
				<-ctx.Done()
				return "", ctx.Err()
			}
			return at, make(chan struct{})
		},
		"send": func(h *house) (chan struct{}, chan struct{}) {
			at := make(chan struct{}, 9)
			var once atomic.Bool
			h.chat.onSend = func(int, adapters.Reply) error {
				if !once.Swap(true) {
					at <- struct{}{}
				}
				return errors.New("the platform is away")
			}
			return at, make(chan struct{})
		},
	} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			at, release := hold(h)
			j := h.process(hasty, func(c *jobs.Config) { c.Retry = func(int) time.Duration { return time.Hour } })
			stop := h.run(j)
			first := h.handle(j, h.says("t", "ann", "blur>edge", h.chat.upload("a.png", "PNG")))
			second := h.handle(j, h.says("t", "ann", "caption"))
			<-at
			close(release)
			stop()
			h.chat.onFetch, h.chat.onSend = nil, nil
			before := h.planner
			h.planner = before.other()

			again := h.restart(2)
			h.run(again)
			for _, id := range []string{first, second} {
				if r := h.wait(again, id, 1); r.Runs[0].Status != jobs.Done {
					t.Errorf("it is %s: %s\n%s", r.Runs[0].Status, h.told(r), h.log)
				}
			}
			if posts := h.chat.all(); len(posts) != 2 || posts[0].reply.AnswerTo.ID != "m1" {
				t.Errorf("%d answers were sent: %+v", len(posts), posts)
			}
			if n := before.count("blur") + h.planner.count("blur"); n != 1 {
				t.Errorf("a step was done %d times", n)
			}
			h.restart(0)
		})
	}
}

// TestFurtherRunContinuesAfterRestart although the request was answered long ago.
func TestFurtherRunContinuesAfterRestart(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.process(hasty)
	stop := h.run(j)
	r := h.ask(j, h.says("t", "ann", "blur"))
	g := h.planner.blocks("blur")
	n, err := j.Again(t.Context(), r.ID, "ann")
	check(t, err)
	<-g.entered
	stop()
	close(g.open)
	again := h.restart(1)
	h.run(again)
	if r := h.wait(again, r.ID, n); r.Runs[n-1].Status != jobs.Done || len(h.chat.all()) != 2 {
		t.Errorf("run %d is %s, and %d answers were sent", n, r.Runs[n-1].Status, len(h.chat.all()))
	}
}

// broken is a state of crashing processes, which cannot record that they end.
type broken struct{ storage.State }

func (b broken) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if contains(value, `"released"`) {
		return 0, errCut
	}
	return b.State.Append(ctx, key, value, expiry)
}

// TestRestartsAreNotBlamedOnStep: each process shuts down gracefully.
func TestRestartsAreNotBlamedOnStep(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("slow")
	j := h.process(hasty)
	stop := h.run(j)
	id := h.handle(j, h.says("t", "ann", "slow"))
	for range 6 {
		<-g.entered
		stop()
		j = h.restart(1, hasty)
		stop = h.run(j)
	}
	<-g.entered
	close(g.open)
	if r := h.wait(j, id, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("it is %s: %s", r.Runs[0].Status, h.told(r))
	}
}

// TestCrashingStepIsAbandoned: it crashes the process at every start.
func TestCrashingStepIsAbandoned(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.state = broken{h.state}
	g := h.planner.blocks("bomb")
	j := h.process(hasty)
	stop := h.run(j)
	id := h.handle(j, h.says("t", "ann", "bomb"))
	for range 4 {
		<-g.entered
		stop()
		stop = h.run(h.restart(1, hasty))
	}
	<-g.entered
	stop()
	last := h.restart(1)
	h.run(last)
	r := h.wait(last, id, 1)
	if r.Runs[0].Status != jobs.Failed || !strings.Contains(h.told(r), "started this 5 times") || h.planner.count("bomb") != 5 {
		t.Errorf("after %d times it is %s: %s", h.planner.count("bomb"), r.Runs[0].Status, h.told(r))
	}
}

// TestUnreadableRequestBlocksNoOther: a newer version has continued one of the requests.
func TestUnreadableRequestBlocksNoOther(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.process() // not running
	strange := h.handle(j, h.says("t", "ann", "blur"))
	plain := h.handle(j, h.says("u", "ann", "blur"))
	_, err := h.state.Append(t.Context(), "request-"+strange+"/log", []byte(`{"v":99}`), time.Hour)
	check(t, err)
	again := h.restart(1)
	h.run(again)
	if r := h.wait(again, plain, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("the other one is %s", r.Runs[0].Status)
	}
	if !contains([]byte(h.log.String()), "cannot read a request") {
		t.Errorf("nobody was notified:\n%s", h.log)
	}
}

// TestResumeEndsWithItsContext and returns its error.
func TestResumeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.handle(h.process(), h.says("t", "ann", "blur"))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := h.process().Resume(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}
