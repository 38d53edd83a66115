package assess

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/brief"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
)

// candidates returns the tools of an assessment that are in the catalogue, without duplicates.
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

// shortlist holds the tools to score for one task.
type shortlist struct {
	task    int // index of the task in the call
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

// shorten fits the lists into the candidates' share of the context. It returns them with the way to
// describe tools: briefly, or plainly if that is too long; if that is still too long, it drops the
// tools farthest from their tasks. A list that would be empty is dropped.
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
	for rank := range longest { // in turns, so that no task is left without tools
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

// nearest returns the tools of a list, nearest to its task first.
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

// rankOf returns the rank of a tool; tools without one come last.
func rankOf(place map[string]int, t toolbox.Tool) int {
	if at, ok := place[t.Name]; ok {
		return at
	}
	return len(place)
}

// costing adds up the tokens of candidates: each tool is described once, and named once per task.
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
