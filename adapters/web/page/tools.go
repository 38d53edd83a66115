package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"atelier/adapters/web/markup"
)

// domain is the tools of one domain.
type domain struct {
	ID, Name string
	Tools    []Tool
}

// domains groups tools by their domain, live ones first, otherwise in the catalogue's order.
func (say speaker) domains(tools []Tool) []domain {
	var all []domain
	for _, t := range tools {
		called := say.term(t.Domain)
		at := slices.IndexFunc(all, func(d domain) bool { return d.Name == called })
		if at < 0 {
			at = len(all)
			all = append(all, domain{ID: "domain-" + strconv.Itoa(at), Name: called})
		}
		all[at].Tools = append(all[at].Tools, t)
	}
	for _, d := range all {
		slices.SortStableFunc(d.Tools, func(a, b Tool) int { return liveFirst(a.Live, b.Live) })
	}
	slices.SortStableFunc(all, func(a, b domain) int { return liveFirst(live(a.Tools) > 0, live(b.Tools) > 0) })
	return all
}

func liveFirst(a, b bool) int {
	rank := map[bool]int{true: 0, false: 1}
	return cmp.Compare(rank[a], rank[b])
}

// ListOf returns the list of the tools that a query found among all.
func ListOf(query string, found, all []Tool) ToolList {
	return ToolList{Query: query, Tools: found, Live: live(all), All: len(all)}
}

// live counts the tools that can run.
func live(tools []Tool) int {
	n := 0
	for _, t := range tools {
		if t.Live {
			n++
		}
	}
	return n
}

// term translates the name of a domain or type, or returns it unchanged.
func (say speaker) term(name string) string {
	name = strings.ReplaceAll(markup.Name(name), "-", " ")
	if strings.Contains(name, "%") { // it cannot be a format
		return name
	}
	return say(name)
}
