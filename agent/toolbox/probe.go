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

const (
	// maxProbes is how many candidates of a server are asked after at a time.
	maxProbes = 8
	// roundTime is how long one round of a server's candidates may take. Those whose turn
	// did not come are not live until the next round.
	roundTime = 10 * time.Second
)

// answer is what a candidate said to its last probe.
type answer struct {
	candidate Candidate
	err       error  // why it is not live
	loading   bool   // it is live, and not yet there
	failed    int    // how many times in a row it was not
	model     string // that it asks, as far as its backend knows
	next      time.Time
}

func (a answer) live() bool { return a.err == nil }

func (a answer) why() Why {
	otherwise := plan.Say("Its backend does not answer.")
	return Why{Sentence: plan.Sentence(a.err, otherwise), Operator: plan.OperatorSentence(a.err, otherwise)}
}

// errUnasked is the error of a candidate that nobody has asked after yet.
var errUnasked = &plan.Fault{Sentence: plan.Say("It is still being checked."), Err: errors.New("it was not probed yet")}

// prober asks after the candidates of one server. Servers do not wait for each other.
type prober struct {
	server Server
	at     []spot
	turn   chan struct{} // holds a token for who asks
}

// spot is where an answer stands: of which tool of the catalogue, and which of its ways.
type spot struct{ tool, way int }

// newProbers prepares the asking after all candidates, none of which is known yet.
func (t *Toolbox) newProbers() {
	tools := t.catalogue.All()
	t.known = make([][]answer, len(tools))
	for _, s := range t.servers {
		p := &prober{server: s, turn: make(chan struct{}, 1)}
		for i, tool := range tools {
			for j, c := range t.ways[tool.Name] {
				if c.server() == s.name() && c.Kind == s.Kind {
					p.at = append(p.at, spot{i, j})
				}
			}
		}
		t.probers = append(t.probers, p)
	}
	for i, tool := range tools {
		for _, c := range t.ways[tool.Name] {
			a := answer{candidate: c}
			if !t.server(c).Assumed {
				a.err = errUnasked
			}
			t.known[i] = append(t.known[i], a)
		}
	}
}

// Local lists what this process can run: for each tool that has a live candidate here, the
// candidates in the order in which they are tried. It is what other processes are told,
// whose [Config].Elsewhere it becomes. It answers from the last probes while they are
// fresh, and fails only when ctx ends.
func (t *Toolbox) Local(ctx context.Context) (map[string][]plan.Candidate, error) {
	p, err := t.probeNeeded(ctx)
	if err != nil {
		return nil, err
	}
	able := map[string][]plan.Candidate{}
	for _, l := range p.tools {
		if len(l.candidates) > 0 {
			able[l.tool.Name] = slices.Clone(l.candidates)
			for i := range able[l.tool.Name] {
				able[l.tool.Name][i].Entry = t.catalogue.Hash(l.tool.Name)
			}
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
		return t.agreed(able), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask what other processes can run: %w", ctx.Err())
	}
	t.log.WarnContext(ctx, "what other processes can run is not known", "error", plan.ForOperator(err))
	return nothing, nil
}

// probeAll asks after every candidate that is due, and tells what is known then. While
// [Toolbox.Watch] does so, nobody waits for it.
func (t *Toolbox) probeAll(ctx context.Context) (*probed, error) {
	return t.probeThose(ctx, func(Server) bool { return true })
}

// probeNeeded is probeAll without the servers that are assumed to be up.
func (t *Toolbox) probeNeeded(ctx context.Context) (*probed, error) {
	return t.probeThose(ctx, func(s Server) bool { return !s.Assumed })
}

func (t *Toolbox) probeThose(ctx context.Context, which func(Server) bool) (*probed, error) {
	if !t.watched.Load() {
		if err := t.ask(ctx, which); err != nil {
			return nil, err
		}
	}
	return t.snapshot(), nil
}

// ask asks those servers at once after what is due. It takes a round's time at most, and
// fails only when ctx ends.
func (t *Toolbox) ask(ctx context.Context, which func(Server) bool) error {
	var g errgroup.Group
	for _, p := range t.probers {
		if which(p.server) {
			g.Go(func() error { return t.round(ctx, p) })
		}
	}
	return g.Wait()
}

// round asks after the candidates of one server that are due.
func (t *Toolbox) round(ctx context.Context, p *prober) error {
	select {
	case p.turn <- struct{}{}: // the others want the same answers
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return fmt.Errorf("probe the tools: %w", ctx.Err())
	}
	mine, stop := context.WithTimeout(ctx, roundTime)
	defer stop()
	var g errgroup.Group
	g.SetLimit(maxProbes)
	for _, at := range p.at {
		before := t.answer(at)
		if t.clock().Before(before.next) {
			continue
		}
		g.Go(func() error {
			err := mine.Err()
			if err == nil {
				err = t.probe(mine, before.candidate)
			}
			if ctx.Err() != nil { // a probe that was cut short must not be believed
				return fmt.Errorf("probe the tools: %w", ctx.Err())
			}
			if err != nil && mine.Err() != nil {
				err = &plan.Fault{Sentence: plan.Say("%s does not answer in time.", p.server.name()), Err: fmt.Errorf("%w: %w", ErrDown, err)}
			}
			model := ""
			if err == nil || errors.Is(err, ErrLoading) {
				model = t.modelOf(mine, before.candidate)
			}
			t.keep(at, err, model)
			return nil
		})
	}
	return g.Wait()
}

func (t *Toolbox) answer(at spot) answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[at.tool][at.way]
}

// keep takes over what a probe said, and the model that is asked.
func (t *Toolbox) keep(at spot, err error, model string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := &t.known[at.tool][at.way]
	if a.loading = errors.Is(err, ErrLoading); a.loading {
		err = nil
	}
	if a.err = err; err == nil {
		a.failed = 0
	} else {
		a.failed++
	}
	a.model = model
	a.next = t.clock().Add(t.again(*a))
	t.seen = nil
}

// due is when the first candidate of a server is to be asked after again.
func (t *Toolbox) due(p *prober) time.Time {
	next := t.clock().Add(t.fresh)
	for _, at := range p.at {
		if a := t.answer(at); a.next.Before(next) {
			next = a.next
		}
	}
	return next
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

// probed is what the candidates of this process answered. It is read only.
type probed struct {
	tools []local // in the order of the catalogue
}

// local is what this process can do with a tool.
type local struct {
	tool       Tool
	answers    []answer
	candidates []plan.Candidate // that are live here, in the order in which they are tried
	whys       []Why            // not, where there are none
}

// snapshot is what is known at this moment.
func (t *Toolbox) snapshot() *probed {
	broken := t.health.broken()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen != nil && !broken {
		return t.seen
	}
	p := &probed{tools: make([]local, len(t.known))}
	for i, tool := range t.catalogue.All() {
		p.tools[i] = local{tool: tool, answers: slices.Clone(t.known[i])}
		for j, a := range p.tools[i].answers {
			if broken && a.live() {
				p.tools[i].answers[j].err = t.health.alone(a.candidate)
			}
		}
		t.tell(&p.tools[i])
	}
	if !broken {
		t.seen = p
	}
	return p
}

// tell says of a tool what can run it, and what is missing where nothing can.
func (t *Toolbox) tell(l *local) {
	var whys []Why
	for _, a := range l.answers {
		told := a.candidate.told()
		told.Model = cmp.Or(told.Model, a.model)
		told.Loading = a.loading
		switch {
		case !a.live():
			whys = append(whys, a.why())
		case t.here != nil && !t.here(told):
			whys = append(whys, Why{Sentence: plan.Say("It could run here, but this process does not serve the queue %s.", told.Device)})
		default:
			l.candidates = append(l.candidates, told)
		}
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

// distinct are the sentences, each once.
func distinct(all []Why) []Why {
	var each []Why
	for _, w := range all {
		if !slices.ContainsFunc(each, w.equal) {
			each = append(each, w)
		}
	}
	return each
}

// probe asks the make of the candidate. A probe that panics is a candidate that is not
// live.
func (t *Toolbox) probe(ctx context.Context, c Candidate) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &plan.Fault{Sentence: plan.Say("Its backend crashed."), Err: fmt.Errorf("probe of %s panicked: %s", c.Name(), panicked(p))}
		}
	}()
	return t.server(c).Backend.Probe(ctx, c)
}

// agreed keeps the candidates of processes that have the same file of the tool as this one. Others
// would read a plan of this process in another way.
func (t *Toolbox) agreed(able map[string][]plan.Candidate) map[string][]plan.Candidate {
	same := map[string][]plan.Candidate{}
	for tool, candidates := range able {
		for _, c := range candidates {
			if c.Entry == t.catalogue.Hash(tool) {
				c.Entry = ""
				same[tool] = append(same[tool], c)
			}
		}
	}
	return same
}
