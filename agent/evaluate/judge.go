package evaluate

import (
	"errors"
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

// insteadOf records that the answer is of another kind than expected.
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

// rates judges single tools and arguments of the best solutions. It does not lay out the steps, so
// plans with invalid steps are rated too.
func (v *verdict) rates(c Case, p *plan.Plan, tools *toolbox.Catalogue) {
	have := map[string]bool{}
	for _, tool := range toolsOf(p) {
		have[tool] = true
	}
	fits := map[string]bool{}
	for _, tool := range c.Gold.Allowed {
		fits[tool] = true
	}
	v.necessary = true
	for i, g := range c.Gold.Goals {
		if missing := fewest(g.Accept, have); len(missing) > 0 {
			v.necessary = false
			v.sayf("goal %d (%s): the plan lacks %v", i+1, g.Want, missing)
		}
		for _, set := range g.Accept {
			for _, tool := range set {
				fits[tool] = true
			}
		}
	}
	for _, tool := range toolsOf(p) {
		if !fits[tool] {
			v.irrelevant = true
			v.sayf("%s is not needed", tool)
		}
	}
	v.arguments(c.Request, p, tools)
}

// arguments checks that all arguments exist and have the required types.
func (v *verdict) arguments(r plan.Request, p *plan.Plan, tools *toolbox.Catalogue) {
	c := checker{request: r, plan: p, tools: tools}
	v.coherent = true
	for t, s := range chosen(p) {
		for i, a := range s.Actions {
			c.task, c.actions = t, s.Actions[:i]
			invented, wrong := c.action(a)
			for _, what := range invented {
				v.hallucinated = true
				v.sayf("%s takes %s, which is neither given nor made", a.Tool, what)
			}
			for _, what := range wrong {
				v.coherent = false
				v.sayf("%s %s", a.Tool, what)
			}
		}
	}
}

// chosen returns the best solution of every subtask; an empty one if there is none.
func chosen(p *plan.Plan) []plan.Solution {
	all := make([]plan.Solution, len(p.Tasks))
	for t, at := range p.Best() {
		if at >= 0 {
			all[t] = p.Tasks[t].Solutions[at]
		}
	}
	return all
}

// toolsOf returns the tools of the best solutions, in order, without duplicates.
func toolsOf(p *plan.Plan) []string {
	var tools []string
	for _, s := range chosen(p) {
		for _, tool := range s.Tools() {
			if !slices.Contains(tools, tool) {
				tools = append(tools, tool)
			}
		}
	}
	return tools
}

// checker knows what the arguments of an action may refer to.
type checker struct {
	request plan.Request
	plan    *plan.Plan
	tools   *toolbox.Catalogue
	task    int
	actions []plan.Action // earlier actions of the same solution
}

// action returns the arguments that do not exist and those with a wrong type.
func (c checker) action(a plan.Action) (invented, wrong []string) {
	asked, err := c.asked(a)
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, b := range a.Args {
		want := asked[b.Arg]
		if b.Source.Kind == plan.Blank {
			if !b.Optional {
				wrong = append(wrong, fmt.Sprintf("leaves %q blank", b.Arg))
			}
			continue
		}
		if b.Source.Kind == plan.OfText && want.Media() {
			wrong = append(wrong, fmt.Sprintf("takes a text as %q, which must be of type %s", b.Arg, want))
		}
		for _, s := range b.Source.Leaves() {
			have, ok := c.typeOf(s, want)
			switch {
			case !ok:
				invented = append(invented, s.String())
			case b.Source.Kind == plan.OfText && have.Media():
				wrong = append(wrong, fmt.Sprintf("quotes %s, which is of type %s", s, have))
			case b.Source.Kind != plan.OfText && !have.Fits(want):
				wrong = append(wrong, fmt.Sprintf("takes %s of type %s as %q, which must be of type %s", s, have, b.Arg, want))
			}
		}
	}
	return invented, wrong
}

// asked returns the type of each argument: the catalogue's if there is one, else the action's. It
// fails if the action contradicts the catalogue.
func (c checker) asked(a plan.Action) (map[string]plan.Type, error) {
	types := map[string]plan.Type{}
	for _, b := range a.Args {
		types[b.Arg] = b.Type
	}
	if c.tools == nil {
		return types, nil
	}
	tool, ok := c.tools.Tool(a.Tool)
	if !ok {
		return nil, errors.New("is not in the catalogue")
	}
	if a.Returns != tool.Returns {
		return nil, fmt.Errorf("should return %s but returns %s", a.Returns, tool.Returns)
	}
	known := map[string]plan.Type{}
	for _, arg := range tool.Args {
		known[arg.Name] = arg.Type
		if _, bound := types[arg.Name]; !bound && !arg.Optional {
			return nil, fmt.Errorf("missing argument %q", arg.Name)
		}
	}
	for name := range types {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("unknown argument %q", name)
		}
	}
	return known, nil
}

// typeOf returns the type of a source; ok is false if the source does not exist. A literal has the
// wanted type: it exists if that is a kind of text, or if the request or the thread mentions it.
func (c checker) typeOf(s plan.Source, want plan.Type) (_ plan.Type, ok bool) {
	switch s.Kind {
	case plan.OfResource:
		return c.resource(s.Name)
	case plan.OfAction:
		if s.Index >= 0 && s.Index < len(c.actions) {
			return c.actions[s.Index].Returns, true
		}
	case plan.OfSubtask:
		if s.Index >= 0 && s.Index < c.task {
			if made := chosen(c.plan)[s.Index].Actions; len(made) > 0 {
				return made[len(made)-1].Returns, true
			}
		}
	case plan.OfValue:
		for _, f := range mentions(s.Value) {
			if _, known := c.resource(f.Name); !known && f.Type != urlType {
				return "", false
			}
		}
		text := want == plan.Text || want == plan.Tags || want == plan.Title
		return want, text || !want.Media() && c.said(s.Value)
	default: // blanks have no value, and the parts of a text are checked one by one
	}
	return "", false
}

// resource returns the type of a given resource. The plan may only narrow a picture's type.
func (c checker) resource(name string) (plan.Type, bool) {
	for _, r := range c.request.Resources() {
		if r.Name != name {
			continue
		}
		for _, told := range c.plan.Resources {
			if told.Name == name && told.Type.Fits(r.Type) {
				return told.Type, true
			}
		}
		return r.Type, true
	}
	return "", false
}

// said reports whether the request or the thread shares a word with the text.
func (c checker) said(text string) bool {
	if sharesWord(text, c.request.Wish) {
		return true
	}
	if q := c.request.Question; q != nil && sharesWord(text, q.Wish) {
		return true
	}
	return slices.ContainsFunc(c.request.Turns, func(t plan.Turn) bool {
		return sharesWord(text, t.Wish) || sharesWord(text, t.Reply)
	})
}
