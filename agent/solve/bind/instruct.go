package bind

import (
	"slices"
	"strings"

	"atelier/agent/plan"
)

// instruct puts the subtask before each text that is to be worked on but that an argument takes for
// an instruction: "write a quiz about this: …". Otherwise the tool would do what a file says.
func (b Binder) instruct(sub plan.Subtask, s plan.Solution) plan.Solution {
	s.Actions = slices.Clone(s.Actions)
	for i, a := range s.Actions {
		tool, _ := b.Catalogue.Tool(a.Tool)
		args := slices.Clone(a.Args)
		for j, bound := range args {
			for _, arg := range tool.Args {
				if arg.Name == bound.Arg && arg.Meaning == plan.Instruction && isContent(sub, bound.Source) {
					task := strings.NewReplacer("{", "(", "}", ")").Replace(sub.Description) // braces quote
					args[j].Source = plan.FromText(task+":\n{0}", bound.Source)
				}
			}
		}
		s.Actions[i].Args = args
	}
	return s
}

// isContent reports whether a source is a file or a result that the subtask does not call an instruction.
func isContent(sub plan.Subtask, s plan.Source) bool {
	if s.Kind != plan.OfResource && s.Kind != plan.OfSubtask && s.Kind != plan.OfAction {
		return false
	}
	return !slices.ContainsFunc(sub.Args, func(a plan.Arg) bool { return a.Source.Equal(s) && a.Meaning == plan.Instruction })
}
