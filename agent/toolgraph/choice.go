package toolgraph

import (
	"cmp"
	"slices"

	"atelier/agent/plan"
)

// choice holds the cheapest distinct solutions found so far, in order: one for each set of tools,
// without padded ones.
type choice []draft

// with adds a draft, unless a cheaper one makes it redundant, and removes those that it makes
// redundant. It reports whether it added the draft.
func (c choice) with(d draft) (choice, bool) {
	at, _ := slices.BinarySearchFunc(c, d, draft.compare)
	if slices.ContainsFunc(c[:at], d.pads) {
		return c, false
	}
	dearer := slices.DeleteFunc(c[at:], func(o draft) bool { return o.pads(d) })
	return slices.Insert(c[:at+len(dearer)], at, d), true
}

// first returns the cost of the best solution.
func (c choice) first() cost {
	if len(c) == 0 {
		return infinite
	}
	return c[0].cost
}

// contains reports whether the sorted list all contains all elements of the sorted list some.
func contains[T cmp.Ordered](all, some []T) bool {
	if len(some) > len(all) {
		return false
	}
	for _, one := range all {
		if len(some) > 0 && some[0] == one {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// weak reports whether the tool has less than a good score.
func (s *scope) weak(tool int32) bool { return s.score[tool] < plan.Good }

// likely returns the tools that make the goal and have such a high score that each should be in at
// least one solution, best first.
func (s *scope) likely() []string {
	var tools []int32
	for _, tool := range s.makers[s.goal] {
		if s.live[tool] && s.score[tool] >= plan.Fitting {
			tools = append(tools, tool)
		}
	}
	slices.SortStableFunc(tools, func(a, b int32) int { return cmp.Compare(s.price[a], s.price[b]) })
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = s.tools[tool].Name
	}
	return names
}

// places selects k solutions: the best one, the cheapest one with each likely tool, and the
// cheapest others. It returns the likely tools that are in none of them, if there is room for one, and
// reports whether no more expensive solution could be selected.
func (c choice) places(likely []string, k int) (taken choice, missing []string, settled bool) {
	missing = slices.Clone(likely)
	var others choice
	for i, d := range c {
		before := len(missing)
		missing = slices.DeleteFunc(missing, func(tool string) bool {
			_, ok := slices.BinarySearch(d.tools, tool)
			return ok
		})
		if i > 0 && len(missing) == before {
			others = append(others, d)
		} else if len(taken) < k {
			taken = append(taken, d)
		}
	}
	room := k - len(taken)
	if room == 0 {
		missing = nil
	}
	settled = len(missing) == 0 && len(others) >= room
	taken = append(taken, others[:min(len(others), room)]...)
	slices.SortFunc(taken, draft.compare)
	return taken, missing, settled
}
