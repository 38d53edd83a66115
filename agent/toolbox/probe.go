package toolbox

import (
	"context"
	"errors"
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
	candidates []string       // that are live here, in the order of the backings
	whys       []plan.Message // not, where there are none
}

// Local lists what this process can run: for each tool that has a live backing here, the
// candidates ([Backing.Candidate]), in the catalogue's order. It is what other processes
// are told, whose [Config].Elsewhere it becomes. It answers from the last probes while
// they are fresh, and fails only when ctx ends.
func (t *Toolbox) Local(ctx context.Context) (map[string][]string, error) {
	p, err := t.probeAll(ctx)
	if err != nil {
		return nil, err
	}
	able := map[string][]string{}
	for _, l := range p.tools {
		if len(l.candidates) > 0 {
			able[l.tool.Name] = slices.Clone(l.candidates)
		}
	}
	return able, nil
}

// others is what other processes can run. Where that cannot be learnt, it is nothing: a
// plan over what is here is better than none.
func (t *Toolbox) others(ctx context.Context) (map[string][]string, error) {
	nothing := map[string][]string{}
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
func (p *probed) with(others map[string][]string) *Liveness {
	l := &Liveness{statuses: make([]Status, len(p.tools)), byName: make(map[string]int, len(p.tools))}
	for i, at := range p.tools {
		status := Status{Tool: at.tool, Whys: at.whys, Why: clauses(at.whys)}
		for _, b := range at.tool.Backends {
			if c := b.Candidate(); slices.Contains(at.candidates, c) || slices.Contains(others[at.tool.Name], c) {
				status = Status{Tool: at.tool, Live: true, Backing: b}
				break
			}
		}
		l.statuses[i], l.byName[at.tool.Name] = status, i
	}
	return l
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
	for _, b := range tool.Backends {
		err := t.probe(ctx, b)
		if err == nil {
			l.candidates = append(l.candidates, b.Candidate())
			continue
		}
		if lack, ok := errors.AsType[*lack](err); ok {
			lacks = append(lacks, lack)
			continue
		}
		whys = append(whys, plan.Sentence(err, plan.Say("Its backend does not answer.")))
	}
	if len(l.candidates) == 0 {
		l.whys = slices.Concat(whys, together(lacks))
	}
	return l
}

// probe asks the make of the backing. A probe that panics is a backing that is not live.
func (t *Toolbox) probe(ctx context.Context, b Backing) (err error) {
	backend, ok := t.backends[b.Kind]
	if !ok {
		l := newLack(b)
		return &plan.Fault{Sentence: l.sentence(), Err: l}
	}
	defer func() {
		if p := recover(); p != nil {
			err = &plan.Fault{Sentence: plan.Say("Its backend is broken."), Err: fmt.Errorf("probe of %s panicked: %s", b.Candidate(), panicked(p))}
		}
	}()
	return backend.Probe(ctx, b)
}
