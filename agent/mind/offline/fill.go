package offline

import (
	"slices"

	"atelier/agent/plan"
)

// filling fills the blanks of one action.
type filling struct {
	want    map[string]plan.Meaning // what the arguments mean, by name
	meaning map[string]plan.Meaning // what the subtask's texts mean, by source
	taken   map[string]bool         // sources that some argument has
}

// fill gives each blank the option whose meaning is the argument's, then the first
// one that no other argument of the action has taken, then the first. Only what must be
// given is filled with what means something else.
func (m *Mind) fill(sub plan.Subtask, tool string, args []plan.Binding) {
	f := filling{want: m.meanings(tool), meaning: map[string]plan.Meaning{}, taken: map[string]bool{}}
	for _, a := range sub.Args {
		f.meaning[a.Source.String()] = a.Meaning
	}
	for _, b := range args {
		if b.Source.Kind != plan.Blank {
			f.taken[b.Source.String()] = true
		}
	}
	f.choose(args, func(b plan.Binding, option string) bool {
		return !f.taken[option] && f.want[b.Arg] != "" && f.meaning[option] == f.want[b.Arg]
	})
	f.choose(args, func(b plan.Binding, option string) bool { return !f.taken[option] && !b.Optional })
	f.choose(args, func(b plan.Binding, _ string) bool { return !b.Optional })
}

// choose gives each blank the first of its options that passes the test.
func (f *filling) choose(args []plan.Binding, test func(plan.Binding, string) bool) {
	for i, b := range args {
		if b.Source.Kind != plan.Blank {
			continue
		}
		at := slices.IndexFunc(b.Options, func(o plan.Source) bool { return test(b, o.String()) })
		if at >= 0 {
			args[i].Source = b.Options[at]
			f.taken[b.Options[at].String()] = true
		}
	}
}
