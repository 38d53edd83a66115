package solve

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

// typesOf returns the resources to which the subtasks give a more specific type than picture.
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

// refersBack checks that subtask i refers only to earlier subtasks.
func refersBack(i int, s plan.Subtask) error {
	for _, ref := range refs(s) {
		if ref < 0 || ref >= i {
			return fmt.Errorf("subtask %d depends on subtask %d, which is not an earlier one", i+1, ref+1)
		}
	}
	return nil
}

// refs returns the subtasks that a subtask refers to: in After, and as sources.
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

// ancestors returns the subtasks that subtask i depends on, directly or indirectly, in ascending
// order.
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

// givens returns the inputs of subtask i. Those that the user gave for it must be used; the results
// and inputs of the subtasks it depends on may be used.
func givens(subtasks []plan.Subtask, i int, types map[string]plan.Type, on map[string]string) []toolgraph.Given {
	var all []toolgraph.Given
	add := func(g toolgraph.Given) {
		if !slices.ContainsFunc(all, func(o toolgraph.Given) bool { return o.Source.Equal(g.Source) }) {
			all = append(all, g)
		}
	}
	sources := numbered(subtasks[i].Args)
	for j, a := range subtasks[i].Args {
		g := toolgraph.Given{
			Type: typeOf(a, subtasks, types), Source: sources[j], Means: a.Meaning,
			Several: subtasks[i].Returns == plan.Archive, // which may hold a single file
		}
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

// typeOf returns the type of an argument's source, whatever the argument claims.
func typeOf(a plan.Arg, subtasks []plan.Subtask, types map[string]plan.Type) plan.Type {
	switch a.Source.Kind {
	case plan.OfResource:
		if t, ok := types[a.Source.Name]; ok {
			return t
		}
	case plan.OfSubtask:
		return subtasks[a.Source.Index].Returns
	default: // only the argument itself tells
	}
	return a.Type
}

// A subtask may use the same thing several times: a clip that is joined to itself. The search uses
// each source once, so repetitions get numbers during the search.

// numbered returns the sources of the arguments, in order, with repetitions numbered. Texts are not
// numbered.
func numbered(args []plan.Arg) []plan.Source {
	all := make([]plan.Source, len(args))
	for i, a := range args {
		n := 0
		for _, before := range args[:i] {
			if before.Source.Equal(a.Source) {
				n++
			}
		}
		if n > 0 {
			switch a.Source.Kind {
			case plan.OfResource:
				a.Source.Index = n
			case plan.OfSubtask:
				a.Source.Name = strconv.Itoa(n)
			default: // a text
			}
		}
		all[i] = a.Source
	}
	return all
}

// plainly removes the repetition number of a source.
func plainly(s plan.Source) plan.Source {
	switch s.Kind {
	case plan.OfResource:
		s.Index = 0
	case plan.OfSubtask:
		s.Name = ""
	default: // has none
	}
	return s
}

// unnumbered removes the repetition numbers from solutions.
func unnumbered(solutions []plan.Solution) []plan.Solution {
	all := slices.Clone(solutions)
	for i := range all {
		all[i].Actions = slices.Clone(all[i].Actions)
		for j := range all[i].Actions {
			a := &all[i].Actions[j]
			a.Args = slices.Clone(a.Args)
			for k := range a.Args {
				b := &a.Args[k]
				b.Source = plainly(b.Source)
				b.Options = slices.Clone(b.Options)
				for o := range b.Options {
					b.Options[o] = plainly(b.Options[o])
				}
				b.Options = slices.CompactFunc(b.Options, plan.Source.Equal)
			}
		}
	}
	return all
}

// once drops repeated inputs.
func once(given []toolgraph.Given) []toolgraph.Given {
	return slices.DeleteFunc(slices.Clone(given), func(g toolgraph.Given) bool { return !g.Source.Equal(plainly(g.Source)) })
}
