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
		known := slices.ContainsFunc(p.LeftBy(p.Best()), func(l plan.Leftover) bool { return strings.Contains(l.Part, said) })
		if q.Unit == quantity.Number || known || quantity.Says(numbers, said) || describes(wish[q.End:]) {
			continue
		}
		left = append(left, plan.Leftover{Part: said, Unknown: []string{said}})
	}
	return left
}

// limits reports whether the part holds a limit in bytes. It is asked for: what is larger than it
// may be of no use.
func limits(l plan.Leftover) bool {
	return slices.ContainsFunc(quantity.Find(l.Part), func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
}

// inPart asks for the parts of the wish that no tool is told.
func (a *Agent) inPart(language string, left []plan.Leftover) string {
	var parts []string
	for _, l := range left {
		parts = append(parts, l.Part)
	}
	return a.config.Tell.In(language, plan.Say(
		"I understand this only in part: I do not know what to do with “%s”. Please say it in other words, or leave that out.", strings.Join(parts, ", ")))
}

// told are the texts that the best solutions pass to their tools, and the descriptions of those
// tools. It is empty if a part of the wish has no solution: the answer says so anyway.
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
