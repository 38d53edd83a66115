package toolbox

import (
	"fmt"
	"slices"
)

// Warnings lists what is probably a mistake in a tool's file, though the tool can run.
func (t *Tool) Warnings() []string {
	var all []string
	for _, b := range t.Backends {
		var used map[string]bool
		switch {
		case b.Recipe != nil && b.Recipe.Argv != nil:
			used = b.Recipe.Uses()
		case b.Request != nil:
			used = b.Request.Uses()
		default:
			continue
		}
		for _, a := range t.Args {
			if !used[a.Name] {
				all = append(all, fmt.Sprintf("backend %s: no slot uses %s, so what people say or send there is lost", b.name(), a.Name))
			}
		}
	}
	if len(t.Effects) == 0 {
		all = append(all, "there are no effects, so no result is checked; write effects, or none with the reason")
	}
	return all
}

// Domains are those of the tools, sorted.
func (c *Catalogue) Domains() []string {
	var all []string
	for _, t := range c.tools {
		all = append(all, t.Domain)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
