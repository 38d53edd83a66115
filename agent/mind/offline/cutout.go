package offline

import (
	"slices"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
)

// A part that is to go from the middle is the work of two tools: what is before it and what is
// behind it are cut, and joined.

// cutOut makes subtasks of an order to take a part out of the middle of a file; false where the
// clause orders something else, or no tool joins files of its type.
func (s *scene) cutOut(n int, u *understood, media []entity) (done bool) {
	at := slices.IndexFunc(u.head.Args, func(a toolbox.Arg) bool { return a.Kind == quantity.TimeRange })
	if at < 0 || len(media) != 1 || media[0].typ != u.head.Returns || !dropping(u.words) {
		return false
	}
	amount := s.amount(u)
	part, ok := quantity.Times(amount)
	joiner, joins := s.joiner(u.head.Returns)
	if !ok || !joins || part.From <= 0 || part.To <= part.From {
		return false
	}
	told := plan.Arg{Type: plan.Text, Source: plan.FromValue(amount), Meaning: u.head.Args[at].Meaning}
	unknown := s.leftover(u, plan.Subtask{Args: []plan.Arg{told}})
	unknown = slices.DeleteFunc(unknown, func(w string) bool { return restWords[w] })
	if len(unknown) > 0 {
		s.leave(u, unknown)
		return true
	}
	var kept []plan.Source
	for _, text := range []string{"until " + inSeconds(part.From), "from " + inSeconds(part.To) + " on"} {
		c := constraint{tool: u.head, told: told}
		c.told.Source = plan.FromValue(text)
		v, sub := c.subtask(u, media[0])
		s.push(&v, sub, s.result(n, &v, sub, media))
		kept = append(kept, v.results[0].source)
	}
	sub := plan.Subtask{Description: joiner.Description, Returns: u.head.Returns, Domains: []string{joiner.Domain}}
	for _, k := range kept {
		sub.Args = append(sub.Args, plan.Arg{Type: u.head.Returns, Source: k})
	}
	sub.After = dependencies(sub.Args)
	whole := *u
	whole.head, whole.results = joiner, nil
	s.push(&whole, sub, s.result(n, &whole, sub, media))
	u.results = append(u.results, whole.results...)
	return true
}

// joiner is the tool that makes one file of several of the type, and needs nothing else.
func (s *scene) joiner(t plan.Type) (toolbox.Tool, bool) {
	var joiners []toolbox.Tool
	for _, i := range s.m.makers[t] {
		if tool := s.m.catalogue.Tools()[i]; requiredArgs(tool) == 1 && tool.Args[0].Many && tool.Args[0].Type == t {
			joiners = append(joiners, tool)
		}
	}
	if len(joiners) != 1 {
		return toolbox.Tool{}, false
	}
	return joiners[0], true
}

func inSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) + " seconds"
}
