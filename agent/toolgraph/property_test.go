package toolgraph_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

var (
	someTypes  = []plan.Type{plan.Text, plan.Image, plan.Edge, plan.Mask, plan.Audio, "thing"}
	strategies = []toolgraph.Strategy{toolgraph.BestFirst, toolgraph.Greedy, toolgraph.Beam, toolgraph.Adaptive, toolgraph.Exhaustive}
)

// world is a random toolbox with a query and scores.
type world struct {
	tools  []toolgraph.Tool
	query  toolgraph.Query
	scores map[string]float64
}

func (w world) score(tool string) float64 { return w.scores[tool] }

func worlds(maxTools, maxActions int) *rapid.Generator[world] {
	return rapid.Custom(func(t *rapid.T) world {
		w := world{scores: map[string]float64{}}
		types := rapid.SampledFrom(someTypes[:rapid.SampledFrom([]int{2, 3, 3, 4, 6}).Draw(t, "types")])
		meanings := rapid.SampledFrom([]plan.Meaning{"", "", plan.Query, plan.Content})
		chance := func(n int, what string) bool { return rapid.IntRange(1, n).Draw(t, what) == n }
		for i := range rapid.IntRange(min(3, maxTools), maxTools).Draw(t, "tools") {
			tool := toolgraph.Tool{Name: fmt.Sprintf("t%d", i), Returns: types.Draw(t, "returns")}
			tool.Domain = rapid.SampledFrom([]string{"a", "b", toolgraph.General}).Draw(t, "domain")
			for j := range rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3}).Draw(t, "args") {
				tool.Args = append(tool.Args, toolgraph.Arg{
					Name: fmt.Sprintf("a%d", j), Type: types.Draw(t, "type"), Means: meanings.Draw(t, "means"),
					Optional: chance(5, "optional"), Many: chance(8, "many"),
				})
			}
			w.tools = append(w.tools, tool)
			w.scores[tool.Name] = float64(rapid.IntRange(1, 5).Draw(t, "score"))
		}
		for i := range rapid.SampledFrom([]int{1, 2, 2, 3}).Draw(t, "given") {
			w.query.Given = append(w.query.Given, toolgraph.Given{
				Type: types.Draw(t, "type"), Source: plan.FromResource(fmt.Sprintf("g%d", i)), Means: meanings.Draw(t, "means"), Optional: chance(4, "optional"), Several: chance(6, "several"),
			})
		}
		if chance(8, "domains") {
			w.query.Domains = []string{"a"}
		}
		w.query.Goal = rapid.SampledFrom(w.tools).Draw(t, "goal").Returns
		w.query.MaxActions = rapid.IntRange(2, maxActions).Draw(t, "actions")
		w.query.K = rapid.IntRange(1, 30).Draw(t, "k")
		w.query.VisitCap = 20_000
		return w
	})
}

func (w world) graph(t tb) *toolgraph.Graph {
	g, err := toolgraph.New(someTypes, w.tools)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return g
}

func (w world) search(t tb, g *toolgraph.Graph, s toolgraph.Strategy) toolgraph.Found {
	t.Helper()
	found, err := g.Search(context.Background(), w.query, w.score, s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	check(t, w.query, g, found)
	return found
}

// TestBestFirstIsOptimal checks that the first solution is the best of all, and the others with [world.besides].
func TestBestFirstIsOptimal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds(8, 4).Draw(t, "world")
		all, ok := brute(w.tools, w.query, w.score)
		found := w.search(t, w.graph(t), toolgraph.BestFirst)
		if found.Capped || !ok {
			return
		}
		if len(found.Solutions) == 0 {
			if len(all) > 0 {
				t.Fatalf("no solution, brute force finds %d", len(all))
			}
			return
		}
		costs := make([]float64, len(found.Solutions))
		for i, s := range found.Solutions {
			form := solutionForm(s, w.tools, w.query)
			cost, ok := all[form]
			if !ok {
				t.Fatalf("brute force does not find %s", form)
			}
			costs[i] = cost
		}
		if least := slices.Min(slices.Collect(maps.Values(all))); costs[0] != least || !slices.IsSorted(costs) {
			t.Fatalf("costs %v, the best is %v", costs, least)
		}
		w.besides(t, found.Solutions, all)
	})
}

// besides checks the guarantees for the alternatives to the best solution.
func (w world) besides(t tb, found []plan.Solution, all map[string]float64) {
	used := map[string]bool{}
	for i, s := range found {
		tools := s.Tools()
		last := tools[len(tools)-1]
		needed := i == 0 || w.score(last) >= 4 && !used[last]
		for _, tool := range tools {
			used[tool] = true
			if !needed && w.score(tool) < 3 {
				t.Errorf("%s has a low score: %s", tool, render(s))
			}
		}
		for _, cheaper := range found[:i] {
			if !needed && subset(cheaper.Tools(), tools) && w.misfits(cheaper) <= w.misfits(s) {
				t.Errorf("%s contains %s", render(s), render(cheaper))
			}
			if subset(cheaper.Tools(), tools) && subset(tools, cheaper.Tools()) {
				t.Errorf("%s and %s use the same tools", render(s), render(cheaper))
			}
		}
	}
	if len(found) == w.query.K {
		return
	}
	for form := range all {
		tools := toolsOf(form)
		if last := tools[len(tools)-1]; w.score(last) >= 4 && !used[last] {
			t.Errorf("%s is in none of the solutions, but could end %s", last, form)
		}
	}
}

// misfits counts the arguments whose source has a more specific type than required.
func (w world) misfits(s plan.Solution) int {
	n := 0
	for _, a := range s.Actions {
		tool := w.tools[slices.IndexFunc(w.tools, func(t toolgraph.Tool) bool { return t.Name == a.Tool })]
		for _, b := range a.Args {
			if slices.ContainsFunc(tool.Args, func(arg toolgraph.Arg) bool { return arg.Name == b.Arg && arg.Many }) {
				continue
			}
			source := append(b.Options, b.Source)[0]
			for _, g := range w.query.Given {
				if same(g.Source, source) && g.Type != b.Type {
					n++
				}
			}
			if source.Kind == plan.OfAction && s.Actions[source.Index].Returns != b.Type {
				n++
			}
		}
	}
	return n
}

// subset reports whether all contains every element of some.
func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
}

// toolsOf lists the tools of a form, see [term.form].
func toolsOf(form string) []string {
	var tools []string
	for action := range strings.SplitSeq(form, ";") {
		name, _, _ := strings.Cut(action, "(")
		tools = append(tools, name)
	}
	return tools
}

// TestEveryStrategy checks that brute force also finds each strategy's solutions, that they are in order, and that
// none is better than that of best-first.
func TestEveryStrategy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds(8, 4).Draw(t, "world")
		g := w.graph(t)
		all, ok := brute(w.tools, w.query, w.score)
		if !ok {
			return
		}
		best := w.search(t, g, toolgraph.BestFirst)
		for _, s := range strategies {
			found := w.search(t, g, s)
			last := 0.0
			for i, solution := range found.Solutions {
				cost, ok := all[solutionForm(solution, w.tools, w.query)]
				if !ok {
					t.Fatalf("%s: brute force does not find %s", s, render(solution))
				}
				if cost < last {
					t.Fatalf("%s: solution %d is better than the one before it", s, i+1)
				}
				if last = cost; !best.Capped && cost < all[solutionForm(best.Solutions[0], w.tools, w.query)] {
					t.Fatalf("%s is better than best-first: %s", s, render(solution))
				}
			}
		}
	})
}

// TestPruningKeepsSolutions checks that pruning to the candidates loses no solution.
func TestPruningKeepsSolutions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds(8, 4).Draw(t, "world")
		candidates := w.graph(t).Candidates(w.query)
		if !slices.IsSorted(candidates) {
			t.Fatalf("not sorted: %v", candidates)
		}
		kept := slices.DeleteFunc(slices.Clone(w.tools), func(tool toolgraph.Tool) bool {
			return !slices.Contains(candidates, tool.Name)
		})
		all, ok := brute(w.tools, w.query, w.score)
		if !ok {
			return
		}
		if left, _ := brute(kept, w.query, w.score); len(all) != len(left) {
			t.Fatalf("%d solutions, %d after pruning", len(all), len(left))
		}
	})
}

// TestLargeWorlds checks the guarantees on toolboxes that are too large for brute force, with chains that run in any
// case.
func TestLargeWorlds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, large)
}

func FuzzSearch(f *testing.F) { f.Fuzz(rapid.MakeFuzz(large)) }

func large(t *rapid.T) {
	w := worlds(30, 8).Draw(t, "world")
	g := w.graph(t)
	w.query.VisitCap = rapid.IntRange(1, 2000).Draw(t, "cap")
	for range rapid.IntRange(0, 2).Draw(t, "made") {
		earlier := w
		earlier.query.Goal = rapid.SampledFrom(someTypes).Draw(t, "earlier goal")
		found := earlier.search(t, g, toolgraph.BestFirst)
		for _, s := range found.Solutions[:min(1, len(found.Solutions))] {
			if len(s.Blanks()) == 0 {
				w.query.Made = append(w.query.Made, s)
			}
		}
	}
	for _, s := range strategies {
		w.search(t, g, s)
	}
}
