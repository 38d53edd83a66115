package plan_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"atelier/agent/plan"
)

// plans draws valid plans over pictures and texts: subtasks of one to three solutions,
// now and then of none, whose actions take resources, literals, what came before, and
// texts that quote it. Few tools and inputs make equal actions likely.
func plans() *rapid.Generator[*plan.Plan] {
	return rapid.Custom(func(t *rapid.T) *plan.Plan {
		p := &plan.Plan{Wish: rapid.String().Draw(t, "wish")}
		for i := range rapid.IntRange(0, 3).Draw(t, "resources") {
			typ := rapid.SampledFrom([]plan.Type{plan.Image, plan.Text, plan.Edge}).Draw(t, "type")
			p.Resources = append(p.Resources, plan.Resource{Name: fmt.Sprintf("r%d", i), Type: typ})
		}
		for range rapid.IntRange(1, 4).Draw(t, "tasks") {
			p.Tasks = append(p.Tasks, drawTask(t, p))
		}
		return p
	})
}

func drawTask(t *rapid.T, p *plan.Plan) plan.Task {
	task := plan.Task{Subtask: plan.Subtask{
		Description: "do it",
		Returns:     rapid.SampledFrom([]plan.Type{plan.Image, plan.Text}).Draw(t, "returns"),
	}}
	solutions := rapid.IntRange(0, 3).Draw(t, "solutions")
	if solutions == 0 {
		task.Missing = []string{"nobody"}
	}
	for range solutions {
		s := plan.Solution{Score: float64(rapid.IntRange(1, 5).Draw(t, "score"))}
		for n := rapid.IntRange(1, 3).Draw(t, "actions"); n > 0; n-- {
			returns := rapid.SampledFrom([]plan.Type{plan.Image, plan.Text}).Draw(t, "makes")
			if n == 1 {
				returns = task.Subtask.Returns
			}
			s.Actions = append(s.Actions, drawAction(t, p, s.Actions, returns))
		}
		task.Solutions = append(task.Solutions, s)
	}
	if solutions > 0 && rapid.IntRange(0, 2).Draw(t, "variant") == 0 {
		v := task.Solutions[0]
		v.Actions = slices.Clone(v.Actions)
		at := rapid.IntRange(0, len(v.Actions)-1).Draw(t, "varied")
		v.Actions[at].Candidate, v.Actions[at].With = "far", "another one"
		task.Solutions = append(task.Solutions, v)
	}
	return task
}

func drawAction(t *rapid.T, p *plan.Plan, before []plan.Action, returns plan.Type) plan.Action {
	a := plan.Action{
		Tool:      rapid.SampledFrom([]string{"blur", "caption", "draw"}).Draw(t, "tool"),
		Candidate: rapid.SampledFrom([]string{"", "", "gpu"}).Draw(t, "candidate"),
		Returns:   returns,
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "args") {
		typ := rapid.SampledFrom([]plan.Type{plan.Image, plan.Text}).Draw(t, "takes")
		b := plan.Binding{Arg: fmt.Sprintf("a%d", i), Type: typ}
		have := sources(p, before, typ)
		if typ == plan.Text {
			have = append(have, plan.FromValue(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "value")))
			if texts := have[:len(have)-1]; len(texts) > 0 {
				have = append(have, plan.FromText("about {0}", rapid.SampledFrom(texts).Draw(t, "quoted")))
			}
		}
		switch {
		case len(have) == 0 || rapid.IntRange(0, 5).Draw(t, "blank") == 0:
			b.Optional = true
		default:
			b.Source = rapid.SampledFrom(have).Draw(t, "source")
		}
		a.Args = append(a.Args, b)
	}
	return a
}

// sources are the resources, results and outputs that may stand where the type is asked for.
func sources(p *plan.Plan, before []plan.Action, typ plan.Type) []plan.Source {
	var all []plan.Source
	for _, r := range p.Resources {
		if r.Type.Fits(typ) {
			all = append(all, plan.FromResource(r.Name))
		}
	}
	for i, t := range p.Tasks {
		if t.Subtask.Returns.Fits(typ) {
			all = append(all, plan.FromSubtask(i))
		}
	}
	for i, a := range before {
		if a.Returns.Fits(typ) {
			all = append(all, plan.FromAction(i))
		}
	}
	return all
}

// choices draws one solution for each task.
func choices(t *rapid.T, p *plan.Plan) plan.Choice {
	c := p.Best()
	for i, task := range p.Tasks {
		if n := len(task.Solutions); n > 0 {
			c[i] = rapid.IntRange(0, n-1).Draw(t, "choice")
		}
	}
	return c
}
