package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"atelier/agent/plan"
)

// probed is what the candidates of this process answered. It is read only.
type probed struct {
	at    time.Time
	tools []local // in the order of the catalogue
	// next is when the first of them is to be asked again.
	next time.Time
}

// local is what this process can do with a tool.
type local struct {
	tool       Tool
	answers    []answer
	candidates []plan.Candidate // that are live here, in the order in which they are tried
	whys       []plan.Message   // not, where there are none
}

// answer is what a candidate said to its last probe.
type answer struct {
	candidate Candidate
	err       error // why it is not live
	loading   bool  // it is live, and not yet there
	failed    int   // how many times in a row it was not
	next      time.Time
}

func (a answer) live() bool { return a.err == nil }

func (a answer) why() plan.Message {
	return plan.Sentence(a.err, plan.Say("Its backend does not answer."))
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

// probeAll probes every candidate of every tool that is due, and answers for the others
// from the last time. While [Toolbox.Watch] does so, others do not wait for it.
func (t *Toolbox) probeAll(ctx context.Context) (*probed, error) {
	if p := t.probes.Load(); p != nil && (t.watched.Load() || t.clock().Before(p.next)) {
		return t.withoutAlone(p), nil
	}
	p, err := t.probeDue(ctx)
	if err != nil {
		return nil, err
	}
	return t.withoutAlone(p), nil
}

// maxProbes is how many tools are probed at a time.
const maxProbes = 8

// probeDue probes what is due.
func (t *Toolbox) probeDue(ctx context.Context) (*probed, error) {
	t.probing.Lock()
	defer t.probing.Unlock() // one prober at a time: the others want the same answer
	now := t.clock()
	before := t.probes.Load()
	if before != nil && now.Before(before.next) {
		return before, nil
	}
	tools := t.catalogue.Tools()
	p := &probed{at: now, tools: make([]local, len(tools))}
	var g errgroup.Group
	g.SetLimit(maxProbes)
	for i, tool := range tools {
		var last []answer
		if before != nil {
			last = before.tools[i].answers
		}
		g.Go(func() error {
			p.tools[i] = t.probeTool(ctx, tool, last, now)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // probes that were cut short must not be believed
		return nil, fmt.Errorf("probe the tools: %w", err)
	}
	p.next = now.Add(t.fresh)
	for _, l := range p.tools {
		for _, a := range l.answers {
			if a.next.Before(p.next) {
				p.next = a.next
			}
		}
	}
	t.probes.Store(p)
	return p, nil
}

// again is when a candidate is asked again: soon while it is loading, and the later the
// longer it has not been there.
func (t *Toolbox) again(a answer) time.Duration {
	const soon, longest = 5 * time.Second, 5 * time.Minute
	switch {
	case a.loading:
		return min(soon, t.fresh)
	case a.live():
		return t.fresh
	}
	wait := min(soon, t.fresh)
	for range min(a.failed-1, 16) {
		wait = min(2*wait, max(longest, t.fresh))
	}
	return wait
}

func (t *Toolbox) probeTool(ctx context.Context, tool Tool, last []answer, now time.Time) local {
	l := local{tool: tool}
	for i, c := range t.ways[tool.Name] {
		a := answer{candidate: c}
		if last != nil {
			a = last[i]
		}
		if last == nil || !now.Before(a.next) {
			err := t.probe(ctx, c)
			if a.loading = errors.Is(err, ErrLoading); a.loading {
				err = nil
			}
			if a.err = err; err == nil {
				a.failed = 0
			} else {
				a.failed++
			}
			a.next = now.Add(t.again(a))
		}
		l.answers = append(l.answers, a)
	}
	t.tell(&l)
	return l
}

// tell says of a tool what can run it, and what is missing where nothing can.
func (t *Toolbox) tell(l *local) {
	l.candidates, l.whys = nil, nil
	var whys []plan.Message
	for _, a := range l.answers {
		if !a.live() {
			whys = append(whys, a.why())
			continue
		}
		told := a.candidate.told()
		told.Loading = a.loading
		l.candidates = append(l.candidates, told)
	}
	if len(l.candidates) > 0 {
		return
	}
	var lacks []*lack
	for _, b := range l.tool.Backends {
		if !t.servedHere(b.Kind) {
			lacks = append(lacks, newLack(b))
		}
	}
	l.whys = slices.Concat(distinct(whys), together(lacks))
}

// withoutAlone is what was probed without the candidates that are left alone just now.
func (t *Toolbox) withoutAlone(p *probed) *probed {
	if !t.health.broken() {
		return p
	}
	out := &probed{at: p.at, tools: make([]local, len(p.tools)), next: p.next}
	for i, l := range p.tools {
		out.tools[i] = local{tool: l.tool, answers: slices.Clone(l.answers)}
		for j, a := range l.answers {
			if a.live() {
				out.tools[i].answers[j].err = t.health.alone(a.candidate)
			}
		}
		t.tell(&out.tools[i])
	}
	return out
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
