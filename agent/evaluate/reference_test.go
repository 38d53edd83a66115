package evaluate

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
)

func referenceCase(t *testing.T, subtasks string) Case {
	t.Helper()
	cases, err := ReadCases(input("r", `[{"id": "a", "level": "easy", "instruction": "do things to a.png and b.png", "subtasks": [`+subtasks+`]}]`), Input{})
	if err != nil {
		t.Fatal(err)
	}
	return cases[0]
}

func TestReference(t *testing.T) {
	t.Parallel()
	c := referenceCase(t, `
	 {"description": "caption", "task": "image-perception", "id": 3, "dep": [-1], "args": [{"type": "image", "value": "a.png"}], "returns": [{"type": "text", "value": "<GENERATED>-3"}]},
	 {"description": "find", "task": ["image-perception", "image-editing"], "id": 4, "dep": [], "args": [{"type": "image", "value": "b.png"}, {"type": "text", "value": "cat"}], "returns": [{"type": "bbox", "value": "<GENERATED>-4"}]},
	 {"description": "crop", "task": [], "id": 5, "dep": [4, 3], "args": [{"type": "image", "value": "lost.png"}, {"type": "bbox", "value": "<GENERATED>-4"}], "returns": [{"type": "image", "value": "<GENERATED>-5"}]},
	 {"description": "compare", "task": "question-answering", "id": 6, "dep": [3], "args": [{"type": "text", "value": "Does <GENERATED>-3 match <GENERATED>-4?"}, {"type": "text", "value": ""}], "returns": [{"type": "text", "value": "<GENERATED>-6"}]},
	 {"description": "both", "task": "x", "id": 7, "dep": [-1], "args": [{"type": "image", "value": "<GENERATED>-5, <GENERATED>-5"}], "returns": [{"type": "image", "value": "<GENERATED>-7"}]}`)
	got, err := c.Reference()
	if err != nil {
		t.Fatal(err)
	}
	want := []plan.Subtask{
		{Description: "caption", Domains: []string{"image-perception"}, Returns: plan.Text,
			Args: []plan.Arg{{Type: plan.Image, Source: plan.FromResource("a.png")}}},
		{Description: "find", Domains: []string{"image-perception", "image-editing"}, Returns: plan.BBox,
			Args: []plan.Arg{{Type: plan.Image, Source: plan.FromResource("b.png")}, {Type: plan.Text, Source: plan.FromValue("cat")}}},
		{Description: "crop", Domains: []string{}, Returns: plan.Image, After: []int{0, 1},
			Args: []plan.Arg{{Type: plan.Image, Source: plan.FromResource("b.png")}, {Type: plan.BBox, Source: plan.FromSubtask(1)}}},
		{Description: "compare", Domains: []string{"question-answering"}, Returns: plan.Text, After: []int{0, 1},
			Args: []plan.Arg{{Type: plan.Text, Source: plan.FromText("Does {0} match {1}?", plan.FromSubtask(0), plan.FromSubtask(1))}}},
		{Description: "both", Domains: []string{"x"}, Returns: plan.Image, After: []int{2},
			Args: []plan.Arg{{Type: plan.Image, Source: plan.FromSubtask(2)}, {Type: plan.Image, Source: plan.FromSubtask(2)}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestBadReference(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ subtasks, err string }{
		"none":            {``, "no decomposition"},
		"no return":       {`{"id": 0, "returns": []}`, "subtask 0: has 0 results"},
		"unknown return":  {`{"id": 0, "returns": [{"type": "smell"}]}`, `unknown resource type "smell"`},
		"unknown type":    {`{"id": 0, "args": [{"type": "smell", "value": "x"}], "returns": [{"type": "text"}]}`, `unknown resource type "smell"`},
		"after a later":   {`{"id": 0, "dep": [1], "returns": [{"type": "text"}]}`, "refers to subtask 1, which is not an earlier one"},
		"takes its own":   {`{"id": 0, "args": [{"type": "text", "value": "<GENERATED>-0"}], "returns": [{"type": "text"}]}`, "refers to subtask 0"},
		"huge number":     {`{"id": 0, "args": [{"type": "text", "value": "<GENERATED>-99999999999999999999"}], "returns": [{"type": "text"}]}`, "out of range"},
		"no such medium":  {`{"id": 0, "args": [{"type": "video", "value": "v.mp4"}], "returns": [{"type": "text"}]}`, `unknown video "v.mp4"`},
		"no such literal": {`{"id": 0, "args": [{"type": "mask", "value": "the dog"}], "returns": [{"type": "text"}]}`, `unknown mask "the dog"`},
	} {
		if _, err := referenceCase(t, c.subtasks).Reference(); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want %q", name, err, c.err)
		}
	}
}

type subtaskPlanner struct{ got []plan.Subtask }

func (p *subtaskPlanner) PlanSubtasks(_ context.Context, _ plan.Request, s []plan.Subtask) (*plan.Plan, error) {
	p.got = s
	return &plan.Plan{Reply: "ok"}, nil
}

func TestByReference(t *testing.T) {
	t.Parallel()
	c := referenceCase(t, `{"id": 0, "description": "d", "returns": [{"type": "text"}]}`)
	p := &subtaskPlanner{}
	planner := ByReference(p, []Case{c})
	if _, err := planner.Plan(t.Context(), c.Request); err != nil || len(p.got) != 1 || p.got[0].Description != "d" {
		t.Errorf("planned %v, %v", p.got, err)
	}
	if _, err := planner.Plan(t.Context(), plan.Request{ID: "other"}); err == nil {
		t.Error("a request without a reference was planned")
	}
}
