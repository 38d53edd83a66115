package bind

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// Read reads the values of the parameters from what the request says, and adds the defaults.
// So a plan that is made is one whose settings are understood. It tells the first required one that
// is not said, or from whose words no value can be read.
func (b Binder) Read(s plan.Solution) (plan.Solution, *Unreadable) {
	s.Actions = slices.Clone(s.Actions)
	for i, a := range s.Actions {
		tool, _ := b.Catalogue.Tool(a.Tool)
		a.Entry = b.Catalogue.Hash(a.Tool)
		a.Args = slices.Clone(a.Args)
		for j, given := range a.Args {
			p, ok := tool.Param(given.Arg)
			if !ok {
				continue
			}
			value := p.DefaultValue()
			if text := given.Source.Value; text != "" || !p.Optional {
				said, err := p.Read(text)
				switch {
				case err == nil:
					value = said
				case !p.Optional:
					return s, &Unreadable{s.Score, p.Type, err}
				default: // the words mean something else
					a.Args[j].Source = plan.Source{}
					s.Left = append(slices.Clone(s.Left), text)
				}
			}
			a.Args[j].Setting = value.String()
		}
		s.Actions[i] = a
	}
	return s, nil
}

// Unreadable is a solution with a parameter for which no value can be read.
type Unreadable struct {
	Score float64
	Type  param.Type
	Err   error
}
