package rules_test

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// TestRespond checks that results are described by package wording, and that conversation is passed on unchanged.
func TestRespond(t *testing.T) {
	t.Parallel()
	edges := plan.Resource{Name: "photo-3f2a.edge-91bc.png", File: "photo-edges.png", Type: plan.Edge}
	made := planner.Account{
		Plan:    &plan.Plan{Tasks: []plan.Task{{}}},
		Steps:   []plan.Step{{Final: true, Action: plan.Action{Tool: "image_to_edge", Returns: plan.Edge, Args: []plan.Binding{{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo.jpg")}}}}},
		Results: []plan.Result{{Status: plan.Done, Output: &edges}},
	}
	for want, a := range map[string]planner.Account{
		"Here is the edge map of photo.jpg.": made,
		"Which one?":                         {Plan: &plan.Plan{Question: "Which one?"}},
		"Hello!":                             {Plan: &plan.Plan{Reply: "Hello!"}},
	} {
		got, err := thePlanner(t).Respond(t.Context(), a, nil)
		if err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
