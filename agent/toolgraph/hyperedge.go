package toolgraph

import "atelier/agent/plan"

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
