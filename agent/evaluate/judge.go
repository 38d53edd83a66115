package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// verdict is the judgement of one plan.
type verdict struct {
	solved, strict bool
	// necessary: the plan contains an accepted set of tools for every goal, wiring aside.
	//
	// irrelevant: it contains a tool that no goal accepts and that is not allowed.
	//
	// hallucinated: an argument is neither given nor made.
	//
	// coherent: every argument has the type that its tool requires.
	necessary, irrelevant, hallucinated, coherent bool
	// why lists the faults in words.
	why []string
}

// judge judges the answer to a case with a judgement.
func judge(c Case, a answer, tools *toolbox.Catalogue) verdict {
	g := c.Gold
	v := verdict{coherent: true}
	if a.plan != nil && a.err == nil {
		v.rates(c, a.plan, tools)
	}
	if want := g.expect(); want != expectPlan && (!g.Foreign || a.kind() != expectPlan) {
		v.solved = a.kind() == want
		v.strict = v.solved
		v.necessary = v.solved
		if !v.solved {
			v.insteadOf(want, a)
		}
		return v
	}
	if a.kind() != expectPlan {
		v.necessary = false
		v.insteadOf(expectPlan, a)
		return v
	}
	steps, _, err := a.plan.Steps(a.plan.Best())
	if err != nil {
		v.sayf("the plan has no valid steps: %v", err)
		return v
	}
	lenient := newBench(g, steps, c.Request, tools, false)
	strict := newBench(g, steps, c.Request, tools, true)
	v.solved, v.strict = true, true
	for i, goal := range g.Goals {
		if len(lenient.solvers(i)) == 0 {
			v.solved = false
			v.sayf("goal %d (%s): %s", i+1, goal.Want, lenient.shortfall(i))
		}
		if len(strict.solvers(i)) == 0 {
			v.strict = false
		}
	}
	return v
}

func (v *verdict) sayf(format string, args ...any) {
	v.why = append(v.why, fmt.Sprintf(format, args...))
}

// insteadOf records that the answer is of the wrong kind.
func (v *verdict) insteadOf(right string, a answer) {
	if a.err != nil {
		v.sayf("expected a %s, got a %s: %v", right, a.kind(), a.err)
	} else {
		v.sayf("expected a %s, got a %s", right, a.kind())
	}
}

// bench holds a plan while its goals are being judged.
type bench struct {
	gold   *Gold
	steps  []plan.Step
	tools  *toolbox.Catalogue // if nil, former names are unknown
	given  map[string]plan.Resource
	strict bool
	feeds  [][]int       // for each step: every step that it depends on, then itself
	solved map[int][]int // cache: the steps that solve a goal
}

func newBench(g *Gold, steps []plan.Step, r plan.Request, tools *toolbox.Catalogue, strict bool) *bench {
	b := &bench{gold: g, steps: steps, tools: tools, strict: strict, given: map[string]plan.Resource{}, solved: map[int][]int{}}
	for _, res := range r.Resources() {
		b.given[res.Name] = res
	}
	for i, s := range steps {
		var feeds []int
		for _, in := range s.Inputs() {
			feeds = append(feeds, b.feeds[in]...)
		}
		slices.Sort(feeds)
		b.feeds = append(b.feeds, append(slices.Compact(feeds), i))
	}
	return b
}

// solvers returns the steps whose outputs solve the goal.
func (b *bench) solvers(goal int) []int {
	if known, ok := b.solved[goal]; ok {
		return known
	}
	found := []int{}
	for s := range b.steps {
		if len(b.lacks(goal, s)) == 0 {
			found = append(found, s)
		}
	}
	b.solved[goal] = found
	return found
}

// lacks says why a step does not solve a goal; empty if it does.
func (b *bench) lacks(goal, step int) []string {
	g := b.gold.Goals[goal]
	var lacks []string
	if !slices.Contains(g.Returns, b.steps[step].Action.Returns) {
		lacks = append(lacks, fmt.Sprintf("returns %s, not %s", b.steps[step].Action.Returns, typeNames(g.Returns)))
	}
	have := map[string]bool{}
	for _, f := range b.feeds[step] {
		name := b.steps[f].Action.Tool
		have[name] = true
		if b.tools != nil {
			tool, _ := b.tools.Tool(name)
			for _, former := range tool.Alias {
				have[former] = true
			}
		}
	}
	if missing := fewest(g.sets(b.strict), have); len(missing) > 0 {
		lacks = append(lacks, "lacks the tools "+strings.Join(missing, ", "))
	}
	var best []string
	for i, reading := range g.readings() {
		if unmet := b.unmet(reading, step); i == 0 || len(unmet) < len(best) {
			best = unmet
		}
	}
	lacks = append(lacks, best...)
	passed := slices.ContainsFunc(b.texts(step), func(t string) bool { return sharesWord(g.Text, t) })
	named := slices.ContainsFunc(b.feeds[step], func(f int) bool { return holdsWords(b.steps[f].Action.Tool, g.Text) })
	if g.Text != "" && !passed && !named {
		lacks = append(lacks, fmt.Sprintf("passes no text that shares a word with %q", g.Text))
	}
	return lacks
}

// unmet returns the inputs of a reading that the step does not use.
func (b *bench) unmet(reading Source, step int) []string {
	var unmet []string
	taken := map[string]bool{}
	for _, s := range b.sources(step) {
		if s.Kind == plan.OfResource {
			taken[s.Name] = true
		}
	}
	for _, name := range reading.Uses {
		if !taken[name] {
			unmet = append(unmet, "does not take "+name)
		}
	}
	before := b.feeds[step][:len(b.feeds[step])-1] // the step's own result does not count
	for _, after := range reading.After {
		if !slices.ContainsFunc(b.solvers(after), func(s int) bool { return slices.Contains(before, s) }) {
			unmet = append(unmet, fmt.Sprintf("does not take the result of goal %d", after+1))
		}
	}
	return unmet
}

// sources returns the sources of all arguments of a step and of the steps it depends on.
func (b *bench) sources(step int) []plan.Source {
	var all []plan.Source
	for _, f := range b.feeds[step] {
		for _, arg := range b.steps[f].Action.Args {
			all = append(all, arg.Source)
			if arg.Source.Kind == plan.OfText {
				all = append(all, arg.Source.Parts...)
			}
		}
	}
	return all
}

// texts returns the texts that are passed to a step or to a step it depends on: literals, and given
// text resources.
func (b *bench) texts(step int) []string {
	var all []string
	for _, s := range b.sources(step) {
		switch s.Kind {
		case plan.OfValue, plan.OfText:
			all = append(all, s.Value)
		case plan.OfResource:
			if r := b.given[s.Name]; !r.Type.Media() && r.Value != "" {
				all = append(all, r.Value)
			}
		default: // not a text, or made by the plan
		}
	}
	return all
}

// shortfall says why the step that comes closest does not solve the goal.
func (b *bench) shortfall(goal int) string {
	near, best := -1, []string(nil)
	for s := range b.steps {
		if lacks := b.lacks(goal, s); near < 0 || len(lacks) <= len(best) {
			near, best = s, lacks
		}
	}
	if near < 0 {
		return "there are no steps"
	}
	return b.steps[near].Action.Tool + " " + strings.Join(best, "; ")
}

// fewest returns the missing tools of the set with the fewest missing; empty if one is complete.
func fewest(sets [][]string, have map[string]bool) []string {
	var best []string
	for i, set := range sets {
		var missing []string
		for _, tool := range set {
			if !have[tool] {
				missing = append(missing, tool)
			}
		}
		if i == 0 || len(missing) < len(best) {
			best = missing
		}
	}
	if len(sets) == 0 {
		return []string{"of every set that a strict judge accepts"}
	}
	return best
}

func typeNames(types []plan.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, " or ")
}
