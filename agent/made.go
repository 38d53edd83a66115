package agent

import (
	"slices"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
)

// by are the results of an account, with what each was made by as people call it: the
// model that was asked; a program only where it is weak, or where the wish names one.
func (a *Agent) by(account planner.Account) []plan.Result {
	results := slices.Clone(account.Results)
	for i := range results {
		r := &results[i]
		if r.Status != plan.Done {
			continue
		}
		step := account.Steps[i]
		tool, _ := a.config.Toolbox.Catalogue().Tool(step.Action.Tool)
		ran := naming.Ran(tool, r.Candidate)
		asked := step.Task < len(account.Plan.Tasks) && len(account.Plan.Tasks[step.Task].Asked) > 0
		switch {
		case r.Model != "":
			r.Model = a.calledModel(r.Model)
		case naming.Programmed(tool, ran) && (r.Approximate || asked):
			r.Model = a.called(account.Request.Language, tool, ran)
		}
	}
	return results
}

// absent are sentences on what the wish names and was not taken, by its name: it is not
// here, or something else that is named was taken.
func (a *Agent) absent(account planner.Account) map[string]string {
	sentences := map[string]string{}
	for t, task := range account.Plan.Tasks {
		var instead []string
		for i, s := range account.Steps {
			mine := s.Task == t || slices.Contains(s.Also, t)
			if model := account.Results[i].Model; mine && model != "" && !slices.Contains(instead, model) {
				instead = append(instead, model)
			}
		}
		for _, name := range task.Absent {
			said := plan.Say("%s is not available here.", name)
			if len(instead) > 0 {
				said = plan.Say("%s is not available here; I used %s instead.", name, plan.And(instead...))
			}
			sentences[name] = a.config.Tell.In(account.Request.Language, said)
		}
		for _, name := range task.Besides {
			said := plan.Say("The same with %s is among the alternatives.", name)
			if len(instead) > 0 {
				said = plan.Say("I used only %s; the same with %s is among the alternatives.", plan.And(instead...), name)
			}
			sentences[name] = a.config.Tell.In(account.Request.Language, said)
		}
	}
	return sentences
}
