package toolgraph_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

// tb has the methods of *testing.T and *rapid.T that are used here.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

var _ tb = (*testing.T)(nil)

// check checks the guarantees for the solutions of every strategy.
func check(t tb, q toolgraph.Query, g *toolgraph.Graph, found toolgraph.Found) {
	t.Helper()
	if k := q.K; k > 0 && len(found.Solutions) > k {
		t.Errorf("%d solutions, want at most %d", len(found.Solutions), k)
	}
	if c := q.VisitCap; c > 0 && found.Visited > c {
		t.Errorf("%d visits, the cap is %d", found.Visited, c)
	}
	p := asPlan(q, found.Solutions)
	if err := p.Validate(); err != nil {
		t.Errorf("not a valid plan: %v", err)
	}
	seen := map[string]bool{}
	for _, s := range found.Solutions {
		line := render(s)
		if seen[line] {
			t.Errorf("duplicate solution: %s", line)
		}
		seen[line] = true
		if err := holds(q, g, s); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// asPlan returns a plan with the solutions, in which all givens exist.
func asPlan(q toolgraph.Query, solutions []plan.Solution) *plan.Plan {
	p := &plan.Plan{}
	for _, g := range q.Given {
		r := plan.Resource{Name: g.Source.Name, Type: g.Type}
		if g.Source.Kind == plan.OfResource && !slices.Contains(p.Resources, r) {
			p.Resources = append(p.Resources, r)
		}
		if g.Source.Kind == plan.OfSubtask {
			for len(p.Tasks) <= g.Source.Index {
				p.Tasks = append(p.Tasks, plan.Task{Subtask: plan.Subtask{Returns: plan.Text}})
			}
			p.Tasks[g.Source.Index].Subtask.Returns = g.Type
		}
	}
	p.Tasks = append(p.Tasks, plan.Task{Subtask: plan.Subtask{Returns: q.Goal}, Solutions: solutions})
	return p
}

// holds checks a solution, apart from its types.
func holds(q toolgraph.Query, g *toolgraph.Graph, s plan.Solution) error {
	last := len(s.Actions) - 1
	if last < 0 {
		return errors.New("it is empty")
	}
	if s.Score < 1 || s.Score > 5 {
		return fmt.Errorf("its score is %v", s.Score)
	}
	if s.Actions[last].Returns != q.Goal {
		return fmt.Errorf("it returns %s, want %s", s.Actions[last].Returns, q.Goal)
	}
	limit := q.MaxActions
	if limit == 0 {
		limit = toolgraph.DefaultMaxActions
	}
	for _, chain := range q.Made {
		limit += len(chain.Actions)
	}
	if len(s.Actions) > limit {
		return fmt.Errorf("it has %d actions", len(s.Actions))
	}
	used := map[int]bool{last: true}
	for i := last; i >= 0; i-- {
		if !used[i] {
			return fmt.Errorf("nothing uses action %d", i+1)
		}
		for _, b := range s.Actions[i].Args {
			if b.Source.Kind == plan.OfAction {
				used[b.Source.Index] = true
			}
		}
		if err := shaped(q, g, s.Actions[i]); err != nil {
			return err
		}
	}
	return usesGiven(q, s)
}

// shaped checks that the action has the arguments of its tool, in order.
func shaped(q toolgraph.Query, g *toolgraph.Graph, a plan.Action) error {
	tool, ok := g.Tool(a.Tool)
	if !ok {
		return fmt.Errorf("unknown tool %s", a.Tool)
	}
	args := a.Args
	for _, want := range tool.Args {
		n := 0
		for n < len(args) && args[n].Arg == want.Name && args[n].Type == want.Type {
			n++
		}
		if n == 0 || n > 1 && !want.Many {
			return fmt.Errorf("%s has %d values for %s", a.Tool, n, want.Name)
		}
		for _, b := range args[:n] {
			leftOut := b.Source.Kind == plan.Blank && len(b.Options) == 0
			if b.Optional != leftOut || leftOut && !want.Optional {
				return fmt.Errorf("%s omits %s", a.Tool, want.Name)
			}
			several := slices.ContainsFunc(q.Given, func(g toolgraph.Given) bool { return g.Several && g.Source.Equal(b.Source) })
			if want.Many && !leftOut && n < 2 && !several {
				return fmt.Errorf("%s takes only %d of several", a.Tool, n)
			}
		}
		args = args[n:]
	}
	if len(args) > 0 {
		return fmt.Errorf("%s has extra arguments", a.Tool)
	}
	return nil
}

// usesGiven checks that every required given can be used: each one that is no argument must be an option of a blank
// of its own.
func usesGiven(q toolgraph.Query, s plan.Solution) error {
	var blanks [][]plan.Source
	bound := func(src plan.Source) bool {
		for _, a := range s.Actions {
			for _, b := range a.Args {
				if same(b.Source, src) {
					return true
				}
			}
		}
		return false
	}
	for _, a := range s.Actions {
		for _, b := range a.Args {
			if len(b.Options) > 0 {
				blanks = append(blanks, b.Options)
			}
		}
	}
	for _, g := range q.Given {
		if g.Optional || bound(g.Source) {
			continue
		}
		at := slices.IndexFunc(blanks, func(options []plan.Source) bool {
			return slices.ContainsFunc(options, func(o plan.Source) bool { return same(o, g.Source) })
		})
		if at < 0 {
			return fmt.Errorf("%s is not used", g.Source)
		}
		blanks = slices.Delete(blanks, at, at+1)
	}
	return nil
}

func same(a, b plan.Source) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Value == b.Value && a.Index == b.Index
}
