package progress

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/bottest"
)

func TestProgressLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		terminal := &bottest.Seen{Came: make(chan struct{})}
		var columns atomic.Int32
		columns.Store(80)
		p := New(terminal, func() int { return int(columns.Load()) })
		see := func(want string) {
			t.Helper()
			<-time.After(redraw) // of the bubble: nobody waits
			synctest.Wait()
			if _, last := bottest.Screen(terminal.String()); last != want {
				t.Errorf("it shows %q, not %q", last, want)
			}
		}
		see("")
		p.Stage("r", plan.Decomposing)
		if terminal.String() != "" {
			t.Errorf("it was drawn at once: %q", terminal.String())
		}
		see("Thinking… 0 s (understanding the request)")
		<-time.After(3 * time.Second)
		p.Stage("r", plan.Assessing)
		see("Thinking… 3 s (weighing the tools)")
		if drawn := strings.Count(terminal.String(), clearToEnd); drawn != 5 {
			t.Errorf("it was drawn %d times in three seconds: %q", drawn, terminal.String())
		}
		if _, err := fmt.Fprintln(p, "a line of the log"); err != nil {
			t.Error(err)
		}
		see("Thinking… 3 s (weighing the tools)")
		if above, _ := bottest.Screen(terminal.String()); above != "a line of the log" {
			t.Errorf("above it is %q", above)
		}
		p.Stage("r", plan.Searching)
		columns.Store(20)
		see("Thinking… 3 s (s…")
		columns.Store(0)
		see("…")
		columns.Store(80)
		p.Stage("r", plan.Settling)
		see("Thinking… 4 s (choosing the solution)")
		p.Stage("r", plan.Responding)
		see("Writing the answer… 0 s")
		p.Close()
		see("")
		p.Close()
		written := terminal.String()
		p.Tell("Dreaming", "")
		<-time.After(time.Minute)
		if terminal.String() != written {
			t.Error("it is drawn after its end")
		}
	})
}

func TestProgressOfSteps(t *testing.T) {
	t.Parallel()
	p := &Line{}
	p.Stage("r", plan.Settling)
	steps := func(states ...adapters.StepState) (all []adapters.ProgressStep) {
		for i, s := range states {
			all = append(all, adapters.ProgressStep{Key: string(rune('a' + i)), Text: []string{"edge", "caption", "read"}[i], State: s})
		}
		return all
	}
	const waiting, running, done, failed, skipped = adapters.StepWaiting, adapters.StepRunning, adapters.StepDone, adapters.StepFailed, adapters.StepSkipped
	const before = "choosing the solution"
	for i, c := range []struct {
		steps []adapters.ProgressStep
		ended bool
		want  string
	}{
		{nil, false, before},
		{steps(running, waiting, waiting), true, before},
		{steps(running, waiting, waiting), false, "0 of 3 done, edge"},
		{steps(running, running, waiting), false, "0 of 3 done, edge, caption"},
		{steps(done, running, waiting), false, "1 of 3 done, caption"},
		{steps(done, failed, waiting), false, "1 of 3 done"},
		{steps(done, failed, skipped), false, "1 of 3 done"}, // the answer is on its way
		{steps(done, running), false, "1 of 2 done, caption"},
		{steps(done, done), false, "1 of 2 done, caption"},
	} {
		p.Report(adapters.Progress{Title: "Planning", Steps: c.steps, Ended: c.ended})
		doing := "Working"
		if c.want == before {
			doing = "Thinking"
		}
		if p.doing != doing || p.about != c.want {
			t.Errorf("%d: %s (%s)", i, p.doing, p.about)
		}
	}
}

// TestNoProgress: without a terminal there is no line, and telling it things does no harm.
func TestNoProgress(t *testing.T) {
	t.Parallel()
	var p *Line
	p.Stage("r", plan.Searching)
	p.Report(adapters.Progress{Steps: []adapters.ProgressStep{{State: adapters.StepRunning}}})
	p.Close()
}

type brokenTerminal struct{}

func (brokenTerminal) Write([]byte) (int, error) { return 0, errors.New("gone") }

// TestProgressOutlastsItsTerminal: a terminal that is gone stops nothing.
func TestProgressOutlastsItsTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(brokenTerminal{}, func() int { return 80 })
		p.Tell("Working", "")
		<-time.After(10 * redraw)
		p.Close()
		if _, err := p.Write([]byte("x")); err == nil {
			t.Error("the loss is not logged")
		}
	})
}
