package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// raising lifts the tools that make what the head of a subtask lacks: their words are
// not near to the wish, and yet there is no way without them.
type raising struct {
	m      *Mind
	head   toolbox.Tool
	tools  []toolbox.Tool     // the candidates
	near   map[string]float64 // by words
	scores map[string]float64 // what is raised
	have   map[plan.Type]bool // what the subtask gives
	object bool               // it names a thing
}

// raise lifts the tools that make what the head lacks, and what those lack in turn.
func (m *Mind) raise(sub plan.Subtask, head toolbox.Tool, tools []toolbox.Tool, near, scores map[string]float64) {
	r := raising{m: m, head: head, tools: tools, near: near, scores: scores, have: map[plan.Type]bool{}}
	for _, a := range sub.Args {
		r.have[a.Type] = true
		r.have[baseType(a.Type)] = true
		r.object = r.object || a.Type == plan.Text && (a.Meaning == plan.Object || a.Meaning == "")
	}
	if r.object {
		r.pickGiven()
	}
	r.climb()
	r.feedHead()
	if r.object && !takesType(head, plan.Text) {
		r.pickOne()
	}
}

// atLeast raises the score of a tool.
func (r *raising) atLeast(t toolbox.Tool, score float64) {
	r.scores[t.Name] = max(r.scores[t.Name], score)
}

// pickGiven lifts what picks the thing that is meant out of what is given.
func (r *raising) pickGiven() {
	for _, t := range r.tools {
		if (!t.Returns.Media() || t.Returns == plan.Mask) && r.have[t.Returns] && picker(t) {
			r.atLeast(t, pickGiven)
		}
	}
}

// climb lifts, level by level, what makes that which the level before it lacks.
func (r *raising) climb() {
	done := map[string]bool{r.head.Name: true}
	level := []toolbox.Tool{r.head}
	for lift := headLift; lift >= lastLift && len(level) > 0; lift -= stepLift {
		var next []toolbox.Tool
		for _, t := range level {
			for _, a := range t.Args {
				if !a.Optional && !r.have[a.Type] {
					next = append(next, r.makers(a, lift, done)...)
				}
			}
		}
		for _, t := range next {
			r.feedPicker(t, lift)
		}
		level = next
	}
}

// makers lifts the tools that make an argument and are not done yet.
func (r *raising) makers(a toolbox.Arg, lift float64, done map[string]bool) []toolbox.Tool {
	named := r.m.index.Named(a.About) // the tool that the argument is said to come from
	var found []toolbox.Tool
	for _, t := range r.tools {
		if done[t.Name] || t.Returns != a.Type {
			continue
		}
		done[t.Name] = true
		found = append(found, t)
		switch named {
		case t.Name:
			r.scores[t.Name] = namedMaker
		case "":
			r.scores[t.Name] = min(namedMaker, max(r.scores[t.Name], r.lifted(t, lift)))
		default:
			r.scores[t.Name] = min(r.scores[t.Name], otherMaker)
		}
	}
	return found
}

// lifted is the score of a maker at a level.
func (r *raising) lifted(t toolbox.Tool, lift float64) float64 {
	if takes(t, plan.Object) != r.object {
		lift -= pickPenalty
	}
	merit := nearLift*r.near[t.Name] + originLift*float64(len(t.Origins))
	return lift + merit
}

// feedPicker lifts what makes the many things out of which a tool picks one kind.
func (r *raising) feedPicker(picks toolbox.Tool, lift float64) {
	if !slices.ContainsFunc(picks.Args, func(a toolbox.Arg) bool { return !a.Optional && a.Type == picks.Returns }) {
		return
	}
	for _, t := range r.tools {
		if t.Returns == picks.Returns && t.Name != picks.Name {
			r.atLeast(t, lift-pickedPlus+nearLift*r.near[t.Name])
		}
	}
}

// feedHead lifts what makes the many things out of which the head itself picks.
func (r *raising) feedHead() {
	if r.have[r.head.Returns] || !takesType(r.head, r.head.Returns) {
		return
	}
	for _, t := range r.tools {
		if t.Returns == r.head.Returns && t.Name != r.head.Name {
			r.atLeast(t, headPicks+nearLift*r.near[t.Name])
		}
	}
}

// pickOne lifts what picks the one thing that is meant where the head finds all of a
// kind.
func (r *raising) pickOne() {
	for _, t := range r.tools {
		if t.Returns == r.head.Returns && t.Name != r.head.Name && picker(t) {
			r.atLeast(t, pickOne)
		}
	}
}
