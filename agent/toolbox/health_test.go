package toolbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// paint is a tool with two servers, one of which is a paid service.
var paint = toolbox.Tool{
	Name: "paint", Domain: "general", Returns: plan.Text,
	Args:     []toolbox.Arg{{Name: "text", Type: plan.Text, Meaning: plan.Content}},
	Backends: []toolbox.Backing{{Kind: "hftask", Run: "draw", Device: "gpu"}, {Kind: "native", Run: "scribble", Device: "cpu", Approximate: true}},
}

// studio is a toolbox with the tool paint.
type studio struct {
	near, far fake
	rough     fake
	parallel  int
}

func (s studio) open(t *testing.T) *toolbox.Toolbox {
	t.Helper()
	return newToolbox(t, toolbox.Config{Servers: []toolbox.Server{
		{Name: "far", Kind: "hftask", Backend: s.far, Cloud: true},
		{Name: "near", Kind: "hftask", Backend: s.near, Parallel: s.parallel},
		{Name: "native", Kind: "native", Backend: s.rough},
	}}, paint)
}

func call(t *testing.T) toolbox.Call {
	t.Helper()
	return toolbox.Call{Tool: "paint", Returns: plan.Text, Dir: t.TempDir()}
}

func answers(v string) func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
	return func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
		return toolbox.Output{Value: v}, nil
	}
}

func down(what string) error {
	return &plan.Fault{Sentence: plan.Say("It does not answer."), Err: fmt.Errorf("%w: %s", toolbox.ErrDown, what)}
}

func names(cs []plan.Candidate) []string {
	all := make([]string, len(cs))
	for i, c := range cs {
		all[i] = c.Name
	}
	return all
}

func live(t *testing.T, tb *toolbox.Toolbox) []string {
	t.Helper()
	l, err := tb.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, _ := l.Status("paint")
	return names(s.Candidates)
}

// Own servers come before outside services, and approximate backings last.
func TestBackendOrder(t *testing.T) {
	t.Parallel()
	tb := studio{}.open(t)
	if got, want := live(t, tb), []string{"near:draw", "far:draw", "native:scribble"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// A backend that fails three times in a row is paused and replaced by the next one; after half a
// minute, one call tries it again.
func TestFailingBackendIsPaused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var tried int
		broken := true
		tb := studio{
			near: fake{run: func(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
				if tried++; broken {
					return toolbox.Output{}, down("no route")
				}
				return toolbox.Output{Value: "near"}, nil
			}},
			far: fake{run: answers("far")},
		}.open(t)
		run := func(want string) {
			t.Helper()
			made, err := tb.Run(t.Context(), "paint", "", call(t), nil)
			if err != nil || made.Value != want {
				t.Errorf("%q, %v; want %q", made.Value, err, want)
			}
		}
		for range 5 {
			run("far")
		}
		if tried != 3 {
			t.Errorf("tried %d times", tried)
		}
		if got := live(t, tb); slices.Contains(got, "near:draw") || len(got) != 2 {
			t.Errorf("live are %v", got)
		}
		if h := health(t, tb, "near"); h.State != toolbox.Down || h.Ways != 0 || !slices.Equal(h.Alone, []string{""}) ||
			h.Why != "near failed several times in a row; it will be tried again in half a minute." {
			t.Errorf("near is %+v", h)
		}
		<-time.After(31 * time.Second)
		if got := live(t, tb); got[0] != "near:draw" {
			t.Errorf("after a while live are %v", got)
		}
		run("far")
		run("far")
		if tried != 4 {
			t.Errorf("tried %d times: one call is enough to see", tried)
		}
		<-time.After(31 * time.Second)
		broken = false
		run("near")
		run("near")
		if h := health(t, tb, "near"); h.State != toolbox.Up || len(h.Alone) != 0 {
			t.Errorf("near is %+v", h)
		}
	})
}

func health(t *testing.T, tb *toolbox.Toolbox, server string) toolbox.Health {
	t.Helper()
	all, err := tb.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(h toolbox.Health) bool { return h.Server == server })
	if i < 0 {
		t.Fatalf("there is no %s", server)
	}
	return all[i]
}

// Each model has its own circuit breaker, and only failures of the backend count.
func TestFaultsThatKeepCircuitClosed(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(ctx context.Context, stop context.CancelFunc) error{
		"a bad input": func(context.Context, context.CancelFunc) error {
			return &plan.Fault{Sentence: plan.Say("The picture is damaged.")}
		},
		"its caller's end": func(ctx context.Context, stop context.CancelFunc) error {
			stop()
			<-ctx.Done()
			return down("interrupted")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tried := 0
			var stop context.CancelFunc
			tb := studio{near: fake{run: func(ctx context.Context, _ toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
				tried++
				return toolbox.Output{}, fails(ctx, stop)
			}}, far: fake{run: answers("far")}}.open(t)
			for range 5 {
				var ctx context.Context
				ctx, stop = context.WithCancel(t.Context())
				_, _ = tb.Run(ctx, "paint", "", call(t), nil) //nolint:errcheck // it is counted
				stop()
			}
			if tried != 5 {
				t.Errorf("tried %d times", tried)
			}
		})
	}
}

// A server never gets more parallel calls than its limit; waiting callers can give up.
func TestServerConcurrency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at, most atomic.Int64
		done := make(chan struct{})
		tb := studio{parallel: 2, near: fake{run: func(ctx context.Context, _ toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
			most.Store(max(most.Load(), at.Add(1)))
			defer at.Add(-1)
			select {
			case <-done:
			case <-ctx.Done():
			}
			return toolbox.Output{Value: "near"}, ctx.Err()
		}}}.open(t)
		var all sync.WaitGroup
		for range 5 {
			c := call(t)
			all.Go(func() {
				if made, err := tb.Run(t.Context(), "paint", "", c, nil); err != nil || made.Value != "near" {
					t.Errorf("%q, %v", made.Value, err)
				}
			})
		}
		ctx, giveUp := context.WithCancel(t.Context())
		c := call(t)
		all.Go(func() {
			if _, err := tb.Run(ctx, "paint", "", c, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("who gave up got %v", err)
			}
		})
		synctest.Wait()
		if h := health(t, tb, "near"); h.Running != 2 || h.Waiting != 4 || h.Parallel != 2 {
			t.Errorf("near is %+v", h)
		}
		giveUp()
		synctest.Wait()
		close(done)
		all.Wait()
		if most.Load() != 2 {
			t.Errorf("%d at a time", most.Load())
		}
		if h := health(t, tb, "near"); h.Running != 0 || h.Waiting != 0 {
			t.Errorf("near is %+v", h)
		}
	})
}

// With Watch, live candidates are probed every half minute and others with backoff; callers never wait for a probe.
func TestProbesBackOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		asked := map[string][]time.Duration{}
		note := func(c toolbox.Candidate, err error) error {
			mu.Lock()
			defer mu.Unlock()
			asked[c.Server] = append(asked[c.Server], time.Since(began))
			return err
		}
		tb := studio{
			near: fake{probe: func(c toolbox.Candidate) error { return note(c, down("refused")) }},
			far:  fake{probe: func(c toolbox.Candidate) error { return note(c, nil) }},
		}.open(t)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			tb.Watch(ctx)
		}()
		<-time.After(20 * time.Minute)
		synctest.Wait()
		stop()
		<-ended
		if n := len(asked["far"]); n < 40 || n > 42 {
			t.Errorf("what is live was asked %d times in twenty minutes", n)
		}
		want := []time.Duration{0, 5 * time.Second, 15 * time.Second, 35 * time.Second, 75 * time.Second, 155 * time.Second, 315 * time.Second, 615 * time.Second, 915 * time.Second}
		if !slices.Equal(asked["near"], want) {
			t.Errorf("what is not was asked at %v", asked["near"])
		}
	})
}

// A loading model is not down: it is planned with and reported as loading.
func TestLoadingIsNotDown(t *testing.T) {
	t.Parallel()
	loading := &plan.Fault{Sentence: plan.Say("The model is being loaded."), Err: toolbox.ErrLoading}
	tb := studio{near: fake{probe: func(toolbox.Candidate) error { return loading }, run: answers("near")}}.open(t)
	l, err := tb.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := l.Status("paint"); !s.By().Loading || s.By().Name != "near:draw" {
		t.Errorf("it runs by %+v", s.By())
	}
	if h := health(t, tb, "near"); h.State != toolbox.Loading || h.Ways != 1 {
		t.Errorf("near is %+v", h)
	}
	if made, err := tb.Run(t.Context(), "paint", "", call(t), nil); err != nil || made.Value != "near" {
		t.Errorf("%q, %v", made.Value, err)
	}
}

// A call that exceeds its candidate's timeout is stopped, and the next candidate is used.
func TestCandidateTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := fake{run: func(ctx context.Context, _ toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
			<-ctx.Done()
			return toolbox.Output{}, ctx.Err()
		}}
		tb := newToolbox(t, toolbox.Config{
			Servers: []toolbox.Server{{Name: "a", Kind: "hftask", Backend: hangs}, {Name: "b", Kind: "hftask", Backend: fake{run: answers("b")}}},
			Ways: map[string][]toolbox.Way{"paint": {
				{Server: "a", Model: "org/slow", Timeout: 90 * time.Second}, {Server: "b", Approximate: true},
			}},
		}, paint)
		began := time.Now()
		made, err := tb.Run(t.Context(), "paint", "", call(t), nil)
		if err != nil || made.Value != "b" || !made.Approximate || made.Candidate != "b:draw" || time.Since(began) != 90*time.Second {
			t.Errorf("%+v after %s, %v", made, time.Since(began), err)
		}
		if len(made.Failed) != 1 || made.Failed[0].String() != "It took longer than 90 seconds and was stopped." {
			t.Errorf("people are told %v", made.Failed)
		}
		if got, want := live(t, tb), []string{"a:draw@org/slow", "b:draw"}; !slices.Equal(got, want) {
			t.Errorf("live are %v", got)
		}
	})
}

func TestWaysThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]toolbox.Config{
		"no such tool":   {Ways: map[string][]toolbox.Way{"dance": {{Server: "a"}}}},
		"no such server": {Ways: map[string][]toolbox.Way{"paint": {{Server: "z"}}}},
		"no such run":    {Ways: map[string][]toolbox.Way{"paint": {{Server: "a", Run: "carve"}}}},
		"one name twice": {Servers: []toolbox.Server{{Name: "a", Kind: "hftask", Backend: fake{}}}},
		"no backend":     {Servers: []toolbox.Server{{Name: "b", Kind: "native"}}},
	} {
		c.Catalogue = toolbox.NewCatalogue([]toolbox.Tool{paint})
		c.Servers = append(c.Servers, toolbox.Server{Name: "a", Kind: "hftask", Backend: fake{}})
		if _, err := toolbox.New(c); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// The catalogue's models are candidates, followed by the server's default model.
func TestModelsAreCandidates(t *testing.T) {
	t.Parallel()
	tb, err := toolbox.New(toolbox.Config{
		Catalogue: toolbox.NewCatalogue([]toolbox.Tool{paint},
			toolbox.Model{ID: "org/rare", Tools: []string{"paint"}}, toolbox.Model{ID: "org/used", Downloads: 7, Tools: []string{"paint"}},
			toolbox.Model{ID: "org/other", Downloads: 9, Tools: []string{"sing"}}),
		Servers: []toolbox.Server{{Name: "a", Kind: "hftask", Backend: fake{run: func(_ context.Context, c toolbox.Candidate, _ toolbox.Call) (toolbox.Output, error) {
			return toolbox.Output{Value: c.Model, Model: c.Model}, nil
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := live(t, tb), []string{"a:draw@org/used", "a:draw@org/rare", "a:draw"}; !slices.Equal(got, want) {
		t.Errorf("live are %v", got)
	}
	made, err := tb.Run(t.Context(), "paint", "a:draw@org/rare", call(t), nil)
	if err != nil || made.Model != "org/rare" || made.Candidate != "a:draw@org/rare" {
		t.Errorf("%+v, %v", made, err)
	}
}
