package toolgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

func Example() {
	g, err := toolgraph.New(plan.Types(), []toolgraph.Tool{
		{Name: "find_objects", Domain: "perception", Args: []toolgraph.Arg{{Name: "image", Type: plan.Image}}, Returns: plan.BBox},
		{Name: "highlight", Domain: "editing", Args: []toolgraph.Arg{{Name: "image", Type: plan.Image}, {Name: "bbox", Type: plan.BBox}}, Returns: plan.Image},
		{Name: "blur", Domain: "editing", Args: []toolgraph.Arg{{Name: "image", Type: plan.Image}}, Returns: plan.Image},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	query := toolgraph.Query{
		Given: []toolgraph.Given{{Type: plan.Image, Source: plan.FromResource("photo.jpg")}},
		Goal:  plan.Image,
		K:     2,
	}
	fmt.Println(g.Candidates(query))
	scores := map[string]float64{"find_objects": 5, "highlight": 5, "blur": 3}
	found, err := g.Search(context.Background(), query, func(tool string) float64 { return scores[tool] }, toolgraph.BestFirst)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range found.Solutions {
		fmt.Printf("%.1f %v\n", s.Score, s.Tools())
	}
	// Output:
	// [blur find_objects highlight]
	// 5.0 [find_objects highlight]
	// 3.0 [blur]
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	image := []toolgraph.Arg{{Name: "image", Type: plan.Image}}
	for _, c := range []struct {
		name  string
		tools []toolgraph.Tool
		want  []error
	}{
		{"unknown type", []toolgraph.Tool{{Name: "a", Args: []toolgraph.Arg{{Name: "x", Type: "smell"}}, Returns: plan.Text}}, []error{toolgraph.ErrUnknownType}},
		{"unknown return", []toolgraph.Tool{{Name: "a", Args: image, Returns: "smell"}}, []error{toolgraph.ErrUnknownType}},
		{"duplicate", []toolgraph.Tool{{Name: "a", Args: image, Returns: plan.Text}, {Name: "a", Args: image, Returns: plan.Edge}}, []error{toolgraph.ErrDuplicate}},
		{"no arguments", []toolgraph.Tool{{Name: "a", Returns: plan.Text}}, []error{toolgraph.ErrNoArguments}},
		{"four optionals", []toolgraph.Tool{{Name: "a", Returns: plan.Text, Args: []toolgraph.Arg{
			{Name: "x", Type: plan.Text, Optional: true}, {Name: "y", Type: plan.Text, Optional: true},
			{Name: "z", Type: plan.Text, Optional: true}, {Name: "w", Type: plan.Text, Optional: true},
		}}}, []error{toolgraph.ErrOptionals}},
		{"unreachable", []toolgraph.Tool{{Name: "a", Args: []toolgraph.Arg{{Name: "x", Type: plan.Weather}}, Returns: plan.Text}}, []error{toolgraph.ErrUnreachable}},
		{"a circle that nothing enters", []toolgraph.Tool{
			{Name: "a", Args: []toolgraph.Arg{{Name: "x", Type: plan.Weather}}, Returns: plan.Location},
			{Name: "b", Args: []toolgraph.Arg{{Name: "x", Type: plan.Location}}, Returns: plan.Weather},
		}, []error{toolgraph.ErrUnreachable}},
		{"all at once", []toolgraph.Tool{
			{Name: "a", Returns: plan.Text},
			{Name: "b", Args: image, Returns: "smell"},
			{Name: "b", Args: image, Returns: plan.Text},
			{Name: "c", Args: []toolgraph.Arg{{Name: "x", Type: plan.Tags}}, Returns: plan.Text},
		}, []error{toolgraph.ErrNoArguments, toolgraph.ErrUnknownType, toolgraph.ErrDuplicate, toolgraph.ErrUnreachable}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := toolgraph.New(plan.Types(), c.tools)
			for _, want := range c.want {
				if !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
			}
		})
	}
}

func TestSubset(t *testing.T) {
	t.Parallel()
	g := controlllm(t)
	live := g.Subset(func(tool string) bool { return tool != "object_detection" && tool != "visual_grounding" })
	q := toolgraph.Query{Given: photoAndText.Given[:1], Goal: plan.BBox}
	if names := live.Candidates(q); len(names) != 0 {
		t.Errorf("candidates %v, want none: no tool returns boxes", names)
	}
	if _, ok := live.Tool("select_bbox"); !ok {
		t.Error("an unreachable tool is not in the subset")
	}
	if names := g.Candidates(q); len(names) == 0 {
		t.Error("Subset changed the original graph")
	}
}

func TestInvalidQuery(t *testing.T) {
	t.Parallel()
	g := controlllm(t)
	photo := toolgraph.Given{Type: plan.Image, Source: plan.FromResource("photo.jpg")}
	many := make([]toolgraph.Given, 65)
	for i := range many {
		many[i] = toolgraph.Given{Type: plan.Image, Source: plan.FromSubtask(i)}
	}
	for name, q := range map[string]toolgraph.Query{
		"no goal":            {Given: []toolgraph.Given{photo}},
		"unknown given":      {Given: []toolgraph.Given{{Type: "smell", Source: photo.Source}}, Goal: plan.Text},
		"blank given":        {Given: []toolgraph.Given{{Type: plan.Text}}, Goal: plan.Text},
		"an action as given": {Given: []toolgraph.Given{{Type: plan.Text, Source: plan.FromAction(0)}}, Goal: plan.Text},
		"negative":           {Given: []toolgraph.Given{photo}, Goal: plan.Text, K: -1},
		"too many actions":   {Given: []toolgraph.Given{photo}, Goal: plan.Text, MaxActions: 65},
		"too many givens":    {Given: many, Goal: plan.Text},
		"an empty chain":     {Given: []toolgraph.Given{photo}, Goal: plan.Text, Made: []plan.Solution{{}}},
		"a chain in a circle": {Given: []toolgraph.Given{photo}, Goal: plan.Text, Made: []plan.Solution{{Actions: []plan.Action{
			{Tool: "a", Returns: plan.Text, Args: []plan.Binding{{Arg: "x", Source: plan.FromAction(0)}}},
		}}}},
	} {
		if _, err := g.Search(t.Context(), q, nil, toolgraph.BestFirst); !errors.Is(err, toolgraph.ErrQuery) {
			t.Errorf("%s: got %v", name, err)
		}
		if names := g.Candidates(q); names != nil {
			t.Errorf("%s: candidates %v", name, names)
		}
	}
	if _, err := g.Search(t.Context(), photoAndText, nil, toolgraph.Strategy(99)); !errors.Is(err, toolgraph.ErrQuery) {
		t.Errorf("unknown strategy: got %v", err)
	}
}

// countdown is a context that ends when it has been asked a number of times.
type countdown struct {
	context.Context //nolint:containedctx // countdown is a context
	left            int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestSearchStopsWithItsContext(t *testing.T) {
	t.Parallel()
	g := controlllm(t)
	q := photoAndText
	q.K = 10_000
	for _, s := range []toolgraph.Strategy{toolgraph.BestFirst, toolgraph.Adaptive, toolgraph.Exhaustive} {
		for _, after := range []int{0, 1} {
			ctx := &countdown{Context: t.Context(), left: after}
			if found, err := g.Search(ctx, q, nil, s); !errors.Is(err, context.Canceled) || found.Solutions != nil {
				t.Errorf("%s after %d: got %v, %d solutions", s, after, err, len(found.Solutions))
			}
		}
	}
}

func TestStrategyNames(t *testing.T) {
	t.Parallel()
	for _, s := range strategies {
		if got, err := toolgraph.ParseStrategy(s.String()); err != nil || got != s {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	if _, err := toolgraph.ParseStrategy("random"); err == nil {
		t.Error("an unknown strategy was accepted")
	}
}

func controlllm(t *testing.T) *toolgraph.Graph {
	t.Helper()
	tools, err := readToolbox("testdata/controlllm.txt")
	if err != nil {
		t.Fatal(err)
	}
	g, err := toolgraph.New(plan.Types(), tools)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
