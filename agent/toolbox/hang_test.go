package toolbox_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// hangs is a backend whose probes take as long as their context allows.
type hangs struct{ fake }

func (hangs) Probe(ctx context.Context, _ toolbox.Candidate) error {
	<-ctx.Done()
	return down("it hangs")
}

// TestHangingServerBlocksNobody: with Watch, other servers are known at once; without it, within a
// round's time. A caller with a shorter timeout gets an answer when that ends.
func TestHangingServerBlocksNobody(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *toolbox.Toolbox {
		t.Helper()
		return newToolbox(t, toolbox.Config{Servers: []toolbox.Server{
			{Name: "far", Kind: "hftask", Backend: hangs{}, Cloud: true}, {Name: "near", Kind: "hftask", Backend: fake{run: answers("near")}},
		}}, paint)
	}
	t.Run("not watched", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			tb, began := open(t), time.Now()
			ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
			defer stop()
			if _, err := tb.Health(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
			if got := live(t, tb); !slices.Equal(got, []string{"near:draw"}) || time.Since(began) > 13*time.Second {
				t.Errorf("after %s: %v", time.Since(began), got)
			}
			if h := health(t, tb, "far"); h.State != toolbox.Down || h.Why != "far does not answer in time." {
				t.Errorf("far is %+v", h)
			}
		})
	})
	t.Run("watched", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			tb := open(t)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				tb.Watch(ctx)
			}()
			<-time.After(time.Minute)
			for range 100 {
				began := time.Now()
				if got := live(t, tb); !slices.Equal(got, []string{"near:draw"}) || time.Since(began) != 0 {
					t.Fatalf("after %s: %v", time.Since(began), got)
				}
				<-time.After(700 * time.Millisecond)
			}
			stop()
			<-ended
		})
	})
}

// TestAssumedServerIsNotWaitedFor checks that such a server counts as up for planning, but is probed
// for display and before a call.
func TestAssumedServerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tb, began := newToolbox(t, toolbox.Config{Servers: []toolbox.Server{{Name: "sky", Kind: "hftask", Backend: hangs{}, Assumed: true}}}, paint), time.Now()
		local, err := tb.Local(t.Context())
		if got := live(t, tb); err != nil || !slices.Equal(got, []string{"sky:draw"}) || !slices.Equal(names(local["paint"]), got) || time.Since(began) != 0 {
			t.Errorf("after %s: %v, here %v, %v", time.Since(began), got, local, err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := tb.Run(ctx, "paint", "", call(t), nil); !errors.Is(err, toolbox.ErrElsewhere) {
			t.Errorf("it was called without a probe: %v", err)
		}
		statuses, err := tb.Statuses(t.Context())
		if err != nil || statuses[0].Live || !strings.HasPrefix(statuses[0].Why, "sky does not answer in time") {
			t.Errorf("shown is %+v, %v", statuses, err)
		}
		if got := live(t, tb); len(got) != 0 {
			t.Errorf("it is known to be down, and %v is planned with", got)
		}
	})
}

// TestProcessReportsItsTools: candidates for a queue that it does not serve are not reported.
func TestProcessReportsItsTools(t *testing.T) {
	t.Parallel()
	tb := newToolbox(t, toolbox.Config{
		Servers: []toolbox.Server{{Kind: "hftask", Backend: fake{}}, {Kind: "native", Backend: fake{}}},
		Here:    func(c plan.Candidate) bool { return c.Device != "gpu" },
	}, paint, toolbox.Tool{Name: "film", Returns: plan.Video, Backends: []toolbox.Backing{{Kind: "hftask", Run: "film", Device: "gpu"}}})
	able, err := tb.Local(t.Context())
	if err != nil || len(able) != 1 || !slices.Equal(names(able["paint"]), []string{"native:scribble"}) {
		t.Errorf("%v, %v", able, err)
	}
	l, err := tb.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := l.Status("film"); s.Live || s.Why != "it can run on this machine, but this process does not serve the queue gpu" {
		t.Errorf("live %v: %q", s.Live, s.Why)
	}
}

// TestEmptyListMeansNoBackend: it means no candidates rather than all.
func TestEmptyListMeansNoBackend(t *testing.T) {
	t.Parallel()
	tb := newToolbox(t, toolbox.Config{
		Servers: []toolbox.Server{{Kind: "hftask", Backend: fake{}}}, Ways: map[string][]toolbox.Way{"paint": {}},
	}, paint)
	if got := live(t, tb); len(got) != 0 {
		t.Errorf("live are %v", got)
	}
}

// TestServerMaySpeakSeveralDialects checks that a server with several kinds under one name has one
// limit of parallel calls, and that ways select the kind by the tool's backings.
func TestServerMaySpeakSeveralDialects(t *testing.T) {
	t.Parallel()
	tool := toolbox.Tool{Name: "paint", Returns: plan.Text, Backends: []toolbox.Backing{{Kind: "localai", Run: "depth"}, {Kind: "openai", Run: "chat"}}}
	two := []toolbox.Server{
		{Name: "box", Kind: "localai", Backend: fake{run: answers("depth")}, Parallel: 1},
		{Name: "box", Kind: "openai", Backend: fake{run: answers("chat")}, Parallel: 1},
	}
	tb := newToolbox(t, toolbox.Config{Servers: two}, tool)
	if got := live(t, tb); !slices.Equal(got, []string{"box:depth", "box:chat"}) {
		t.Errorf("live are %v", got)
	}
	if all, err := tb.Health(t.Context()); err != nil || len(all) != 1 || all[0].Ways != 2 || all[0].Parallel != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	for candidate, want := range map[string]string{"": "depth", "box:chat": "chat"} {
		if made, err := tb.Run(t.Context(), "paint", candidate, call(t), nil); err != nil || made.Value != want || !slices.Equal(made.Tried, []string{"box:" + want}) {
			t.Errorf("%+v, %v", made, err)
		}
	}
	listed := newToolbox(t, toolbox.Config{Servers: two, Ways: map[string][]toolbox.Way{"paint": {{Server: "box", Run: "chat"}}}}, tool)
	if got := live(t, listed); !slices.Equal(got, []string{"box:chat"}) {
		t.Errorf("listed are %v", got)
	}
}
