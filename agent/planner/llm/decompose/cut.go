package decompose

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// leastTurn is the minimum number of tokens for the text of a turn; with less it would be
// meaningless.
const leastTurn = 32

// latest keeps the latest turns that fit into a token budget. A turn that is too long is truncated
// to half of the remaining budget, so that it does not push out the earlier ones, or dropped if too
// little would be left. The names of its results are always kept.
func latest(turns []plan.Turn, budget int) []plan.Turn {
	var kept []plan.Turn
	for _, t := range slices.Backward(turns) {
		cost := turnTokens(t)
		if cost > budget {
			made := turnTokens(plan.Turn{Made: t.Made})
			room := max(budget/2, min(made+leastTurn, budget)) - made
			if room < leastTurn {
				break
			}
			wish := max(room/2, room-token.Count(t.Reply))
			t.Wish = token.ClipTo(t.Wish, wish)
			t.Reply = token.ClipTo(t.Reply, room-token.Count(t.Wish))
			cost = turnTokens(t)
		}
		budget -= cost
		kept = append(kept, t)
	}
	slices.Reverse(kept)
	return kept
}

func turnTokens(t plan.Turn) int {
	return token.PerMessage + token.Count(t.Wish) + token.Count(t.Reply) + token.Count(strings.Join(t.Made, " "))
}

// relevant keeps the tools whose lines fit into a token budget, in the order of the catalogue: all,
// if they fit, else those nearest to the text.
func relevant(index *retrieve.Index, tools []toolbox.Tool, line func(toolbox.Tool) string, text string, budget int) []toolbox.Tool {
	left := budget
	for _, t := range tools {
		left -= token.Count(line(t))
	}
	if left >= 0 {
		return tools
	}
	known := make(map[string]toolbox.Tool, len(tools))
	for _, t := range tools {
		known[t.Name] = t
	}
	kept := map[string]bool{}
	keep := func(name string) {
		t, ok := known[name]
		if !ok || kept[name] {
			return
		}
		if cost := token.Count(line(t)); cost <= budget {
			budget -= cost
			kept[name] = true
		}
	}
	for _, hit := range index.Nearest(text) {
		keep(hit.Tool)
	}
	for _, t := range tools {
		keep(t.Name)
	}
	var out []toolbox.Tool
	for _, t := range tools {
		if kept[t.Name] {
			out = append(out, t)
		}
	}
	return out
}
