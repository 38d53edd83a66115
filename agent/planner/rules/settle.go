package rules

import (
	"context"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/profile"
)

// Settle ranks the solutions by the scores of their tools, mainly of the last one, fills blanks by the meaning
// of the arguments, and takes the first model.
func (p *Planner) Settle(ctx context.Context, r plan.Request, tasks []planner.Contest, _ *plan.Thinking) ([]planner.Settlement, error) {
	out := make([]planner.Settlement, len(tasks))
	for i, c := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.Scores == nil {
			var tools []string
			for _, s := range c.Solutions {
				tools = append(tools, s.Tools()...)
			}
			c.Scores = p.assess(r, c.Subtask, tools)
		}
		marked := len(marksOf(r, c.Subtask)) > 0
		for _, s := range c.Solutions {
			settled := p.settle(c, s)
			if marked && showsMask(s) {
				settled.Score = min(settled.Score, 2)
			} else if slices.ContainsFunc(c.Solutions, func(o plan.Solution) bool { return within(o, s) && (!marked || !showsMask(o)) }) {
				settled.Score = min(belowBar, max(lowest, settled.Score-1)) // it does more than necessary
			}
			out[i].Solutions = append(out[i].Solutions, settled)
		}
	}
	return out, nil
}

// belowBar is the maximum score of solutions that are not worth offering.
const belowBar = 2.5

// within reports whether a does the same as b with a subset of b's tools.
func within(a, b plan.Solution) bool {
	if len(a.Actions) >= len(b.Actions) {
		return false
	}
	left := b.Tools()
	for _, tool := range a.Tools() {
		i := slices.Index(left, tool)
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// showsMask reports whether a solution uses a mask made from marks as a picture, although it does not show the
// picture's content.
func showsMask(s plan.Solution) bool {
	return slices.ContainsFunc(s.Actions, func(a plan.Action) bool {
		return slices.ContainsFunc(a.Args, func(b plan.Binding) bool {
			return b.Type == plan.Image && b.Source.Kind == plan.OfAction && s.Actions[b.Source.Index].Returns == plan.Mask
		})
	})
}

// settle scores and completes one solution.
func (p *Planner) settle(c planner.Contest, s plan.Solution) plan.Solution {
	s.Score = rank(s, c.Scores)
	s.Actions = slices.Clone(s.Actions)
	for i := range s.Actions {
		a := &s.Actions[i]
		a.Args = slices.Clone(a.Args)
		f := p.Tool(a.Tool)
		fill(c.Subtask, f, a.Args)
		s.Score -= strain(c.Subtask, f, a.Args)
		if inscribesOrder(c.Subtask, f, a.Args) || p.FindsOthers(c.Subtask, f) {
			s.Score = lowest
		}
		if models := c.Models[a.Tool]; len(models) > 0 && a.Candidate == "" {
			a.Candidate = models[0].Candidate
		}
	}
	s.Score = min(highest, max(lowest, s.Score))
	return s
}

// rank scores a solution by its tools alone. Each further step is a risk, and a tool that is certainly wrong
// spoils it.
func rank(s plan.Solution, scores map[string]float64) float64 {
	sum, least := 0.0, highest
	for _, a := range s.Actions {
		sum += scores[a.Tool]
		least = min(least, scores[a.Tool])
	}
	n := float64(len(s.Actions))
	score := 0.6*scores[s.Actions[len(s.Actions)-1].Tool] + 0.4*sum/n - 0.12*(n-1)
	if least < 1.5 {
		return min(score, 2)
	}
	return score
}

// givenAs returns the argument of the subtask with a source.
func givenAs(sub plan.Subtask, src plan.Source) (plan.Arg, bool) {
	all := draft.AllArgs(sub)
	i := slices.IndexFunc(all, func(a plan.Arg) bool { return a.Source.Equal(src) })
	if i < 0 {
		return plan.Arg{}, false
	}
	return all[i], true
}

// fill fills each blank with the option of the same meaning, else with the first option not used by another
// argument of the action, else with the first. Only required arguments get an option of another meaning.
func fill(sub plan.Subtask, f *profile.Profile, args []plan.Binding) {
	taken := func(o plan.Source) bool {
		return slices.ContainsFunc(args, func(b plan.Binding) bool { return b.Source.Kind != plan.Blank && b.Source.Equal(o) })
	}
	for _, test := range []func(plan.Binding, plan.Source) bool{
		func(b plan.Binding, o plan.Source) bool {
			given, _ := givenAs(sub, o)
			return !taken(o) && f.Meaning(b.Arg) != "" && given.Meaning == f.Meaning(b.Arg)
		},
		func(b plan.Binding, o plan.Source) bool { return !taken(o) && !b.Optional },
		func(b plan.Binding, _ plan.Source) bool { return !b.Optional },
	} {
		for i, b := range args {
			if b.Source.Kind != plan.Blank {
				continue
			}
			if at := slices.IndexFunc(b.Options, func(o plan.Source) bool { return test(b, o) }); at >= 0 {
				args[i].Source = b.Options[at]
			}
		}
	}
}

// inscribesOrder reports whether the tool would write the order itself as text on a picture or a video.
func inscribesOrder(sub plan.Subtask, f *profile.Profile, args []plan.Binding) bool {
	return !f.TextOnly && slices.ContainsFunc(args, func(b plan.Binding) bool {
		given, ok := givenAs(sub, b.Source)
		return ok && f.Meaning(b.Arg) == plan.Content && (given.Meaning == plan.Instruction || given.Meaning == plan.Prompt || given.Meaning == plan.Query)
	})
}

// strain is the penalty for texts used as arguments with another meaning: a caption is not a language, and a prompt
// not an angle.
func strain(sub plan.Subtask, f *profile.Profile, args []plan.Binding) float64 {
	var loss float64
	for _, b := range args {
		if b.Type != plan.Text || b.Source.Kind == plan.Blank {
			continue
		}
		given, ok := givenAs(sub, b.Source)
		if want := f.Meaning(b.Arg); ok && !serves(given, want) || !ok && !free(want) {
			loss += 2
		}
	}
	return loss
}
