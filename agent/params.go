package agent

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
)

// readParams reads the values of the parameters from the words of the request, and adds the
// defaults. So a plan that is made is one whose settings are understood. It tells the first text
// from which no value can be read. What an earlier step makes is read when it is there.
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
			switch b.Source.Kind {
			case plan.OfValue:
				said, err := p.Read(b.Source.Value)
				switch {
				case err == nil:
					value = said
				case !p.Optional:
					return s, &unreadable{s.Score, p.Type, err}
				default: // the words mean something else
					a.Args[j].Source, a.Args[j].Optional = plan.Source{}, true
				}
			case plan.Blank:
			default:
				continue
			}
			a.Args[j].Setting = value.String()
		}
		s.Actions[i] = a
	}
	return s, nil
}

// unreadable is a solution that was given words for a parameter from which no value can be read.
type unreadable struct {
	score float64
	typ   param.Type
	err   error
}
