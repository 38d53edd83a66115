package pick

import (
	"slices"
	"strings"

	"atelier/agent/naming"
	"atelier/agent/plan"
)

// Obey sets the candidates of a task's solutions to those that the request names, if they are live.
func (p *Picker) Obey(t *plan.Task) {
	if p.config.Live == nil || len(p.config.Mentions) == 0 {
		return
	}
	for i := range t.Solutions {
		t.Solutions[i].Actions = slices.Clone(t.Solutions[i].Actions)
		for j := range t.Solutions[i].Actions {
			action := &t.Solutions[i].Actions[j]
			if _, c, ok := p.named(t, action.Tool); ok {
				action.Candidate = c.Name
			}
		}
	}
}

// named returns the live candidate that the request names for a tool of a task, and the mention. Of
// several, it prefers the one mentioned near the words of the task.
func (p *Picker) named(t *plan.Task, tool string) (naming.Mention, plan.Candidate, bool) {
	status, _ := p.config.Live.Status(tool)
	for _, m := range p.mentionsFor(t, tool) {
		for _, c := range status.Candidates {
			if m.Means(tool, c) {
				return m, c, true
			}
		}
	}
	return naming.Mention{}, plan.Candidate{}, false
}

// mentionsFor returns the mentions that may refer to a tool of a task: those with the most words in
// common with it. Tasks with equal descriptions take turns: "draw a castle with SDXL, then draw a
// castle with flux".
func (p *Picker) mentionsFor(t *plan.Task, tool string) []naming.Mention {
	able := p.able(tool)
	nearest := 0
	for _, m := range able {
		nearest = max(nearest, together(m.About, t.Subtask.Description))
	}
	near := slices.DeleteFunc(able, func(m naming.Mention) bool { return together(m.About, t.Subtask.Description) < nearest })
	before := 0
	for _, other := range p.tasks[:slices.Index(p.tasks, t)] {
		if strings.EqualFold(other.Subtask.Description, t.Subtask.Description) {
			before++
		}
	}
	turn := min(before, max(len(near)-1, 0))
	return slices.Concat(near[turn:], near[:turn])
}

// able returns the mentions that may refer to a candidate of the tool.
func (p *Picker) able(tool string) []naming.Mention {
	var able []naming.Mention
	status, _ := p.config.Live.Status(tool)
	for _, m := range p.config.Mentions {
		means := func(c plan.Candidate) bool { return m.Means(tool, c) }
		if m.Could(tool) || slices.ContainsFunc(status.Candidates, means) {
			able = append(able, m)
		}
	}
	return able
}

// together counts the words that two texts share.
func together(a, b string) int {
	words := strings.Fields(strings.ToLower(b))
	n := 0
	for w := range strings.FieldsSeq(strings.ToLower(a)) {
		if slices.Contains(words, w) {
			n++
		}
	}
	return n
}

// Prefer moves a good solution to the front if it uses what the request names.
func (p *Picker) Prefer(t *plan.Task, complete []plan.Solution) {
	if p.config.Live == nil || len(p.config.Mentions) == 0 || len(complete) == 0 {
		return
	}
	for i, s := range complete {
		if s.Score < plan.Good || !slices.ContainsFunc(s.Tools(), func(tool string) bool { _, _, ok := p.named(t, tool); return ok }) {
			continue
		}
		s.Score = max(s.Score, complete[0].Score)
		copy(complete[1:i+1], complete[:i])
		complete[0] = s
		return
	}
}

// account records which mentions the best solution uses, and which are unavailable.
func (p *Picker) account(t *plan.Task) {
	if len(t.Solutions) == 0 {
		return
	}
	for _, action := range t.Solutions[0].Actions {
		if m, _, ok := p.named(t, action.Tool); ok {
			t.Asked = append(t.Asked, m.Name)
		} else if all := p.mentionsFor(t, action.Tool); len(all) > 0 {
			t.Absent = append(t.Absent, all[0].Name)
		}
	}
}

// leftOver records the mentions that no task uses, with the first task they suit. Available ones
// become alternatives.
func (p *Picker) leftOver() {
	var known []string
	for _, t := range p.tasks {
		known = slices.Concat(known, t.Asked, t.Absent)
	}
	for _, t := range p.tasks {
		if len(t.Solutions) == 0 {
			continue
		}
		for _, action := range t.Solutions[0].Actions {
			status, _ := p.config.Live.Status(action.Tool)
			runs := p.runBy(action).Candidate
			for _, m := range p.able(action.Tool) {
				switch {
				case slices.Contains(known, m.Name) || m.Means(action.Tool, runs): // used, or reported already
					continue
				case slices.ContainsFunc(status.Candidates, func(c plan.Candidate) bool { return m.Means(action.Tool, c) }):
					t.Besides = append(t.Besides, m.Name)
				default:
					t.Absent = append(t.Absent, m.Name)
				}
				known = append(known, m.Name)
			}
		}
	}
}

// wanted reports whether the request also names the candidate, besides the one that is used.
func (p *Picker) wanted(t *plan.Task, tool string, c plan.Candidate) bool {
	return slices.ContainsFunc(p.config.Mentions, func(m naming.Mention) bool {
		return slices.Contains(t.Besides, m.Name) && m.Means(tool, c)
	})
}
