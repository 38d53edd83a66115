package agent_test

import (
	"context"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
)

// TestActGuarantees: a backend gets its tool's result type and the request, and the result names the model used.
func TestActGuarantees(t *testing.T) {
	t.Parallel()
	var heard toolbox.Call
	ops := maker{"guess": func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
		heard = c
		return toolbox.Output{Value: "a guess", Model: "guesser-2"}, nil
	}}
	w := newWorld(t, &fakePlanner{}, ops, agent.Config{}, tool("guess", plan.Title, []plan.Type{plan.Text}))
	action := plan.Action{Tool: "guess", Args: []plan.Binding{{Arg: "a", Type: plan.Text, Source: plan.FromValue("x")}}, Returns: plan.Title}
	steps := []plan.Step{{Key: "k", Action: action, Final: true}}
	r := w.Act(t.Context(), step.Work{Request: request(), Steps: steps, Memory: step.NewMemory(nil)})
	if r.Status != plan.Done || r.Model != "guesser-2" || r.Candidate != "native:guess" {
		t.Errorf("the result is %+v", r)
	}
	if heard.Returns != plan.Title || heard.Request != "r1" || heard.Tool != "guess" {
		t.Errorf("the backend heard %+v", heard)
	}
}

// TestActCounts: a result includes the model usage of its tools, even if it failed.
func TestActCounts(t *testing.T) {
	t.Parallel()
	took := plan.Tokens{Calls: 2, Input: 70, Output: 7}
	for value, want := range map[string]plan.Status{"a guess": plan.Done, "": plan.Failed} {
		ops := maker{"guess": func(context.Context, toolbox.Call) (toolbox.Output, error) {
			out := toolbox.Output{Value: value, Usage: took}
			if value == "" {
				return out, &plan.Fault{Sentence: plan.Say("I cannot guess.")}
			}
			return out, nil
		}}
		w := newWorld(t, &fakePlanner{}, ops, agent.Config{}, tool("guess", plan.Title, []plan.Type{plan.Text}))
		action := plan.Action{Tool: "guess", Args: []plan.Binding{{Arg: "a", Type: plan.Text, Source: plan.FromValue("x")}}, Returns: plan.Title}
		steps := []plan.Step{{Key: "k", Action: action, Final: true}}
		r := w.Act(t.Context(), step.Work{Request: request(), Steps: steps, Memory: step.NewMemory(nil)})
		if r.Status != want || r.Usage != took {
			t.Errorf("the result is %+v", r)
		}
	}
}
