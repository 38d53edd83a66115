package bind

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// Read parses the values of the parameters from the words of the request and adds the defaults, so
// that all settings of a finished plan are understood. It returns the first required parameter that
// is missing or whose words cannot be parsed.
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

// Unreadable describes a solution with a parameter whose value cannot be parsed.
type Unreadable struct {
	Score float64
	Type  param.Type
	Err   error
}
