package rules

import (
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/retrieve"
)

// quotePasted puts a table that is pasted into a request into quotation marks, so that its lines and commas
// separate no orders: "a bar chart of this:\nMon,3\nTue,5".
func (p *Planner) quotePasted(wish string) string {
	lines := strings.Split(strings.ReplaceAll(wish, "\r\n", "\n"), "\n")
	for from := range lines {
		for _, separator := range []string{"|", "\t", ";", ","} {
			to := from
			for to < len(lines) && strings.Count(lines[to], separator) == strings.Count(lines[from], separator) {
				to++
			}
			if !strings.Contains(lines[from], separator) || !p.isTable(lines[from:to]) {
				continue
			}
			before, after := unfenced(lines[:from]), unfenced(lines[to:])
			table := strings.Join(lines[from:to], english.LineEnd)
			return strings.TrimSpace(strings.Join(before, "\n")) + " “" + table + "” " + strings.TrimSpace(strings.Join(after, "\n"))
		}
	}
	return wish
}

// isTable reports whether lines with as many cells each are a table: most of them do not begin with an order.
func (p *Planner) isTable(lines []string) bool {
	orders := 0
	for _, l := range lines {
		if words := p.Lexicon.Words(l, []retrieve.Span{}); len(words) > 0 && p.IsVerb(words[0]) { // a column may be called "name"
			orders++
		}
	}
	return len(lines) > 1 && 2*orders <= len(lines) && !strings.ContainsAny(strings.Join(lines, ""), "“”")
}

// unfenced leaves out the marks of a block of code.
func unfenced(lines []string) []string {
	var rest []string
	for _, l := range lines {
		if !strings.HasPrefix(strings.TrimSpace(l), "```") {
			rest = append(rest, l)
		}
	}
	return rest
}

// unquotePasted restores the line ends of a pasted table in what came of its request.
func unquotePasted(o *outcome) {
	restore := func(s string) string { return strings.ReplaceAll(s, english.LineEnd, "\n") }
	for i := range o.subtasks {
		sub := &o.subtasks[i]
		for j := range sub.Said {
			if strings.Contains(sub.Said[j].Text(), english.LineEnd) { // the words beside the table may name a column
				sub.Said[j] = plan.Said{Words: beside(sub.Description), Type: sub.Said[j].Type}
			}
		}
		for j := range sub.Args {
			sub.Args[j].Source.Value = restore(sub.Args[j].Source.Value)
		}
		sub.Description = restore(sub.Description)
	}
	for i := range o.left {
		o.left[i] = plan.Leftover{Part: restore(o.left[i].Part), Unknown: o.left[i].Unknown}
	}
}

// beside is what a description says before and after its pasted table.
func beside(description string) string {
	before, rest, _ := strings.Cut(description, "“")
	_, after, _ := strings.Cut(rest, "”")
	return strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(after))
}
