package evaluate

import (
	"errors"
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

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
