package rules

import (
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// chain raises the tools on the way to the head of a subtask: their words are not near to the
// request, and yet there is no way without them.
type chain struct {
	*tools

	head   *profile
	steps  []*profile         // the candidates
	near   map[string]float64 // by words
	scores map[string]float64
	have   map[plan.Type]bool // what the subtask gives
	object bool               // it names a thing
}

// climb raises, level by level, the makers of what the level before lacks, and what makes the
// many things out of which they pick some.
func (c *chain) climb(r plan.Request, sub plan.Subtask) {
	for _, a := range sub.Args {
		if pictureOf(r, a.Source) == "" || c.head.takesMark() { // a head that takes whole pictures is only shown the part
			c.have[a.Type], c.have[base(a.Type)] = true, true
		}
		c.object = c.object || a.Type == plan.Text && (a.Meaning == plan.Object || a.Meaning == "")
	}
	done := map[string]bool{c.head.Name: true}
	level := []*profile{c.head}
	for score := useful + 0.2; score >= poor-0.4 && len(level) > 0; score -= 0.5 {
		var next []*profile
		for _, f := range level {
			for _, a := range f.Args {
				if !a.Optional && !c.have[a.Type] {
					next = append(next, c.makersOf(a, score, done)...)
				}
			}
		}
		level = next
	}
}

// makersOf raises the tools that make an argument and are not done yet. The nearer is likelier,
// and so is the one of more systems, and one that is told the thing where one is named.
func (c *chain) makersOf(a toolbox.Arg, score float64, done map[string]bool) []*profile {
	named := c.index.Named(a.About) // the tool that the argument is said to come from
	var found []*profile
	for _, f := range c.steps {
		if done[f.Name] || f.Returns != a.Type {
			continue
		}
		done[f.Name] = true
		found = append(found, f)
		lift := score + 0.6*c.near[f.Name]
		switch named {
		case f.Name:
			c.scores[f.Name] = highest - 0.1
		case "":
			c.scores[f.Name] = min(highest-0.1, max(c.scores[f.Name], lift))
		default:
			c.scores[f.Name] = min(c.scores[f.Name], poor)
		}
	}
	return found
}
