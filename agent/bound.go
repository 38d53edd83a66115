package agent

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
)

// unbound are the quantities of the wish that the plan tells to no tool. A mind is not believed in
// this: it may pass over "32 kbps" without a word.
func (a *Agent) unbound(wish string, p *plan.Plan) []plan.Leftover {
	told := a.told(p)
	if len(told) == 0 {
		return nil
	}
	numbers := quantity.Numbers(strings.Join(told, "\n"))
	var left []plan.Leftover
	for _, q := range quantity.Find(blank(wish, p)) {
		said := wish[q.Start:q.End]
		known := slices.ContainsFunc(p.Left, func(l plan.Leftover) bool { return strings.Contains(l.Part, said) })
		if q.Unit == quantity.Number || known || quantity.Says(numbers, said) || describes(wish[q.End:]) {
			continue
		}
		left = append(left, plan.Leftover{Part: said, Unknown: []string{said}})
	}
	return left
}

// told are the texts that the best solutions tell their tools, and what those tools do anyway. There
// are none where a part of the wish has no solution: that is told by itself.
func (a *Agent) told(p *plan.Plan) []string {
	var all []string
	for _, task := range p.Tasks {
		if len(task.Solutions) == 0 {
			return nil
		}
		for _, action := range task.Solutions[0].Actions {
			if t, ok := a.config.Toolbox.Catalogue().Tool(action.Tool); ok {
				all = append(all, t.Description)
			}
			for _, b := range action.Args {
				if b.Source.Kind == plan.OfValue || b.Source.Kind == plan.OfText {
					all = append(all, b.Source.Value)
				}
			}
		}
	}
	return all
}

// blank is the wish with spaces in place of the names of files.
func blank(wish string, p *plan.Plan) string {
	for _, r := range p.Resources {
		for _, name := range []string{r.File, r.Name} {
			if name != "" {
				wish = strings.ReplaceAll(wish, name, strings.Repeat(" ", len(name)))
			}
		}
	}
	return wish
}

// describes reports whether a quantity with that behind it only says which file is meant: "the
// 10 second clip".
func describes(rest string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(rest, " -"), " ")
	return slices.Contains([]string{"clip", "video", "film", "movie", "song", "track", "recording", "picture", "image", "photo"}, strings.Trim(word, ".,;!?"))
}
