package toolgraph

import "slices"

// Candidates returns the names of the tools that can be part of a solution of the query: their
// arguments can be derived from what is given or made (forward reachability), their output helps to
// derive the goal (backward relevance), and their domain is included. No solution is lost. It takes
// linear time in the size of the graph. For an invalid query it returns nil.
func (g *Graph) Candidates(q Query) []string {
	s, err := g.scope(q)
	if err != nil {
		return nil
	}
	s.prune()
	var names []string
	for t, live := range s.live {
		if live {
			names = append(names, g.tools[t].Name)
		}
	}
	return names
}

// prune computes the candidates.
func (s *scope) prune() {
	start := make([]int32, len(s.leaves))
	for i, l := range s.leaves {
		start[i] = l.typ
	}
	fired, available := s.forward(start, s.inDomains(), s.many)
	s.live = s.backward(fired, available)
}

// inDomains returns for each tool whether it is in the query's domains.
func (s *scope) inDomains() []bool {
	wanted := make([]bool, len(s.domainIDs))
	wanted[0] = true
	for _, name := range s.query.Domains {
		if id, ok := s.domainIDs[name]; ok {
			wanted[id] = true
		}
	}
	in := make([]bool, len(s.tools))
	for t := range in {
		in[t] = len(s.query.Domains) == 0 || wanted[s.domain[t]]
	}
	return in
}

// forward returns which tools can be applied, starting from resources of the start types, and which
// argument types then have a source. many lists the givens for an argument for many, by type; nil
// means that anything derivable is enough.
func (h *hyperedges) forward(start []int32, in []bool, many [][]int32) (fired, available []bool) {
	fired = make([]bool, len(h.ret))
	available = make([]bool, len(h.uses))
	have := make([]bool, len(h.uses))
	var queue []int32 // derivable types
	add := func(t int32) {
		if !have[t] {
			have[t] = true
			queue = append(queue, t)
		}
	}
	missing := slices.Clone(h.needs)
	filled := func(p place) { // counts one more argument of the tool as available
		if !h.argument(p).optional {
			missing[p.tool]--
		}
		if missing[p.tool] == 0 && in[p.tool] && !fired[p.tool] {
			fired[p.tool] = true
			add(h.ret[p.tool])
		}
	}
	for t, leaves := range many {
		if len(leaves) == 0 {
			continue
		}
		for _, p := range h.uses[t] {
			if h.argument(p).many {
				filled(p)
			}
		}
	}
	for _, t := range start {
		add(t)
	}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		for _, want := range h.fits[t] {
			if available[want] {
				continue
			}
			available[want] = true
			for _, p := range h.uses[want] {
				if many == nil || !h.argument(p).many {
					filled(p)
				}
			}
		}
	}
	return fired, available
}

// backward returns which applicable tools lead to the goal.
func (s *scope) backward(fired, available []bool) []bool {
	live := make([]bool, len(s.ret))
	wanted := make([]bool, len(s.uses))
	wanted[s.goal] = true
	queue := []int32{s.goal}
	for len(queue) > 0 {
		made := queue[0]
		queue = queue[1:]
		for _, tool := range s.makers[made] {
			if !fired[tool] {
				continue
			}
			live[tool] = true
			for _, a := range s.argsOf(tool) {
				if a.many || !available[a.typ] {
					continue
				}
				for _, t := range s.fitted[a.typ] {
					if !wanted[t] {
						wanted[t] = true
						queue = append(queue, t)
					}
				}
			}
		}
	}
	return live
}
