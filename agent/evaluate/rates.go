package evaluate

import (
	"errors"
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// rates fills in what is counted over single tools and arguments. It looks at the best
// solutions as they stand, so that a plan which cannot be laid out is rated too.
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
			v.sayf("goal %d (%s): the plan has no %v", i+1, g.Want, missing)
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
			v.sayf("nothing asks for %s", tool)
		}
	}
	v.arguments(c.Request, p, tools)
}

// arguments fills in whether all arguments exist and have the types asked for.
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

// chosen lists the best solution of every subtask; an empty one where there is none.
func chosen(p *plan.Plan) []plan.Solution {
	all := make([]plan.Solution, len(p.Tasks))
	for t, at := range p.Best() {
		if at >= 0 {
			all[t] = p.Tasks[t].Solutions[at]
		}
	}
	return all
}

// toolsOf lists the tools of the best solutions, each once, in their order.
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

// checker knows what an action may refer to.
type checker struct {
	request plan.Request
	plan    *plan.Plan
	tools   *toolbox.Catalogue
	task    int
	actions []plan.Action // the earlier ones of the same solution
}

// action tells which arguments do not exist and which have a wrong type.
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
			wrong = append(wrong, fmt.Sprintf("takes a text as %q, which is of type %s", b.Arg, want))
		}
		for _, s := range b.Source.Leaves() {
			have, ok := c.typeOf(s, want)
			switch {
			case !ok:
				invented = append(invented, s.String())
			case b.Source.Kind == plan.OfText && have.Media():
				wrong = append(wrong, fmt.Sprintf("quotes %s, which is of type %s", s, have))
			case b.Source.Kind != plan.OfText && !have.Fits(want):
				wrong = append(wrong, fmt.Sprintf("takes %s of type %s as %q, which is of type %s", s, have, b.Arg, want))
			}
		}
	}
	return invented, wrong
}

// asked is the type of each argument: of the catalogue if there is one, otherwise as
// the action says. Its error tells how the action departs from the catalogue.
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
		return nil, errors.New("is no tool of the catalogue")
	}
	if a.Returns != tool.Returns {
		return nil, fmt.Errorf("is said to return %s and returns %s", a.Returns, tool.Returns)
	}
	known := map[string]plan.Type{}
	for _, arg := range tool.Args {
		known[arg.Name] = arg.Type
		if _, bound := types[arg.Name]; !bound && !arg.Optional {
			return nil, fmt.Errorf("lacks the argument %q", arg.Name)
		}
	}
	for name := range types {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("has no argument %q", name)
		}
	}
	return known, nil
}

// typeOf is the type of what a source gives; ok is false when there is no such thing. A
// literal takes the type that is asked for: it is given if that is a text of any sort,
// or if the request or the thread says it.
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
	default: // a blank gives nothing, and the parts of a text are looked at one by one
	}
	return "", false
}

// resource is the type of a given resource. The plan may tell a picture to be of a
// special kind, nothing else.
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
