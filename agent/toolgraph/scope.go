package toolgraph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"atelier/agent/plan"
)

// scope is a query with types and tools as indexes.
type scope struct {
	*Graph
	query  Query // with defaults applied
	goal   int32
	leaves []leaf    // the inputs, required givens first
	full   uint64    // the required givens, one bit each
	many   [][]int32 // type → leaves of the required givens that fit it, in order; none if they are too few

	live  []bool    // tool → whether it is a candidate
	score []float64 // of the candidates
	price []cost    // of the candidates
}

// leaf is an input of a search: a required given, the optional givens of one type (which need not
// be distinguished, as none of them must be used), or a made chain.
type leaf struct {
	typ   int32
	price cost
	cover uint64 // the required givens it uses
	// sources are the interchangeable sources of the leaf: for a required given, all required
	// givens of its type. Empty for a chain.
	sources []plan.Source
	own     int            // index of a required given's own source
	means   plan.Meaning   // of a required given
	several bool           // may be several resources
	with    uint64         // the required given that it goes with, 0 for none
	made    *plan.Solution // the chain
	tools   []int32        // of the chain
}

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

// scope validates the query and converts it to indexes.
func (g *Graph) scope(q Query) (*scope, error) {
	if err := errors.Join(q.limits(), g.knows(q), sound(q.Made)); err != nil {
		return nil, err
	}
	s := &scope{Graph: g, query: q, goal: g.typeIDs[q.Goal], many: make([][]int32, len(g.types))}
	s.addGiven()
	if len(s.leaves) > MaxGiven {
		return nil, fmt.Errorf("%w: too many required resources: %d, the limit is %d", ErrQuery, len(s.leaves), MaxGiven)
	}
	s.addOptional()
	s.addMade()
	return s, nil
}

// limits sets the query's defaults and validates its numbers.
func (q *Query) limits() error {
	var errs []error
	for _, n := range []struct {
		name         string
		value        *int
		zero, atMost int
	}{
		{"MaxActions", &q.MaxActions, DefaultMaxActions, maxActions},
		{"K", &q.K, DefaultK, math.MaxInt},
		{"VisitCap", &q.VisitCap, DefaultVisitCap, math.MaxInt},
	} {
		if *n.value < 0 || *n.value > n.atMost {
			errs = append(errs, fmt.Errorf("%w: %s is %d", ErrQuery, n.name, *n.value))
		}
		if *n.value == 0 {
			*n.value = n.zero
		}
	}
	return errors.Join(errs...)
}

// knows checks that the query uses existing types and valid sources.
func (g *Graph) knows(q Query) error {
	var errs []error
	known := func(what string, t plan.Type) {
		if _, ok := g.typeIDs[t]; !ok {
			errs = append(errs, fmt.Errorf("%w: %s: %w %q", ErrQuery, what, ErrUnknownType, t))
		}
	}
	known("goal", q.Goal)
	for i, given := range q.Given {
		what := fmt.Sprintf("given %d", i+1)
		known(what, given.Type)
		switch given.Source.Kind {
		case plan.OfResource, plan.OfValue, plan.OfSubtask, plan.OfText:
		default:
			errs = append(errs, fmt.Errorf("%w: %s has the source %s", ErrQuery, what, given.Source))
		}
	}
	for i, made := range q.Made {
		if n := len(made.Actions); n > 0 {
			known(fmt.Sprintf("made chain %d", i+1), made.Actions[n-1].Returns)
		}
	}
	return errors.Join(errs...)
}

// sound checks that each chain has actions, which only use earlier ones.
func sound(made []plan.Solution) error {
	var errs []error
	for i, chain := range made {
		if len(chain.Actions) == 0 {
			errs = append(errs, fmt.Errorf("%w: chain %d is empty", ErrQuery, i+1))
		}
		for j, a := range chain.Actions {
			for _, b := range a.Args {
				for _, src := range b.Source.Leaves() {
					if src.Kind == plan.OfAction && (src.Index < 0 || src.Index >= j) {
						errs = append(errs, fmt.Errorf("%w: chain %d: %s uses the output of action %d, which is not an earlier one",
							ErrQuery, i+1, a.Tool, src.Index+1))
					}
				}
			}
		}
	}
	return errors.Join(errs...)
}

// addGiven adds a leaf for each required given.
func (s *scope) addGiven() {
	for i, g := range s.query.Given {
		if s.query.optional(g) || slices.IndexFunc(s.query.Given, g.same) < i {
			continue
		}
		sources := s.query.sourcesOf(g.Type, false)
		own := slices.IndexFunc(sources, func(src plan.Source) bool { return src.Equal(g.Source) })
		id, typ, bit := num(len(s.leaves)), s.typeIDs[g.Type], uint64(1)<<len(s.leaves)
		s.full |= bit
		s.leaves = append(s.leaves, leaf{typ: typ, cover: bit, sources: sources, own: own, means: g.Means, several: g.Several})
		for _, want := range s.fits[typ] {
			if g.With.Kind == plan.Blank || want == typ {
				s.many[want] = append(s.many[want], id)
			}
		}
	}
	for typ, leaves := range s.many {
		if len(leaves) == 1 && !s.leaves[leaves[0]].several {
			s.many[typ] = nil
		}
	}
	s.pair()
}

// addOptional adds a leaf for the optional givens of each type.
func (s *scope) addOptional() {
	var done []plan.Type
	for _, g := range s.query.Given {
		if !s.query.optional(g) || slices.Contains(done, g.Type) {
			continue
		}
		done = append(done, g.Type)
		s.leaves = append(s.leaves, leaf{typ: s.typeIDs[g.Type], price: extra, sources: s.query.sourcesOf(g.Type, true)})
	}
}

// addMade adds a leaf for each made chain.
func (s *scope) addMade() {
	for i := range s.query.Made {
		chain := &s.query.Made[i]
		l := leaf{typ: s.typeIDs[chain.Actions[len(chain.Actions)-1].Returns], price: extra, made: chain}
		for _, a := range chain.Actions {
			if tool, ok := s.find(a.Tool); ok {
				l.tools = append(l.tools, num(tool))
			}
			for _, b := range a.Args {
				for g := range s.leaves {
					if required := &s.leaves[g]; required.cover != 0 && required.made == nil && takes(b, required.source()) {
						l.cover |= required.cover
					}
				}
			}
		}
		s.leaves = append(s.leaves, l)
	}
}

// means returns the meaning of the leaf or action with that id and type.
func (s *scope) means(id, typ int32) plan.Meaning {
	switch {
	case int(id) < len(s.leaves) && s.leaves[id].made == nil:
		return s.leaves[id].means
	case s.types[typ] == plan.Text:
		return plan.Content
	}
	return ""
}

// source returns the source of a required given.
func (l *leaf) source() plan.Source { return l.sources[l.own] }

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
