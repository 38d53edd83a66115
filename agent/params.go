package agent

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// readParams reads the values of the parameters from what the request says, and adds the defaults.
// So a plan that is made is one whose settings are understood. It tells the first required one that
// is not said, or from whose words no value can be read.
func (t *thought) readParams(s plan.Solution) (plan.Solution, *unreadable) {
	s.Actions = slices.Clone(s.Actions)
	for i, a := range s.Actions {
		tool, _ := t.config.Toolbox.Catalogue().Tool(a.Tool)
		a.Entry = t.config.Toolbox.Catalogue().Hash(a.Tool)
		a.Args = slices.Clone(a.Args)
		for j, b := range a.Args {
			p, ok := tool.Param(b.Arg)
			if !ok {
				continue
			}
			value := p.DefaultValue()
			if text := b.Source.Value; text != "" || !p.Optional {
				said, err := p.Read(text)
				switch {
				case err == nil:
					value = said
				case !p.Optional:
					return s, &unreadable{s.Score, p.Type, err}
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

// unreadable is a solution with a parameter for which no value can be read.
type unreadable struct {
	score float64
	typ   param.Type
	err   error
}
