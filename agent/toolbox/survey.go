package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
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

// prober asks after the candidates of one server. Servers do not wait for each other.
type prober struct {
	server Server
	at     []spot
	turn   chan struct{} // holds a token for who asks
}

// survey knows what can run now, in this process and in others. It asks after the candidates
// of this one, each server by itself.
type survey struct {
	*ways

	answers   *answers
	health    *health
	here      func(plan.Candidate) bool
	elsewhere func(context.Context) (map[string][]plan.Candidate, error)
	clock     func() time.Time
	log       *slog.Logger

	probers []*prober // one for each server
	watched atomic.Bool

	mu   sync.Mutex
	last *Liveness
}

// newProbers are those of all servers.
func newProbers(w *ways) []*prober {
	var all []*prober
	for _, s := range w.servers {
		p := &prober{server: s, turn: make(chan struct{}, 1)}
		for i, tool := range w.catalogue.All() {
			for j, c := range w.byTool[tool.Name] {
				if c.server() == s.name() && c.Kind == s.Kind {
					p.at = append(p.at, spot{i, j})
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// Live tells what can run now: here, as the last probes say while they are fresh, or in
// another process, as [Config].Elsewhere says at this moment. Servers that are assumed to
// be up are not waited for (see [Server]). The same answer is the same pointer. It fails only when ctx ends.
func (s *survey) Live(ctx context.Context) (*Liveness, error) {
	others, err := s.others(ctx)
	if err != nil {
		return nil, err
	}
	here, err := s.probeNeeded(ctx)
	if err != nil {
		return nil, err
	}
	l := here.with(others)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || !s.last.same(l) {
		s.last = l
	}
	return s.last, nil
}

// Statuses is Live as a list, by name, to be shown: servers that are assumed to be up are
// asked too.
func (s *survey) Statuses(ctx context.Context) ([]Status, error) {
	if _, err := s.probeAll(ctx); err != nil {
		return nil, err
	}
	l, err := s.Live(ctx)
	if err != nil {
		return nil, err
	}
	return l.Statuses(), nil
}

// Health tells how the servers of this process fare, as the last probes say while they
// are fresh, and the calls of this moment. It fails only when ctx ends.
func (s *survey) Health(ctx context.Context) ([]Health, error) {
	p, err := s.probeAll(ctx)
	if err != nil {
		return nil, err
	}
	var all []Health
	for _, at := range s.servers {
		if slices.ContainsFunc(all, func(h Health) bool { return h.Server == at.name() }) { // another dialect of the same one
			continue
		}
		g := s.health.gates[at.name()]
		h := Health{
			Server: at.name(), Kind: at.Kind, Cloud: at.Cloud, Parallel: at.Parallel,
			Running: int(g.running.Load()), Waiting: int(g.waiting.Load()), Alone: s.health.open(at.name()),
		}
		p.fill(&h)
		all = append(all, h)
	}
	return all, nil
}

// Watch keeps what is known of the candidates fresh until ctx ends, so that nobody who
// asks for it waits for a probe: each is probed again when it is due, and no server waits
// for another. A process that serves calls it once, in a goroutine of its own; without it
// candidates are probed when somebody asks, as they are until its first round is over.
func (s *survey) Watch(ctx context.Context) {
	if _, err := s.probeAll(ctx); err != nil {
		return
	}
	s.watched.Store(true)
	defer s.watched.Store(false)
	var all sync.WaitGroup
	for _, p := range s.probers {
		all.Go(func() { s.watch(ctx, p) })
	}
	all.Wait()
}

// Local lists what this process can run: for each tool that has a live candidate here, the
// candidates in the order in which they are tried. It is what other processes are told,
// whose [Config].Elsewhere it becomes. It answers from the last probes while they are
// fresh, and fails only when ctx ends.
func (s *survey) Local(ctx context.Context) (map[string][]plan.Candidate, error) {
	p, err := s.probeNeeded(ctx)
	if err != nil {
		return nil, err
	}
	able := map[string][]plan.Candidate{}
	for _, l := range p.tools {
		if len(l.candidates) > 0 {
			able[l.tool.Name] = slices.Clone(l.candidates)
			for i := range able[l.tool.Name] {
				able[l.tool.Name][i].Entry = s.catalogue.Hash(l.tool.Name)
			}
		}
	}
	return able, nil
}

// watch keeps what is known of one server's candidates fresh.
func (s *survey) watch(ctx context.Context, p *prober) {
	for ctx.Err() == nil {
		next := time.NewTimer(max(s.answers.due(p).Sub(s.clock()), time.Second))
		select {
		case <-ctx.Done():
		case <-next.C:
			_ = s.round(ctx, p) //nolint:errcheck // it fails only when ctx ends
		}
		next.Stop()
	}
}

// probeAll asks after every candidate that is due, and tells what is known then. While
// [Toolbox.Watch] does so, nobody waits for it.
func (s *survey) probeAll(ctx context.Context) (*probed, error) {
	return s.probeThose(ctx, func(Server) bool { return true })
}

// probeNeeded is probeAll without the servers that are assumed to be up.
func (s *survey) probeNeeded(ctx context.Context) (*probed, error) {
	return s.probeThose(ctx, func(s Server) bool { return !s.Assumed })
}

func (s *survey) probeThose(ctx context.Context, which func(Server) bool) (*probed, error) {
	if !s.watched.Load() {
		if err := s.ask(ctx, which); err != nil {
			return nil, err
		}
	}
	return s.snapshot(), nil
}

// ask asks those servers at once after what is due. It takes a round's time at most, and
// fails only when ctx ends.
func (s *survey) ask(ctx context.Context, which func(Server) bool) error {
	var g errgroup.Group
	for _, p := range s.probers {
		if which(p.server) {
			g.Go(func() error { return s.round(ctx, p) })
		}
	}
	return g.Wait()
}

// round asks after the candidates of one server that are due.
func (s *survey) round(ctx context.Context, p *prober) error {
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
		before := s.answers.at(at)
		if s.clock().Before(before.next) {
			continue
		}
		g.Go(func() error {
			err := mine.Err()
			if err == nil {
				err = s.probe(mine, before.candidate)
			}
			if ctx.Err() != nil { // a probe that was cut short must not be believed
				return fmt.Errorf("probe the tools: %w", ctx.Err())
			}
			if err != nil && mine.Err() != nil {
				err = &plan.Fault{Sentence: plan.Say("%s does not answer in time.", p.server.name()), Err: fmt.Errorf("%w: %w", ErrDown, err)}
			}
			model := ""
			if err == nil || errors.Is(err, ErrLoading) {
				model = s.modelOf(mine, before.candidate)
			}
			s.answers.keep(at, err, model)
			return nil
		})
	}
	return g.Wait()
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
func (s *survey) snapshot() *probed {
	broken := s.health.broken()
	s.answers.mu.Lock()
	defer s.answers.mu.Unlock()
	if s.answers.seen != nil && !broken {
		return s.answers.seen
	}
	p := &probed{tools: make([]local, len(s.answers.known))}
	for i, tool := range s.catalogue.All() {
		p.tools[i] = local{tool: tool, answers: slices.Clone(s.answers.known[i])}
		for j, a := range p.tools[i].answers {
			if broken && a.live() {
				p.tools[i].answers[j].err = s.health.alone(a.candidate)
			}
		}
		s.tell(&p.tools[i])
	}
	if !broken {
		s.answers.seen = p
	}
	return p
}

// tell says of a tool what can run it, and what is missing where nothing can.
func (s *survey) tell(l *local) {
	var whys []Why
	for _, a := range l.answers {
		told := a.candidate.told()
		told.Model = cmp.Or(told.Model, a.model)
		told.Loading = a.loading
		switch {
		case !a.live():
			whys = append(whys, a.why())
		case s.here != nil && !s.here(told):
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
		if !s.servedHere(b.Kind) {
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

// others is what other processes can run. Where that cannot be learnt, it is nothing: a
// plan over what is here is better than none.
func (s *survey) others(ctx context.Context) (map[string][]plan.Candidate, error) {
	nothing := map[string][]plan.Candidate{}
	if s.elsewhere == nil {
		return nothing, nil
	}
	able, err := s.elsewhere(ctx)
	switch {
	case err == nil:
		return s.agreed(able), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask what other processes can run: %w", ctx.Err())
	}
	s.log.WarnContext(ctx, "what other processes can run is not known", "error", plan.ForOperator(err))
	return nothing, nil
}

// agreed keeps the candidates of processes that have the same file of the tool as this one. Others
// would read a plan of this process in another way.
func (s *survey) agreed(able map[string][]plan.Candidate) map[string][]plan.Candidate {
	same := map[string][]plan.Candidate{}
	for tool, candidates := range able {
		for _, c := range candidates {
			if c.Entry == s.catalogue.Hash(tool) {
				c.Entry = ""
				same[tool] = append(same[tool], c)
			}
		}
	}
	return same
}
