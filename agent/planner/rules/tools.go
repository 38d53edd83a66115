package rules

import (
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// tools is what is known of the tools, and of which words ask for them.
type tools struct {
	*grammar

	catalogue *toolbox.Catalogue
	index     *retrieve.Index
	profiles  []profile           // in the order of the catalogue
	byName    map[string]int      // profiles
	makers    map[plan.Type][]int // profiles of the tools that return the type
}

// newTools compiles a catalogue. The grammar learns the verbs of the examples.
func newTools(g *grammar, c *toolbox.Catalogue) *tools {
	ts := &tools{grammar: g, catalogue: c, index: retrieve.New(g.lexicon, c.Tools()), byName: map[string]int{}, makers: map[plan.Type][]int{}}
	for i, t := range c.Tools() {
		ts.profiles = append(ts.profiles, ts.compile(t))
		ts.byName[t.Name] = i
		ts.makers[t.Returns] = append(ts.makers[t.Returns], i)
		for _, example := range t.Examples {
			g.learnVerb(example)
		}
	}
	return ts
}
