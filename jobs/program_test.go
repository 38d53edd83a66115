package jobs_test

import (
	"context"
	"slices"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestRepeatRunsSameProgram for the same step, in any process, and none written for another step.
func TestRepeatRunsSameProgram(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		writes := func(m *planner) {
			m.set("write", func(ctx context.Context, w jobs.Work) (plan.Result, error) {
				r, err := m.make(ctx, w)
				if r.Program = w.Program; r.Program == "" {
					r.Program = "written"
				}
				return r, err
			})
		}
		writes(h.planner)
		j := h.process()
		stop := h.run(j)
		r := h.ask(j, h.says("t", "ann", "blur>write; edge"))
		if got := r.Runs[0].Results[r.Runs[0].Steps[1].Key].Program; got != "written" {
			t.Fatalf("the program is %q", got)
		}
		h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🔁", true))
		h.wait(j, r.ID, 2)
		stop()

		other := h.planner.other()
		writes(other)
		j = h.start(func(c *jobs.Config) { c.Agent = other })
		h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🔁", true))
		h.wait(j, r.ID, 3)
		h.ask(j, h.says("t", "ann", "edge>write"))

		if got := programs(h.planner); !slices.Equal(got, []string{"", "written"}) {
			t.Errorf("the first process was given the programs %q", got)
		}
		if got := programs(other); !slices.Equal(got, []string{"written", ""}) {
			t.Errorf("the other one was given the programs %q", got)
		}
	})
}

// TestProgramsByPlace for each request of a thread where they are not allowed.
func TestProgramsByPlace(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(func(c *jobs.Config) {
		c.Programs = func(in adapters.Thread) bool { return in == place1("allowed") }
	})
	for thread, forbidden := range map[string]bool{"allowed": false, "elsewhere": true} {
		r := h.ask(j, h.says(thread, "ann", "blur"))
		if got := h.planner.request(r.ID).NoPrograms; got != forbidden {
			t.Errorf("%s: programs are forbidden %t", thread, got)
		}
	}
}

// programs returns the programs passed to the tool write. Other tools must get none.
func programs(m *planner) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, w := range m.works {
		if w.Steps[w.At].Action.Tool == "write" || w.Program != "" {
			all = append(all, w.Program)
		}
	}
	return all
}
