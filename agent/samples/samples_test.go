package samples_test

import (
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/rules"
	"atelier/agent/samples"
	"atelier/agent/toolbox"
)

// TestSamples: each sample is understood, and is done by the tool that is named.
func TestSamples(t *testing.T) {
	t.Parallel()
	tools, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	planner, err := rules.New(rules.Config{Catalogue: tools})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples.All() {
		t.Run(s.Wish, func(t *testing.T) {
			t.Parallel()
			tool, ok := tools.Tool(s.Tool)
			if !ok {
				t.Fatalf("there is no tool %s", s.Tool)
			}
			if slices.ContainsFunc(samples.All(), func(o samples.Sample) bool { return o.Tool == s.Tool && o.Wish != s.Wish }) {
				t.Error("its key is that of another one too")
			}
			var given []plan.Resource
			for _, a := range tool.Args {
				if a.Type.Media() && !a.Optional {
					given = append(given, plan.Resource{Name: "a." + string(a.Type), Type: a.Type, Blob: "a"})
				}
			}
			if len(given) > 1 {
				t.Errorf("it needs %d files, and there is one to try it with", len(given))
			}
			d, err := planner.Decompose(t.Context(), plan.Request{Wish: s.Wish, Given: given}, nil)
			if err != nil || len(d.Subtasks) != 1 || d.Subtasks[0].Tool != s.Tool || len(d.Left) > 0 {
				t.Errorf("it is understood as %+v, %v", d, err)
			}
		})
	}
}

// TestLive: what cannot run is not shown.
func TestLive(t *testing.T) {
	t.Parallel()
	all := samples.Live(func(string) bool { return true }, 3)
	without := samples.Live(func(tool string) bool { return tool != samples.All()[0].Tool }, 3)
	if len(all) != 3 || slices.Contains(without, all[0]) || !slices.Contains(without, all[1]) {
		t.Errorf("all: %v; without the first: %v", all, without)
	}
	if none := samples.Live(func(string) bool { return false }, 3); len(none) > 0 {
		t.Errorf("nothing runs: %q", none)
	}
}
