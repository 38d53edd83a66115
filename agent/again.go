package agent

import (
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

// A subtask may use the same thing several times: a clip that is joined to itself. The search
// takes each source once, so that repetitions are sources of their own while it runs.

// numbered are the sources of the arguments, in their order, with their repetitions numbered. A text
// is given once.
func numbered(args []plan.Arg) []plan.Source {
	all := make([]plan.Source, len(args))
	for i, a := range args {
		n := 0
		for _, before := range args[:i] {
			if before.Source.Equal(a.Source) {
				n++
			}
		}
		if n > 0 {
			switch a.Source.Kind {
			case plan.OfResource:
				a.Source.Index = n
			case plan.OfSubtask:
				a.Source.Name = strconv.Itoa(n)
			default: // a text
			}
		}
		all[i] = a.Source
	}
	return all
}

// plainly is a source without the number of its repetition.
func plainly(s plan.Source) plan.Source {
	switch s.Kind {
	case plan.OfResource:
		s.Index = 0
	case plan.OfSubtask:
		s.Name = ""
	default: // has none
	}
	return s
}

// unnumbered are solutions whose repetitions are what they repeat.
func unnumbered(solutions []plan.Solution) []plan.Solution {
	all := slices.Clone(solutions)
	for i := range all {
		all[i].Actions = slices.Clone(all[i].Actions)
		for j := range all[i].Actions {
			a := &all[i].Actions[j]
			a.Args = slices.Clone(a.Args)
			for k := range a.Args {
				b := &a.Args[k]
				b.Source = plainly(b.Source)
				b.Options = slices.Clone(b.Options)
				for o := range b.Options {
					b.Options[o] = plainly(b.Options[o])
				}
				b.Options = slices.CompactFunc(b.Options, plan.Source.Equal)
			}
		}
	}
	return all
}

// once leaves the repetitions out.
func once(given []toolgraph.Given) []toolgraph.Given {
	return slices.DeleteFunc(slices.Clone(given), func(g toolgraph.Given) bool { return !g.Source.Equal(plainly(g.Source)) })
}
