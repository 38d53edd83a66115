package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/jobs"
)

func TestDiamondRunsInParallel(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	value := func(v string) []plan.Binding {
		return []plan.Binding{{Arg: "in", Type: plan.Text, Source: plan.FromValue(v)}}
	}
	const width = 8 // the number of workers
	s := plan.Solution{Score: 5, Actions: []plan.Action{{Tool: "top", Returns: plan.Text, Args: value("x")}}}
	last := plan.Action{Tool: "bottom", Returns: plan.Text}
	for i := range width {
		s.Actions = append(s.Actions, plan.Action{
			Tool: fmt.Sprintf("side%d", i), Returns: plan.Text, Args: []plan.Binding{{Arg: "in", Type: plan.Text, Source: plan.FromAction(0)}},
		})
		last.Args = append(last.Args, plan.Binding{Arg: fmt.Sprintf("in%d", i), Type: plan.Text, Source: plan.FromAction(i + 1)})
	}
	s.Actions = append(s.Actions, last)
	h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) {
		return &plan.Plan{Tasks: []plan.Task{{Subtask: plan.Subtask{Returns: plan.Text}, Solutions: []plan.Solution{s}}}}, nil
	}
	g := newGate()
	for i := range width {
		h.planner.set(fmt.Sprintf("side%d", i), func(ctx context.Context, _ jobs.Work) (plan.Result, error) { return plan.Result{}, g.pass(ctx) })
	}
	id := h.handle(j, h.says("t", "ann", "all of it"))
	for range width {
		<-g.entered // all at once: none continues before the last one has arrived
	}
	if h.planner.count("bottom") != 0 {
		t.Error("the last one began before its inputs")
	}
	close(g.open)
	r := h.wait(j, id, 1)
	if r.Runs[0].Status != jobs.Done || h.planner.count("top") != 1 || h.planner.count("bottom") != 1 || len(r.Runs[0].Made) != width+2 {
		t.Errorf("the run is %s, it made %d", r.Runs[0].Status, len(r.Runs[0].Made))
	}
}

func TestWidePlan(t *testing.T) {
	t.Parallel()
	h := enter(t)
	one, two := h.start(), h.start()
	var tools []string
	for i := range 40 {
		tools = append(tools, fmt.Sprintf("tool%d", i))
	}
	r := h.wait(two, h.handle(one, h.says("t", "ann", strings.Join(tools, ";"))), 1)
	if r.Runs[0].Status != jobs.Done {
		t.Errorf("the run is %s", r.Runs[0].Status)
	}
	for _, tool := range tools {
		if n := h.planner.count(tool); n != 1 {
			t.Errorf("%s ran %d times", tool, n)
		}
	}
}

func TestFailedStepUsesAlternative(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.fails("bad", "It is bad.", false)
	h.planner.fails("worse", "It is worse.", false)
	r := h.ask(j, h.says("t", "ann", "first>bad|first>worse>x|first>good; other"))
	told := h.told(r)
	if r.Runs[0].Status != jobs.Done || !strings.Contains(told, "It is bad. So I did it another way.") ||
		!strings.Contains(told, "It is worse. So I did it another way.") {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, told)
	}
	if h.planner.count("first") != 1 || h.planner.count("x") != 0 || h.planner.count("other") != 1 {
		t.Errorf("first ran %d times, x %d times, other %d times", h.planner.count("first"), h.planner.count("x"), h.planner.count("other"))
	}
}

func TestRunWithoutAlternativesFails(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.fails("bad", "It is bad.", false)
	h.planner.fails("worse", "It is worse.", false)
	r := h.ask(j, h.says("t", "ann", "bad|worse"))
	if told := h.told(r); r.Runs[0].Status != jobs.Failed || !strings.Contains(told, "It is worse.") {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, told)
	}
}

func TestPermanentRefusalHasNoAlternative(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	h.planner.fails("bad", "There is no umbrella.", true)
	r := h.ask(j, h.says("t", "ann", "bad|good"))
	if told := h.told(r); r.Runs[0].Status != jobs.Failed || !strings.Contains(told, "There is no umbrella.") || h.planner.count("good") != 0 {
		t.Errorf("the run is %s: %q", r.Runs[0].Status, told)
	}
}
