package rules

import (
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/retrieve"
)

// quotePasted puts quotation marks around a table in a request, so that its lines and commas do not separate
// orders: "a bar chart of this:\nMon,3\nTue,5".
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

// isTable reports whether lines with equal numbers of cells are a table: at most half of them begin with a verb.
func (p *Planner) isTable(lines []string) bool {
	orders := 0
	for _, l := range lines {
		if words := p.Lexicon.Words(l, []retrieve.Span{}); len(words) > 0 && p.IsVerb(words[0]) { // a column may be called "name"
			orders++
		}
	}
	return len(lines) > 1 && 2*orders <= len(lines) && !strings.ContainsAny(strings.Join(lines, ""), "“”")
}

// unfenced removes the fences of code blocks.
func unfenced(lines []string) []string {
	var rest []string
	for _, l := range lines {
		if !strings.HasPrefix(strings.TrimSpace(l), "```") {
			rest = append(rest, l)
		}
	}
	return rest
}

// unquotePasted restores the line ends of a pasted table in an outcome.
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
		o.left[i] = plan.Unhandled{Part: restore(o.left[i].Part), Unknown: o.left[i].Unknown}
	}
}

// beside returns the words of a description before and after its pasted table.
func beside(description string) string {
	before, after, _ := strings.Cut(description, english.LineEnd)
	_, after, _ = strings.Cut(after, "”")
	if at := strings.LastIndex(before, "“"); at >= 0 {
		before = before[:at]
	}
	return strings.TrimSpace(strings.TrimRight(before, " :") + " " + strings.TrimSpace(after))
}
