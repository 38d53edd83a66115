package llm

import (
	"slices"

	"atelier/agent/toolbox"
)

// shorten gives the lists cut to the part of the context that candidates may take, and
// tells how their tools are described: briefly, plainly where that is too long, and with
// the tools farthest from their tasks left out where that is too long still. A list that
// would keep none is left out.
func (m *Planner) shorten(lists []*shortlist, wish string) ([]*shortlist, toolLine) {
	budget := m.config.ContextTokens / toolShare
	for _, line := range []toolLine{briefTool, plainTool} {
		cost := newCosting(line)
		for _, l := range lists {
			for _, t := range l.tools {
				cost.take(t)
			}
		}
		if cost.spent <= budget {
			return lists, line
		}
	}
	cost := newCosting(plainTool)
	near := make([][]toolbox.Tool, len(lists))
	kept := make([]map[string]bool, len(lists))
	longest := 0
	for i, l := range lists {
		near[i] = m.nearest(l, wish)
		kept[i] = map[string]bool{}
		longest = max(longest, len(near[i]))
	}
	for rank := range longest { // each task in turn, so that none is left without
		for i := range lists {
			if rank < len(near[i]) && cost.spent+cost.of(near[i][rank]) <= budget {
				cost.take(near[i][rank])
				kept[i][near[i][rank].Name] = true
			}
		}
	}
	var cut []*shortlist
	for i, l := range lists {
		if len(kept[i]) > 0 {
			tools := slices.DeleteFunc(slices.Clone(l.tools), func(t toolbox.Tool) bool { return !kept[i][t.Name] })
			cut = append(cut, &shortlist{task: l.task, subtask: l.subtask, tools: tools})
		}
	}
	return cut, plainTool
}

// nearest are the tools of a list, those nearest to its task first.
func (m *Planner) nearest(l *shortlist, wish string) []toolbox.Tool {
	place := map[string]int{}
	text := l.subtask.Description + " " + excerpt(wish, descriptionBytes)
	for i, hit := range m.index.Nearest(text) {
		place[hit.Tool] = i
	}
	tools := slices.Clone(l.tools)
	slices.SortStableFunc(tools, func(a, b toolbox.Tool) int {
		return rankOf(place, a) - rankOf(place, b)
	})
	return tools
}

// rankOf is the place of a tool, behind all others where it has none.
func rankOf(place map[string]int, t toolbox.Tool) int {
	if at, ok := place[t.Name]; ok {
		return at
	}
	return len(place)
}

// costing adds up the tokens of candidates: each tool is described once, and named once
// for each task.
type costing struct {
	line      toolLine
	described map[string]bool
	spent     int
}

func newCosting(line toolLine) *costing {
	return &costing{line: line, described: map[string]bool{}}
}

func (c *costing) of(t toolbox.Tool) int {
	cost := 1 + tokens(t.Name)
	if !c.described[t.Name] {
		cost += 1 + tokens(c.line(t))
	}
	return cost
}

func (c *costing) take(t toolbox.Tool) {
	c.spent += c.of(t)
	c.described[t.Name] = true
}
