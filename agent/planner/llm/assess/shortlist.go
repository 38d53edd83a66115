package assess

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/brief"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
)

// candidates are the tools that a subtask asks about, those of the catalogue, each once.
func (job *Assessor) candidates(task int, a planner.Assessment) *shortlist {
	l := &shortlist{task: task, subtask: a.Subtask}
	seen := map[string]bool{}
	for _, name := range a.Candidates {
		if t, ok := job.config.Catalogue.Tool(name); ok && !seen[name] {
			seen[name] = true
			l.tools = append(l.tools, t)
		}
	}
	return l
}

// shortlist holds the tools that are asked about for one task.
type shortlist struct {
	task    int // among those of the call
	subtask plan.Subtask
	tools   []toolbox.Tool
}

func (l *shortlist) names() []string {
	names := make([]string, len(l.tools))
	for i, t := range l.tools {
		names[i] = t.Name
	}
	return names
}

func (l *shortlist) has(name string) bool {
	for _, t := range l.tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// shorten gives the lists cut to the part of the context that candidates may take, and
// tells how their tools are described: briefly, plainly where that is too long, and with
// the tools farthest from their tasks left out where that is too long still. A list that
// would keep none is left out.
func (job *Assessor) shorten(lists []*shortlist, wish string) ([]*shortlist, brief.ToolLine) {
	budget := job.context / toolShare
	for _, line := range []brief.ToolLine{brief.ShortTool, brief.PlainTool} {
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
	cost := newCosting(brief.PlainTool)
	near := make([][]toolbox.Tool, len(lists))
	kept := make([]map[string]bool, len(lists))
	longest := 0
	for i, l := range lists {
		near[i] = job.nearest(l, wish)
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
	return cut, brief.PlainTool
}

// nearest are the tools of a list, those nearest to its task first.
func (job *Assessor) nearest(l *shortlist, wish string) []toolbox.Tool {
	place := map[string]int{}
	text := l.subtask.Description + " " + token.Excerpt(wish, brief.DescriptionBytes)
	for i, hit := range job.config.Index.Nearest(text) {
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
	line      brief.ToolLine
	described map[string]bool
	spent     int
}

func newCosting(line brief.ToolLine) *costing {
	return &costing{line: line, described: map[string]bool{}}
}

func (c *costing) of(t toolbox.Tool) int {
	cost := 1 + token.Count(t.Name)
	if !c.described[t.Name] {
		cost += 1 + token.Count(c.line(t))
	}
	return cost
}

func (c *costing) take(t toolbox.Tool) {
	c.spent += c.of(t)
	c.described[t.Name] = true
}
