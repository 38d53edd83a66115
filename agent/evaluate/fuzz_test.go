package evaluate

import (
	"strings"
	"testing"

	"atelier/agent/plan"
)

// FuzzReadCases checks that any files yield valid cases, or an error that names the file.
func FuzzReadCases(f *testing.F) {
	f.Add("["+goodRequest+"]", goodGold)
	f.Add(runRequests, runGold)
	f.Add(`[{"id": "a", "level": "hard", "instruction": "x.png", "subtasks": [{"id": 0, "task": "t", "args": [{"type": "text", "value": "<GENERATED>-0"}], "returns": [{"type": "text"}]}]}]`, "")
	f.Add(`[{"id": "a", "level": "hard", "instruction": "x.png", "thread": {"question": null}}]`, `{"id": "a", "expect": "reply", "attached": [["x"], {"y": "hed"}]}`)
	f.Add("[", "{")
	f.Fuzz(func(t *testing.T, requests, gold string) {
		in := input("gold-file", gold)
		if gold == "" {
			in = Input{}
		}
		cases, err := ReadCases(input("request-file", requests), in)
		if err != nil {
			if !strings.Contains(err.Error(), "-file") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, c := range cases {
			seen := map[string]bool{}
			for _, r := range c.Request.Resources() {
				if r.Type == "" || r.Name == "" || seen[r.Name] {
					t.Errorf("%s: bad resource %+v", c.ID, r)
				}
				seen[r.Name] = true
			}
			subtasks, err := c.Reference()
			if err == nil {
				checkSubtasks(t, subtasks)
			}
			if c.Gold != nil {
				judge(c, answer{plan: &plan.Plan{}}, nil)
				judge(c, readPlan(t, "task image\n paint image:image=x.png words:text=\"a\" -> image"), nil)
			}
		}
	})
}

func checkSubtasks(t *testing.T, subtasks []plan.Subtask) {
	t.Helper()
	for i, s := range subtasks {
		for _, a := range s.Args {
			for _, leaf := range a.Source.Leaves() {
				if leaf.Kind == plan.OfSubtask && leaf.Index >= i {
					t.Errorf("subtask %d uses the result of %d", i, leaf.Index)
				}
			}
		}
	}
}

// FuzzReadTaskBench checks the same for TaskBench's tools and plans.
func FuzzReadTaskBench(f *testing.F) {
	f.Add(benchTools, benchPlans)
	f.Add(`{"nodes": [{}]}`, "{}")
	f.Add(`{"nodes": [{"id": "a", "desc": "b", "input-type": ["text"], "output-type": ["Image"]}]}`, `{"id": "1", "type": "dag", "user_request": "u", "task_nodes": [{"task": "a"}], "task_links": [{"source": "a", "target": "a"}]}`)
	f.Fuzz(func(t *testing.T, tools, plans string) {
		if read, err := ReadTools(input("tool-file", tools)); err == nil {
			for _, tool := range read {
				if tool.Name == "" || tool.Returns == "" || len(tool.Args) == 0 {
					t.Errorf("bad tool %+v", tool)
				}
			}
		} else if !strings.Contains(err.Error(), "tool-file") {
			t.Errorf("the error does not name the file: %v", err)
		}
		read, err := ReadPlans(input("plan-file", plans))
		if err != nil && !strings.Contains(err.Error(), "plan-file") {
			t.Errorf("the error does not name the file: %v", err)
		}
		for _, l := range read {
			if got := sequence(l.Nodes, l.Links); len(got) != len(l.Nodes) {
				t.Errorf("%v became %v", l.Nodes, got)
			}
		}
		if _, err := ReadWishes(input("wish-file", plans)); err != nil && !strings.Contains(err.Error(), "wish-file") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}
