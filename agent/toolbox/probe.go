package toolbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"atelier/agent/plan"
)

// probed is what the backings of this process answered at one moment. It is read only.
type probed struct {
	at    time.Time
	tools []local // in the order of the catalogue
}

// local is what this process can do with a tool.
type local struct {
	tool       Tool
	candidates []plan.Candidate // that are live here, in the order in which they are tried
	whys       []plan.Message   // not, where there are none
}

// Local lists what this process can run: for each tool that has a live candidate here, the
// candidates in the order in which they are tried. It is what other processes
// are told, whose [Config].Elsewhere it becomes. It answers from the last probes while
// they are fresh, and fails only when ctx ends.
func (t *Toolbox) Local(ctx context.Context) (map[string][]plan.Candidate, error) {
	p, err := t.probeAll(ctx)
	if err != nil {
		return nil, err
	}
	able := map[string][]plan.Candidate{}
	for _, l := range p.tools {
		if len(l.candidates) > 0 {
			able[l.tool.Name] = slices.Clone(l.candidates)
		}
	}
	return able, nil
}

// others is what other processes can run. Where that cannot be learnt, it is nothing: a
// plan over what is here is better than none.
func (t *Toolbox) others(ctx context.Context) (map[string][]plan.Candidate, error) {
	nothing := map[string][]plan.Candidate{}
	if t.elsewhere == nil {
		return nothing, nil
	}
	able, err := t.elsewhere(ctx)
	switch {
	case err == nil:
		return able, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask what other processes can run: %w", ctx.Err())
	}
	t.log.WarnContext(ctx, "what other processes can run is not known", "error", plan.ForOperator(err))
	return nothing, nil
}

// with is the union with what other processes can run. What is not in the catalogue
// cannot be planned with, and is left out.
func (p *probed) with(others map[string][]plan.Candidate) *Liveness {
	l := &Liveness{statuses: make([]Status, len(p.tools)), byName: make(map[string]int, len(p.tools))}
	for i, at := range p.tools {
		status := Status{Tool: at.tool, Candidates: union(at.tool, at.candidates, others[at.tool.Name])}
		if status.Live = len(status.Candidates) > 0; !status.Live {
			status.Whys, status.Why = at.whys, clauses(at.whys)
		}
		l.statuses[i], l.byName[at.tool.Name] = status, i
	}
	return l
}

// union puts together what can run here and elsewhere, in the order of their ranks; what
// is known here stands as it does here. A backing that the catalogue does not have cannot
// be planned with.
func union(tool Tool, here, elsewhere []plan.Candidate) []plan.Candidate {
	all := slices.Clone(here)
	for _, c := range elsewhere {
		known := slices.ContainsFunc(tool.Backends, func(b Backing) bool { return b.Kind == c.Kind && b.Run == c.Run })
		if known && !slices.ContainsFunc(all, func(o plan.Candidate) bool { return o.Name == c.Name }) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b plan.Candidate) int { return cmp.Compare(a.Rank, b.Rank) })
	return all
}

// maxProbes is how many tools are probed at a time.
const maxProbes = 8

// probeAll probes every backing of every tool, or answers from the last probes while
// they are fresh.
func (t *Toolbox) probeAll(ctx context.Context) (*probed, error) {
	t.probing.Lock()
	defer t.probing.Unlock() // one prober at a time: the others want the same answer
	now := t.clock()
	if t.probes != nil && now.Sub(t.probes.at) < t.fresh {
		return t.probes, nil
	}
	tools := t.catalogue.Tools()
	p := &probed{at: now, tools: make([]local, len(tools))}
	var g errgroup.Group
	g.SetLimit(maxProbes)
	for i, tool := range tools {
		g.Go(func() error {
			p.tools[i] = t.probeTool(ctx, tool)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // probes that were cut short must not be believed
		return nil, fmt.Errorf("probe the tools: %w", err)
	}
	t.probes = p
	return p, nil
}

func (t *Toolbox) probeTool(ctx context.Context, tool Tool) local {
	l := local{tool: tool}
	var whys []plan.Message
	var lacks []*lack
	for _, c := range t.ways[tool.Name] {
		if err := t.probe(ctx, c); err != nil {
			whys = append(whys, plan.Sentence(err, plan.Say("Its backend does not answer.")))
			continue
		}
		l.candidates = append(l.candidates, c.told())
	}
	for _, b := range tool.Backends {
		if !slices.ContainsFunc(t.servers, func(s Server) bool { return s.Kind == b.Kind }) {
			lacks = append(lacks, newLack(b))
		}
	}
	if len(l.candidates) == 0 {
		l.whys = slices.Concat(distinct(whys), together(lacks))
	}
	return l
}

// distinct are the sentences, each once.
func distinct(all []plan.Message) []plan.Message {
	var each []plan.Message
	for _, m := range all {
		if !slices.ContainsFunc(each, m.Equal) {
			each = append(each, m)
		}
	}
	return each
}

// probe asks the make of the candidate. A probe that panics is a candidate that is not
// live.
func (t *Toolbox) probe(ctx context.Context, c Candidate) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &plan.Fault{Sentence: plan.Say("Its backend is broken."), Err: fmt.Errorf("probe of %s panicked: %s", c.Name(), panicked(p))}
		}
	}()
	return t.server(c).Backend.Probe(ctx, c)
}
