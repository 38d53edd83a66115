package agent_test

import (
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
)

func TestPlansHaveALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &fakePlanner{scores: map[string]float64{"edge": 5, "blur": 5}}, maker{"edge": draws, "blur": draws, "soften": draws}, agent.Config{},
		tool("edge", plan.Edge, img), tool("blur", plan.Image, []plan.Type{plan.Edge}))
	chain := func(n int) []plan.Subtask { // each blurs the result of the previous one
		subtasks := []plan.Subtask{wants(plan.Edge, photo)}
		for i := 1; i < n; i++ {
			s := plan.Subtask{Description: "go on", Returns: plan.Image, After: []int{i - 1}}
			s.Args = []plan.Arg{{Type: subtasks[i-1].Returns, Source: plan.FromSubtask(i - 1)}}
			if i%2 == 0 {
				s.Returns = plan.Edge
			}
			subtasks = append(subtasks, s)
		}
		return subtasks
	}
	p, err := w.PlanSubtasks(t.Context(), request(photo), chain(plan.MaxSteps))
	if err != nil {
		t.Fatal(err)
	}
	if steps, _, err := p.Steps(p.Best()); err != nil || len(steps) != plan.MaxSteps {
		t.Errorf("%d steps, %v", len(steps), err)
	}
	const want = "That is too much at once: it takes 65 steps, and I can do at most 64."
	_, err = w.PlanSubtasks(t.Context(), request(photo), chain(plan.MaxSteps+1))
	if got := plan.Sentence(err, plan.Message{}).String(); !strings.HasPrefix(got, want) {
		t.Errorf("planned: %v", err)
	}
	var tasks []plan.Task
	for i := range plan.MaxSteps + 1 {
		tasks = append(tasks, either(way(5, act("edge", plan.Edge, onPhoto, takes(plan.Text, plan.FromValue(strings.Repeat("x", i)))))))
	}
	long := planOf(tasks...)
	_, err = run(t.Context(), w.Agent, request(photo), long, long.Best())
	if got := plan.Sentence(err, plan.Message{}).String(); !strings.HasPrefix(got, want) {
		t.Errorf("run: %v", err)
	}
}
