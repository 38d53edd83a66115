package agent

import (
	"fmt"
	"maps"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

// retype gives the resources of a request the types that are known better than from
// their files.
func retype(r plan.Request, types map[string]plan.Type) plan.Request {
	if len(types) == 0 {
		return r
	}
	change := func(rs []plan.Resource) []plan.Resource {
		rs = slices.Clone(rs)
		for i := range rs {
			if t, ok := types[rs[i].Name]; ok && t.Fits(rs[i].Type) {
				rs[i].Type = t
			}
		}
		return rs
	}
	r.Given, r.Earlier = change(r.Given), change(r.Earlier)
	return r
}

// typesOf tells which resources the subtasks call something more special than a picture.
func typesOf(subtasks []plan.Subtask) map[string]plan.Type {
	types := map[string]plan.Type{}
	for _, s := range subtasks {
		for _, a := range s.Args {
			if a.Source.Kind == plan.OfResource && a.Type.ImageMap() {
				types[a.Source.Name] = a.Type
			}
		}
	}
	return types
}

// refersBack checks that subtask i names only subtasks before it.
func refersBack(i int, s plan.Subtask) error {
	for _, ref := range refs(s) {
		if ref < 0 || ref >= i {
			return fmt.Errorf("subtask %d needs subtask %d, which does not come before it", i+1, ref+1)
		}
	}
	return nil
}

// refs lists the subtasks that one names: those before it and those that it takes from.
func refs(s plan.Subtask) []int {
	all := slices.Clone(s.After)
	for _, a := range s.Args {
		for _, leaf := range a.Source.Leaves() {
			if leaf.Kind == plan.OfSubtask {
				all = append(all, leaf.Index)
			}
		}
	}
	return all
}

// ancestors lists the subtasks that subtask i depends on, directly or not, ascending.
func ancestors(subtasks []plan.Subtask, i int) []int {
	all := map[int]bool{}
	var visit func(int)
	visit = func(i int) {
		for _, ref := range refs(subtasks[i]) {
			if !all[ref] && ref >= 0 && ref < i {
				all[ref] = true
				visit(ref)
			}
		}
	}
	visit(i)
	return slices.Sorted(maps.Keys(all))
}

func (t *thought) ancestors(i int) []int {
	return ancestors(t.earlier(i+1), i)
}

// givens lists what subtask i may use. What the user gave for it must be used; the
// results of the subtasks before it and what was given for those may be.
func givens(subtasks []plan.Subtask, i int, types map[string]plan.Type, on map[string]string) []toolgraph.Given {
	var all []toolgraph.Given
	add := func(g toolgraph.Given) {
		if !slices.ContainsFunc(all, func(o toolgraph.Given) bool { return o.Source.Equal(g.Source) }) {
			all = append(all, g)
		}
	}
	sources := numbered(subtasks[i].Args)
	for j, a := range subtasks[i].Args {
		g := toolgraph.Given{Type: typeOf(a, subtasks, types), Source: sources[j], Means: a.Meaning}
		if picture := on[a.Source.Name]; a.Source.Kind == plan.OfResource && picture != "" {
			g.With, _ = marked(subtasks, i, picture, on)
		}
		add(g)
	}
	for _, before := range ancestors(subtasks, i) {
		add(toolgraph.Given{Type: subtasks[before].Returns, Source: plan.FromSubtask(before), Optional: true})
		for _, a := range subtasks[before].Args {
			if a.Source.Kind == plan.OfResource {
				add(toolgraph.Given{Type: typeOf(a, subtasks, types), Source: a.Source, Optional: true})
			}
		}
	}
	return all
}

// typeOf is the type that the source of an argument has, whatever the argument says.
func typeOf(a plan.Arg, subtasks []plan.Subtask, types map[string]plan.Type) plan.Type {
	switch a.Source.Kind {
	case plan.OfResource:
		if t, ok := types[a.Source.Name]; ok {
			return t
		}
	case plan.OfSubtask:
		return subtasks[a.Source.Index].Returns
	default: // the argument's word is all there is
	}
	return a.Type
}

// byTheWay lists what the subtask's best solution makes on its way to its result, each
// as the shortest chain of actions that makes it: one caption serves two subtasks.
// What hangs on a blank is not decided yet and is left out.
func (p *part) byTheWay() []plan.Solution {
	if len(p.found) == 0 {
		return nil
	}
	actions := p.found[0].Actions
	var chains []plan.Solution
	for last := range len(actions) - 1 {
		chain := plan.Solution{Actions: chainTo(actions, last)}
		if len(chain.Blanks()) == 0 {
			chains = append(chains, chain)
		}
	}
	return chains
}

// chainTo is the actions that action last needs, and itself, numbered anew.
func chainTo(actions []plan.Action, last int) []plan.Action {
	needed := map[int]bool{last: true}
	for i := last; i >= 0; i-- {
		if !needed[i] {
			continue
		}
		for _, b := range actions[i].Args {
			for _, leaf := range b.Source.Leaves() {
				if leaf.Kind == plan.OfAction {
					needed[leaf.Index] = true
				}
			}
		}
	}
	var chain []plan.Action
	place := map[int]int{}
	for i := range last + 1 {
		if !needed[i] {
			continue
		}
		a := actions[i]
		a.Args = slices.Clone(a.Args)
		for j, b := range a.Args {
			a.Args[j].Source = renumber(b.Source, place)
		}
		place[i] = len(chain)
		chain = append(chain, a)
	}
	return chain
}

// renumber gives the actions that a source names their new places.
func renumber(s plan.Source, place map[int]int) plan.Source {
	switch s.Kind {
	case plan.OfAction:
		return plan.FromAction(place[s.Index])
	case plan.OfText:
		parts := slices.Clone(s.Parts)
		for i := range parts {
			parts[i] = renumber(parts[i], place)
		}
		return plan.FromText(s.Value, parts...)
	default:
		return s
	}
}
