// Package toolgraph is the graph of tools and the search over it: ControlLLM's
// Thoughts-on-Graph.
//
// Resource types are the nodes. A tool is a hyperedge from the types of its arguments to the
// type that it returns. A search looks for solutions of a subtask: small graphs of actions that
// lead from what is given to the wanted type.
//
//	types, tools ─ New ─► Graph ─ Subset ─► live Graph
//	                                          │ Candidates   pruned both ways
//	                                          │ (the planner scores them, 1 to 5)
//	                                          ▼ Search       best solutions first
//
// Guarantees:
//   - A Graph is built once and only read: every method is safe for concurrent use.
//   - It is pure: no model, no I/O, no clock, no randomness. The same query and scores give the
//     same answer.
//   - With every strategy, a solution is well typed, takes only what is given or made, and uses
//     the output of each of its actions and every required given.
//   - Solutions differ: no two use the same tools, and none is padded. A padded solution has all
//     tools of a cheaper one and others that add nothing. A tool adds something if it provides
//     a proper picture where the cheaper solution has a special one, such as a mask.
//   - A given that is about another one ([Given.With]), like a mark on a picture, is used only
//     together with that one, or with something that was made of it alone by tools that move
//     nothing.
//   - Nothing is made from nothing: a tool takes part only if each required argument has a
//     source of its type.
//   - [BestFirst] finds the cheapest solution. The others contain only tools with a score of 3 or
//     more and are sorted by cost; there may be none. Each tool that makes the goal with a score
//     of 4 or more is in at least one solution, if there is room for it and the toolbox has fewer
//     than a few thousand tools. Only for this is a padded solution, or one with a poor tool,
//     accepted.
//   - The four depth-first strategies are ControlLLM's Algorithm 1.
//
// Solutions are ordered by cost. An action costs 2^(5−score): 1 for a tool that is surely right,
// 16 for an unrelated one. A special picture used as an ordinary one costs 1 more. An optional
// given, the output of a chain that runs anyway, and a text with another meaning than the one
// asked for cost 1/16 each. Equal actions within a solution are one action and cost once.
//
// A tool occurs twice on one way from a given to the goal only if it joins givens both times: it
// may change a picture by one text and then by another, but not blur what was blurred. In
// parallel it may occur any number of times (captions of two pictures). The depth-first
// strategies use no tool twice, as in the paper.
package toolgraph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
)

// The errors for which [New] rejects tools.
var (
	ErrUnknownType = errors.New("unknown resource type")
	ErrDuplicate   = errors.New("duplicate name")
	ErrNoArguments = errors.New("has no arguments, so no search can use it")
	ErrOptionals   = errors.New("has more than three optional arguments")
	ErrUnreachable = errors.New("cannot be reached from any input")
)

// General is the domain whose tools take part in every search.
const General = "general"

const maxOptionals = 3

// Arg is one argument of a tool.
type Arg struct {
	Name string
	Type plan.Type
	// Means is the required meaning of a text, "" for any.
	Means plan.Meaning
	// Optional arguments may stay blank: the tool is a hyperedge with and without them.
	Optional bool
	// Many arguments take every required given that fits their type: at least two, or one that is
	// several (collage, join).
	Many bool
}

// Tool is a hyperedge of the graph: from the types of its arguments to the type that
// it returns.
type Tool struct {
	Name    string
	Domain  string
	Args    []Arg
	Returns plan.Type
	// Moves reports whether the tool moves things in a picture: it turns, crops or scales it.
	Moves bool
}

// Graph is an immutable set of tools to search.
type Graph struct {
	types   []plan.Type
	typeIDs map[plan.Type]int32
	tools   []Tool // by name
	hyperedges
}

// New returns the graph of these tools over these resource types. If any tool is invalid it fails
// and reports every error at once, each wrapping one of the Err values.
func New(types []plan.Type, tools []Tool) (*Graph, error) {
	types = slices.Clone(types)
	slices.Sort(types)
	types = slices.Compact(types)
	tools = slices.Clone(tools)
	slices.SortStableFunc(tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })

	var errs []error
	var sound []Tool
	for i, t := range tools {
		faults := t.faults(types)
		if i > 0 && t.Name == tools[i-1].Name {
			faults = append(faults, ErrDuplicate)
		}
		for _, err := range faults {
			errs = append(errs, fmt.Errorf("tool %q: %w", t.Name, err))
		}
		if len(faults) == 0 {
			sound = append(sound, t)
		}
	}
	g := compile(types, sound)
	for _, name := range g.unreachable() {
		errs = append(errs, fmt.Errorf("tool %q: %w", name, ErrUnreachable))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return g, nil
}

// faults returns the errors of the tool by itself.
func (t Tool) faults(types []plan.Type) []error {
	var errs []error
	known := func(typ plan.Type) {
		if _, ok := slices.BinarySearch(types, typ); !ok {
			errs = append(errs, fmt.Errorf("%w %q", ErrUnknownType, typ))
		}
	}
	optionals := 0
	for _, a := range t.Args {
		known(a.Type)
		if a.Optional {
			optionals++
		}
	}
	known(t.Returns)
	if len(t.Args) == 0 {
		errs = append(errs, ErrNoArguments)
	}
	if optionals > maxOptionals {
		errs = append(errs, ErrOptionals)
	}
	return errs
}

// Subset returns the graph of the tools accepted by keep: the live part of a catalogue. It never
// fails; unreachable tools are ignored by its searches.
func (g *Graph) Subset(keep func(tool string) bool) *Graph {
	var kept []Tool
	for _, t := range g.tools {
		if keep(t.Name) {
			kept = append(kept, t)
		}
	}
	return compile(g.types, kept)
}

// Tool returns the tool with that name.
func (g *Graph) Tool(name string) (Tool, bool) {
	i, ok := g.find(name)
	if !ok {
		return Tool{}, false
	}
	return g.tools[i], true
}

func (g *Graph) find(name string) (int, bool) {
	return slices.BinarySearchFunc(g.tools, name, func(t Tool, name string) int {
		return strings.Compare(t.Name, name)
	})
}

// unreachable returns the tools that cannot be reached from any input.
func (g *Graph) unreachable() []string {
	var start []int32
	for id, t := range g.types {
		if brought(t) {
			start = append(start, num(id))
		}
	}
	all := make([]bool, len(g.tools))
	for t := range all {
		all[t] = true
	}
	fired, _ := g.forward(start, all, nil)
	var names []string
	for t, ok := range fired {
		if !ok {
			names = append(names, g.tools[t].Name)
		}
	}
	return names
}

// brought reports whether a person can provide a resource of this type: a file, a mark on a
// picture, a text. The types listed here come only from tools; a toolbox's own types can be
// provided.
func brought(t plan.Type) bool {
	return !slices.Contains([]plan.Type{plan.Tags, plan.Title, plan.Location, plan.Weather, plan.Time, plan.Facts, plan.Category}, t)
}

// hyperedges represent types and tools by indexes, so that a search handles no strings.
type hyperedges struct {
	args   []argument // of all tools, concatenated
	first  []int32    // tool → its first argument; one more entry than tools
	ret    []int32    // tool → its result type
	needs  []int32    // tool → number of required arguments
	domain []int32    // tool → its domain; 0 is General

	domainIDs map[string]int32

	uses   [][]place // type → the arguments of that type
	makers [][]int32 // type → the tools that return it
	fits   [][]int32 // type → the types it fits, itself first
	fitted [][]int32 // type → the types that fit it, itself first
}

type argument struct {
	typ            int32
	optional, many bool
	means          plan.Meaning
}

// num converts the index of a type, tool or item: there are far fewer than 2^31 of any.
func num(n int) int32 { return int32(n) } //nolint:gosec // see above

// place is one argument of one tool.
type place struct{ tool, arg int32 }

func (h *hyperedges) argsOf(tool int32) []argument { return h.args[h.first[tool]:h.first[tool+1]] }

func (h *hyperedges) argument(p place) argument { return h.args[h.first[p.tool]+p.arg] }

// compile indexes the tools, which must be sorted by name and valid.
func compile(types []plan.Type, tools []Tool) *Graph {
	g := &Graph{types: types, tools: tools, typeIDs: make(map[plan.Type]int32, len(types))}
	for id, t := range types {
		g.typeIDs[t] = num(id)
	}
	g.domainIDs = map[string]int32{General: 0}
	g.uses = make([][]place, len(types))
	g.makers = make([][]int32, len(types))
	g.first = append(make([]int32, 0, len(tools)+1), 0)
	g.ret = make([]int32, len(tools))
	g.needs = make([]int32, len(tools))
	g.domain = make([]int32, len(tools))
	for i, t := range tools {
		tool := num(i)
		for a, arg := range t.Args {
			typ := g.typeIDs[arg.Type]
			g.args = append(g.args, argument{typ, arg.Optional, arg.Many, arg.Means})
			g.uses[typ] = append(g.uses[typ], place{tool, num(a)})
			if !arg.Optional {
				g.needs[tool]++
			}
		}
		g.first = append(g.first, num(len(g.args)))
		g.ret[tool] = g.typeIDs[t.Returns]
		g.makers[g.ret[tool]] = append(g.makers[g.ret[tool]], tool)
		if _, ok := g.domainIDs[t.Domain]; !ok {
			g.domainIDs[t.Domain] = num(len(g.domainIDs))
		}
		g.domain[tool] = g.domainIDs[t.Domain]
	}
	g.fit()
	return g
}

// fit records which types fit which. Only built-in types fit others.
func (g *Graph) fit() {
	g.fits = make([][]int32, len(g.types))
	g.fitted = make([][]int32, len(g.types))
	for id := range g.types {
		g.fits[id] = []int32{num(id)}
		g.fitted[id] = []int32{num(id)}
	}
	for _, t := range plan.Types() {
		have, ok := g.typeIDs[t]
		if !ok {
			continue
		}
		for _, u := range append(plan.Types(), plan.AnyFile) {
			if want, ok := g.typeIDs[u]; ok && t != u && t.Fits(u) {
				g.fits[have] = append(g.fits[have], want)
				g.fitted[want] = append(g.fitted[want], have)
			}
		}
	}
}

// misfitting returns the extra cost of a resource of type typ for an argument of type want.
func (h *hyperedges) misfitting(typ, want int32) cost {
	if typ != want {
		return misfit
	}
	return 0
}

// misplacing returns the extra cost of a text with another meaning than the argument requires.
func misplacing(have, want plan.Meaning) cost {
	if have != "" && want != "" && have != want {
		return extra
	}
	return 0
}
