package offline

import (
	"context"
	"slices"

	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Settling comes after the search: its solutions are ranked, and what types alone do not
// decide is filled in (fill.go).

// Settle ranks the solutions by the scores of their tools, above all of the one that
// gives the result, fills blanks by what the arguments mean, and takes the first model.
func (m *Mind) Settle(ctx context.Context, r plan.Request, tasks []mind.Contest, _ *plan.Thinking) ([]mind.Settlement, error) {
	out := make([]mind.Settlement, len(tasks))
	for i, c := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.Scores == nil {
			c.Scores = m.assess(r, c.Subtask, toolsOf(c.Solutions))
		}
		marked := len(marksOf(r, c.Subtask)) > 0
		out[i].Solutions = make([]plan.Solution, len(c.Solutions))
		for j, s := range c.Solutions {
			settled := m.settle(r, c, s)
			if marked && showsMask(s) {
				settled.Score = min(settled.Score, unfit)
			} else if slices.ContainsFunc(c.Solutions, func(o plan.Solution) bool { return within(o, s) && (!marked || !showsMask(o)) }) {
				settled.Score = min(padded, max(lowestScore, settled.Score-paddedCost))
			}
			out[i].Solutions[j] = settled
		}
	}
	return out, nil
}

// within tells whether a does the same as b with some of b's tools only.
func within(a, b plan.Solution) bool {
	if len(a.Actions) >= len(b.Actions) {
		return false
	}
	left := b.Tools()
	for _, t := range a.Tools() {
		i := slices.Index(left, t)
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// toolsOf are the tools of the solutions, each once.
func toolsOf(solutions []plan.Solution) []string {
	var names []string
	for _, s := range solutions {
		for _, t := range s.Tools() {
			if !slices.Contains(names, t) {
				names = append(names, t)
			}
		}
	}
	return names
}

// settle scores and completes one solution of a contest.
func (m *Mind) settle(r plan.Request, c mind.Contest, s plan.Solution) plan.Solution {
	s.Score = rank(s, c.Scores)
	s.Actions = slices.Clone(s.Actions)
	for i := range s.Actions {
		a := &s.Actions[i]
		a.Args = slices.Clone(a.Args)
		m.fill(c.Subtask, a.Tool, a.Args)
		inscribes := m.inscribesOrder(c.Subtask, a.Tool, a.Args)
		m.reword(r, c.Subtask, a.Tool, a.Args)
		s.Score -= m.strain(c.Subtask, a.Tool, a.Args)
		if m.saysElse(c.Subtask, s.Actions, i) {
			s.Score = min(s.Score, padded)
		}
		if inscribes {
			s.Score = min(s.Score, unfit)
		}
		if models := c.Models[a.Tool]; len(models) > 0 && a.Candidate == "" {
			a.Candidate = models[0].Candidate
		}
	}
	s.Score = min(highestScore, max(lowestScore, s.Score))
	return s
}

// inscribesOrder reports whether the tool would write the order itself on a picture or a video.
func (m *Mind) inscribesOrder(sub plan.Subtask, tool string, args []plan.Binding) bool {
	want := m.meanings(tool)
	return !textOnly(m.tool(tool)) && slices.ContainsFunc(args, func(b plan.Binding) bool {
		given, ok := givenAs(sub, b.Source)
		return ok && want[b.Arg] == plan.Content && (given.Meaning == plan.Instruction || given.Meaning == plan.Prompt || given.Meaning == plan.Query)
	})
}

// rank scores a solution by its tools alone.
func rank(s plan.Solution, scores map[string]float64) float64 {
	sum, least := 0.0, float64(highestScore)
	for _, a := range s.Actions {
		sum += scores[a.Tool]
		least = min(least, scores[a.Tool])
	}
	n := len(s.Actions)
	last := scores[s.Actions[n-1].Tool]
	score := lastShare*last + meanShare*(sum/float64(n)) - stepCost*float64(n-1)
	if least < wrongTool {
		return min(score, unfit)
	}
	return score
}

// strain is what a solution loses for texts that stand where another meaning is asked:
// a caption is no language, a prompt is no angle.
func (m *Mind) strain(sub plan.Subtask, tool string, args []plan.Binding) float64 {
	want := m.meanings(tool)
	var loss float64
	for _, b := range args {
		if b.Type != plan.Text || b.Source.Kind == plan.Blank {
			continue
		}
		given, ok := givenAs(sub, b.Source)
		switch {
		case ok && !compatible(given, want[b.Arg]):
			loss += strainMeant
		case !ok && !free(want[b.Arg]):
			loss += strainMade
		}
	}
	return loss
}

// saysElse tells whether the action of number i works on another text than the one that
// the subtask gives for it, or writes into a film what a still picture of it shows: that is
// not what the film says.
func (m *Mind) saysElse(sub plan.Subtask, actions []plan.Action, i int) bool {
	literal := slices.ContainsFunc(sub.Args, func(a plan.Arg) bool { return a.Meaning == plan.Content && a.Source.Kind == plan.OfValue })
	want := m.meanings(actions[i].Tool)
	for _, b := range actions[i].Args {
		if b.Type != plan.Text || want[b.Arg] != plan.Content || b.Source.Kind != plan.OfAction {
			continue
		}
		for _, film := range actions[i].Args {
			if film.Type == plan.Video && (literal || seen(actions, b.Source, film.Source)) {
				return true
			}
		}
	}
	return false
}

// seen tells whether a source was made of a picture that was taken out of a film.
func seen(actions []plan.Action, src, film plan.Source) bool {
	for _, leaf := range src.Leaves() {
		if leaf.Kind != plan.OfAction {
			continue
		}
		a := actions[leaf.Index]
		for _, b := range a.Args {
			if a.Returns == plan.Image && b.Source.Equal(film) || seen(actions, b.Source, film) {
				return true
			}
		}
	}
	return false
}

// givenAs is the argument by which a subtask gives a source.
func givenAs(sub plan.Subtask, src plan.Source) (plan.Arg, bool) {
	i := slices.IndexFunc(sub.Args, func(a plan.Arg) bool { return a.Source.String() == src.String() })
	if i < 0 {
		return plan.Arg{}, false
	}
	return sub.Args[i], true
}

// reword says a text of the wish as the argument means it, where it was taken out of
// the wish for another: what is "a caption saying hi" to an editor by words is "hi" to
// a tool that writes on pictures.
func (m *Mind) reword(r plan.Request, sub plan.Subtask, tool string, args []plan.Binding) {
	t := m.tool(tool)
	for i, b := range args {
		if b.Type != plan.Text || b.Source.Kind != plan.OfValue {
			continue
		}
		given, ok := givenAs(sub, b.Source)
		want := slices.IndexFunc(t.Args, func(a toolbox.Arg) bool { return a.Name == b.Arg })
		if !ok || want < 0 || given.Meaning == "" || given.Meaning == t.Args[want].Meaning ||
			t.Args[want].Optional && plan.Repeats(args, i) { // it says nothing that is not said
			continue
		}
		s, u := m.alone(r, sub.Description, sub)
		u.object = s.objectOf(&u, t)
		if text := s.textFor(&u, t.Args[want].Meaning, t); text != "" {
			args[i].Source = plan.FromValue(text)
		}
	}
}
