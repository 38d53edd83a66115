package agent

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// excuse lets the search do without an amount, a place, a format or a language that no
// tool takes which is good for the subtask: it would have to be given to some other tool
// as what it is not ("in a few sentences" as the language of a translation).
func (t *thought) excuse(p *part) {
	for i := range p.query.Given {
		g := &p.query.Given[i]
		meaning := meaningOf(p.subtask, g.Source)
		if g.Optional || !slices.Contains([]plan.Meaning{plan.Amount, plan.Place, plan.Format, plan.Language}, meaning) {
			continue
		}
		g.Optional = !slices.ContainsFunc(p.candidates, func(name string) bool {
			tool, ok := t.config.Toolbox.Catalogue().Tool(name)
			return ok && p.score(name) >= good &&
				slices.ContainsFunc(tool.Args, func(a toolbox.Arg) bool { return a.Meaning == meaning })
		})
	}
}

// meaningOf is what a literal text of a subtask stands for, "" if that is unknown.
func meaningOf(s plan.Subtask, source plan.Source) plan.Meaning {
	for _, a := range s.Args {
		if a.Source.Kind == plan.OfValue && a.Source.Equal(source) {
			return a.Meaning
		}
	}
	return ""
}
