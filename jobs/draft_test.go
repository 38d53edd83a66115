package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/jobs"
)

// author is an agent that writes programs for the tool program. Programs from number works on succeed.
type author struct {
	*planner

	works  int
	writes func(n int) (plan.Draft, error) // nil writes "program n"

	mu     sync.Mutex
	wrote  int
	given  [][]plan.Draft // the drafts at each call
	spent  []int          // tokens of the request before each draft
	ran    []string
	hinder func(context.Context) error // called before a program runs; may be nil
}

var _ jobs.Writer = (*author)(nil)

func (*author) Writes(a plan.Action) bool { return a.Tool == "program" }

func (*author) Device(_ context.Context, a plan.Action) string {
	if a.Tool == "program" {
		return jobs.QueueProgram
	}
	return jobs.QueueCPU
}

func (a *author) Write(_ context.Context, w jobs.Work) (plan.Draft, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wrote++
	a.given, a.spent = append(a.given, w.Drafts), append(a.spent, w.Spent)
	if a.writes != nil {
		return a.writes(a.wrote)
	}
	return plan.Draft{Program: fmt.Sprintf("program %d", len(w.Drafts)+1), Model: "scribe", Usage: plan.Tokens{Input: 10}}, nil
}

func (a *author) Act(ctx context.Context, w jobs.Work) (plan.Result, error) {
	if w.Steps[w.At].Action.Tool != "program" {
		return a.planner.Act(ctx, w)
	}
	a.mu.Lock()
	a.ran = append(a.ran, w.Program)
	hinder := a.hinder
	a.mu.Unlock()
	if hinder != nil {
		if err := hinder(ctx); err != nil {
			return plan.Result{}, err
		}
	}
	if w.Program < fmt.Sprintf("program %d", a.works) {
		return plan.Result{Status: plan.Failed, Problem: "It did not work.", Trouble: &plan.Trouble{What: "no result of " + w.Program}}, nil
	}
	r, err := a.make(ctx, w)
	r.Program = w.Program
	return r, err
}

func (a *author) counts() (wrote int, ran []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.wrote, slices.Clone(a.ran)
}

// serves are pools of one worker each.
func serves(queues ...string) func(*jobs.Config) {
	return func(c *jobs.Config) {
		c.Pools = nil
		for _, q := range queues {
			c.Pools = append(c.Pools, jobs.Pool{Queues: map[string]int{q: 1}, Concurrency: 1})
		}
	}
}

// TestProgramIsWrittenFixedAndRunElsewhere: one process plans and writes, and another one, which cannot write, runs.
func TestProgramIsWrittenFixedAndRunElsewhere(t *testing.T) {
	t.Parallel()
	for works, want := range map[int]jobs.Status{1: jobs.Done, 2: jobs.Done, 3: jobs.Done, 4: jobs.Failed} {
		t.Run(fmt.Sprintf("it works from %d on", works), func(t *testing.T) {
			t.Parallel()
			enterBoth(t, func(h *house) {
				writer, runner := &author{planner: h.planner, works: works}, &author{planner: h.planner.other(), works: works}
				j := h.start(func(c *jobs.Config) { c.Agent = writer }, serves(jobs.QueueGateway, jobs.QueuePlan, jobs.QueueCPU))
				h.start(func(c *jobs.Config) { c.Agent, c.Adapters = runner, nil }, serves(jobs.QueueProgram))
				r := h.ask(j, h.says("t", "ann", "blur>program"))
				step := r.Runs[0].Steps[1]
				result := r.Runs[0].Results[step.Key]
				n := min(works, plan.MaxDrafts)
				if r.Runs[0].Status != want || result.Usage.Input != 10*n || result.Model != "scribe" || result.Trouble != nil {
					h.t.Errorf("the run is %s, the result %+v", r.Runs[0].Status, result)
				}
				var programs []string
				for i := range n {
					programs = append(programs, fmt.Sprintf("program %d", i+1))
				}
				if wrote, ran := writer.counts(); wrote != n || len(ran) > 0 {
					h.t.Errorf("the first process wrote %d programs and ran %q", wrote, ran)
				}
				var shown []plan.Draft
				for i, d := range programs {
					shown = append(shown, plan.Draft{Program: d, Model: "scribe", Usage: plan.Tokens{Input: 10}})
					if i+1 < works {
						shown[i].Trouble = &plan.Trouble{What: "no result of " + d}
					}
				}
				if diff := cmp.Diff(shown, step.Drafts); diff != "" {
					h.t.Errorf("shown are other drafts (-want +got):\n%s", diff)
				}
				if want := []int{0, 10, 20}[:n]; !slices.Equal(writer.spent, want) {
					h.t.Errorf("the drafts were written after %d tokens, want %d", writer.spent, want)
				}
				if wrote, ran := runner.counts(); wrote != 0 || !slices.Equal(ran, programs) {
					h.t.Errorf("the second process wrote %d programs and ran %q", wrote, ran)
				}
				for _, d := range writer.given[n-1] {
					if d.Trouble == nil || d.Trouble.What != "no result of "+d.Program {
						h.t.Errorf("the last draft was written after %+v", d)
					}
				}
			})
		})
	}
}

// TestStoredProgramIsNotWrittenAgain after its worker failed, or ended.
func TestStoredProgramIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	t.Run("the storage was away", func(t *testing.T) {
		t.Parallel()
		h := enter(t)
		a := &author{planner: h.planner, works: 1}
		a.hinder = func(context.Context) error {
			if _, ran := a.counts(); len(ran) == 1 {
				return jobs.ErrPassing
			}
			return nil
		}
		j := h.start(func(c *jobs.Config) { c.Agent = a }, serves(jobs.QueueGateway, jobs.QueuePlan, jobs.QueueCPU, jobs.QueueProgram))
		r := h.ask(j, h.says("t", "ann", "program"))
		if wrote, ran := a.counts(); r.Runs[0].Status != jobs.Done || wrote != 1 || !slices.Equal(ran, []string{"program 1", "program 1"}) {
			t.Errorf("it is %s: written %d times, run %q", r.Runs[0].Status, wrote, ran)
		}
	})
	t.Run("the process ended", func(t *testing.T) {
		t.Parallel()
		h := enter(t)
		entered := make(chan struct{})
		a := &author{planner: h.planner, works: 1, hinder: func(ctx context.Context) error {
			close(entered)
			<-ctx.Done()
			return ctx.Err()
		}}
		all := serves(jobs.QueueGateway, jobs.QueuePlan, jobs.QueueCPU, jobs.QueueProgram)
		j := h.process(func(c *jobs.Config) { c.Agent, c.Grace = a, 1 }, all)
		stop := h.run(j)
		id := h.handle(j, h.says("t", "ann", "program"))
		<-entered
		stop()
		second := &author{planner: h.planner.other(), works: 1}
		j = h.process(func(c *jobs.Config) { c.Agent = second }, all)
		if _, err := j.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.run(j)
		r := h.wait(j, id, 1)
		if wrote, ran := second.counts(); r.Runs[0].Status != jobs.Done || wrote != 0 || !slices.Equal(ran, []string{"program 1"}) {
			t.Errorf("it is %s: written again %d times, run %q", r.Runs[0].Status, wrote, ran)
		}
	})
}

// TestProgramCannotBeWritten ends its step at once; only transient errors are retried.
func TestProgramCannotBeWritten(t *testing.T) {
	t.Parallel()
	refused := &plan.Fault{Sentence: plan.Say("It cannot be done here: no model.")}
	unreadable := plan.Draft{Program: "{", Trouble: &plan.Trouble{What: "it is no JSON."}, Usage: plan.Tokens{Input: 10}}
	for name, c := range map[string]struct {
		writes func(n int) (plan.Draft, error)
		status jobs.Status
		wrote  int
		drafts int // number of shown drafts
		tokens int
		told   string
	}{
		"it is refused": {
			func(int) (plan.Draft, error) { return plan.Draft{Usage: plan.Tokens{Input: 7}}, refused },
			jobs.Failed, 1, 0, 7, "no model.",
		},
		"no answer can be read": {func(int) (plan.Draft, error) { return unreadable, nil }, jobs.Failed, 3, 3, 30, "did not work"},
		"the second answer can be read": {func(n int) (plan.Draft, error) {
			if n == 1 {
				return unreadable, nil
			}
			return plan.Draft{Program: "program 2", Usage: plan.Tokens{Input: 10}}, nil
		}, jobs.Done, 2, 2, 20, ""},
		"the model is away for a moment": {func(n int) (plan.Draft, error) {
			if n == 1 {
				return plan.Draft{}, errors.Join(jobs.ErrPassing, refused)
			}
			return plan.Draft{Program: "program 1"}, nil
		}, jobs.Done, 2, 1, 0, ""},
		"the model is away": {func(int) (plan.Draft, error) { return plan.Draft{}, errors.Join(jobs.ErrPassing, refused) }, jobs.Failed, 4, 0, 0, "no model."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			a := &author{planner: h.planner, works: 1, writes: c.writes}
			j := h.start(func(c *jobs.Config) { c.Agent = a }, serves(jobs.QueueGateway, jobs.QueuePlan, jobs.QueueCPU, jobs.QueueProgram))
			r := h.ask(j, h.says("t", "ann", "program"))
			result := slices.Collect(maps.Values(r.Runs[0].Results))[0]
			wrote, ran := a.counts()
			if drafts := r.Runs[0].Steps[0].Drafts; len(drafts) != c.drafts || c.drafts > 1 && drafts[0].Trouble == nil {
				t.Errorf("shown are the drafts %+v", drafts)
			}
			if r.Runs[0].Status != c.status || wrote != c.wrote || result.Usage.Input != c.tokens || !strings.Contains(result.Problem, c.told) {
				t.Errorf("it is %s, written %d times: %+v", r.Runs[0].Status, wrote, result)
			}
			if want := c.status == jobs.Done; (len(ran) > 0) != want {
				t.Errorf("run were %q", ran)
			}
		})
	}
}
