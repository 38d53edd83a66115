package agent

import (
	"slices"
	"strings"

	"atelier/agent/naming"
	"atelier/agent/plan"
)

// What runs a tool where the wish names it.

// obey has the tools of a part's solutions run by what the wish names, where it is live.
func (t *thought) obey(p *part) {
	if t.live == nil || len(t.mentions) == 0 {
		return
	}
	for i := range p.found {
		p.found[i].Actions = slices.Clone(p.found[i].Actions)
		for j := range p.found[i].Actions {
			action := &p.found[i].Actions[j]
			if _, c, ok := t.named(p, action.Tool); ok {
				action.Candidate = c.Name
			}
		}
	}
}

// named is the candidate that the wish names for a tool of a part, and by which name. Where
// it names several, that which stands with words of the part is meant.
func (t *thought) named(p *part, tool string) (naming.Mention, plan.Candidate, bool) {
	status, _ := t.live.Status(tool)
	for _, m := range t.mentionsFor(p, tool) {
		for _, c := range status.Candidates {
			if m.Means(tool, c) {
				return m, c, true
			}
		}
	}
	return naming.Mention{}, plan.Candidate{}, false
}

// mentionsFor are the names that the wish may mean for a tool of a part: those that stand
// with most of its words. Where several stand as near, parts of the same words take turns:
// "draw a castle with SDXL, then draw a castle with flux".
func (t *thought) mentionsFor(p *part, tool string) []naming.Mention {
	able := t.able(tool)
	nearest := 0
	for _, m := range able {
		nearest = max(nearest, together(m.About, p.subtask.Description))
	}
	near := slices.DeleteFunc(able, func(m naming.Mention) bool { return together(m.About, p.subtask.Description) < nearest })
	before := 0
	for _, other := range t.tasks[:slices.Index(t.tasks, p)] {
		if strings.EqualFold(other.subtask.Description, p.subtask.Description) {
			before++
		}
	}
	turn := min(before, max(len(near)-1, 0))
	return slices.Concat(near[turn:], near[:turn])
}

// able are the names that may stand for what runs a tool.
func (t *thought) able(tool string) []naming.Mention {
	var able []naming.Mention
	status, _ := t.live.Status(tool)
	for _, m := range t.mentions {
		means := func(c plan.Candidate) bool { return m.Means(tool, c) }
		if m.Could(tool) || slices.ContainsFunc(status.Candidates, means) {
			able = append(able, m)
		}
	}
	return able
}

// together counts the words that two texts have in common.
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

// obeyed puts a good solution in front that is done by what the wish names.
func (t *thought) obeyed(p *part, complete []plan.Solution) {
	if t.live == nil || len(t.mentions) == 0 || len(complete) == 0 {
		return
	}
	for i, s := range complete {
		if s.Score < good || !slices.ContainsFunc(s.Tools(), func(tool string) bool { _, _, ok := t.named(p, tool); return ok }) {
			continue
		}
		s.Score = max(s.Score, complete[0].Score)
		copy(complete[1:i+1], complete[:i])
		complete[0] = s
		return
	}
}

// account notes which names of the wish the best solution obeys, and which it cannot.
func (t *thought) account(p *part) {
	if t.live == nil || len(p.found) == 0 {
		return
	}
	for _, action := range p.found[0].Actions {
		if m, _, ok := t.named(p, action.Tool); ok {
			p.asked = append(p.asked, m.Name)
		} else if all := t.mentionsFor(p, action.Tool); len(all) > 0 {
			p.absent = append(p.absent, all[0].Name)
		}
	}
}

// leftOver notes which names of the wish no part has taken, with the first part that they
// are able for: what is here is an alternative to it.
func (t *thought) leftOver() {
	if t.live == nil {
		return
	}
	var known []string
	for _, p := range t.tasks {
		known = slices.Concat(known, p.asked, p.absent)
	}
	for _, p := range t.tasks {
		if len(p.found) == 0 {
			continue
		}
		for _, action := range p.found[0].Actions {
			status, _ := t.live.Status(action.Tool)
			runs := t.runBy(action).Candidate
			for _, m := range t.able(action.Tool) {
				switch {
				case slices.Contains(known, m.Name) || m.Means(action.Tool, runs): // it is taken, or told of
					continue
				case slices.ContainsFunc(status.Candidates, func(c plan.Candidate) bool { return m.Means(action.Tool, c) }):
					p.besides = append(p.besides, m.Name)
				default:
					p.absent = append(p.absent, m.Name)
				}
				known = append(known, m.Name)
			}
		}
	}
}

// wanted tells whether a candidate is one that the wish names besides what was taken.
func (t *thought) wanted(p *part, tool string, c plan.Candidate) bool {
	return slices.ContainsFunc(t.mentions, func(m naming.Mention) bool {
		return slices.Contains(p.besides, m.Name) && m.Means(tool, c)
	})
}
