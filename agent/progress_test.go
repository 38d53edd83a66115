package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// TestProgress: every stage in which the planner works is reported before it begins, except forced ones.
func TestProgress(t *testing.T) {
	t.Parallel()
	edge, soften := tool("edge", plan.Edge, []plan.Type{plan.Image}), tool("soften", plan.Edge, []plan.Type{plan.Image})
	for name, c := range map[string]struct {
		tools int
		want  []plan.Stage
	}{
		"open":   {2, []plan.Stage{plan.Decomposing, plan.Assessing, plan.Searching, plan.Settling, plan.Responding}},
		"forced": {1, []plan.Stage{plan.Decomposing, plan.Searching, plan.Responding}},
	} {
		var heard []plan.Stage
		w := newWorld(t, &fakePlanner{decomposition: subtasks(wants(plan.Edge, photo)), scores: map[string]float64{"edge": 5, "soften": 4}},
			maker{"edge": draws, "soften": draws},
			agent.Config{Progress: func(request string, s plan.Stage) {
				if request != "r1" {
					t.Errorf("%s: the stage of %q", name, request)
				}
				heard = append(heard, s)
			}}, []toolbox.Tool{edge, soften}[:c.tools]...)
		p, err := w.Plan(t.Context(), request(photo))
		if err != nil {
			t.Fatal(err)
		}
		ran, err := run(t.Context(), w.Agent, request(photo), p, p.Best())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Respond(t.Context(), ran.account); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(heard, c.want) {
			t.Errorf("%s: %v", name, heard)
		}
	}
}

// spender is a planner that uses tokens and fails.
type spender struct{ fakePlanner }

func (*spender) Decompose(_ context.Context, _ plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	t.Jobs = append(t.Jobs, plan.Job{Name: "decompose", Calls: 2, Repairs: 1, Input: 900, Output: 100})
	return planner.Decomposition{}, &plan.Fault{Sentence: plan.Say("Please rephrase that.")}
}

// TestUnfinishedPlan: the cost of planning is reported even if it fails.
func TestUnfinishedPlan(t *testing.T) {
	t.Parallel()
	tools, err := toolbox.New(toolbox.Config{Catalogue: toolbox.NewCatalogue([]toolbox.Tool{tool("edge", plan.Edge, []plan.Type{plan.Image})})})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Planner: &spender{}, Toolbox: tools, AllTools: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Plan(t.Context(), request(photo))
	unfinished, ok := errors.AsType[*plan.UnfinishedError](err)
	if !ok || unfinished.Thinking.Tokens() != 1000 {
		t.Errorf("%v", err)
	}
	if got := plan.Sentence(err, plan.Message{}).String(); got != "Please rephrase that." {
		t.Errorf("people are told %q", got)
	}
}
