package effect

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
)

//go:embed effects.txt
var about string

// Known describes an effect that a tool may declare.
type Known struct {
	Name string
	// About says how to write it and when it holds, with its tolerances.
	About string
	// Fields are the keys that its rule may have. "is" is the key of a single-word rule.
	Fields []string
	// Returns are the result types that can have it.
	Returns []plan.Type
}

// List describes all effects.
func List() []Known {
	var all []Known
	for line := range strings.Lines(about) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		s := specs[name]
		k := Known{Name: name, About: text, Fields: slices.Sorted(maps.Keys(s.keys))}
		for _, t := range plan.Types() {
			if s.of != nil && s.of(t) {
				k.Returns = append(k.Returns, t)
			}
		}
		all = append(all, k)
	}
	return all
}
