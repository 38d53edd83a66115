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
	// maxProbes is the maximum number of concurrent probes per server.
	maxProbes = 8
	// roundTime limits one round of probes of a server. Candidates that were not reached are not live
	// until the next round.
	roundTime = 10 * time.Second
)

// prober probes the candidates of one server. Servers do not wait for each other.
type prober struct {
	server Server
	at     []spot
	turn   chan struct{} // holds a token while a round runs
}

// survey knows what can run now, in this process and in others. It probes this process's candidates,
// each server independently.
type survey struct {
	*ways

	answers   *answers
	health    *health
	here      func(plan.Candidate) bool
	elsewhere func(context.Context) (map[string][]plan.Candidate, error)
	clock     func() time.Time
	log       *slog.Logger

	probers []*prober // one per server
	watched atomic.Bool

	mu   sync.Mutex
	last *Liveness
}

// newProbers returns a prober for each server.
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

// Live returns what can run now: here, by the last probes that are still fresh, or in another process,
// by [Config].Elsewhere. It does not wait for servers that are assumed to be up (see [Server]). An
// unchanged answer is the same pointer. It fails only when ctx ends.
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

// Statuses returns Live as a list by name, for display. It also probes servers that are assumed to be up.
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

// Health returns the state of this process's servers, by the last probes that are still fresh, and the
// current calls. It fails only when ctx ends.
func (s *survey) Health(ctx context.Context) ([]Health, error) {
	p, err := s.probeAll(ctx)
	if err != nil {
		return nil, err
	}
	var all []Health
	for _, at := range s.servers {
		if slices.ContainsFunc(all, func(h Health) bool { return h.Server == at.name() }) { // another protocol of the same server
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

// Watch keeps the probe results fresh until ctx ends, so that no caller waits for a probe. Each
// candidate is probed when due, and servers do not wait for each other. A process that serves calls
// runs it once, in a goroutine of its own. Without it, or during its first round, candidates are
// probed on demand.
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

// Local lists what this process can run: for each tool with a live candidate here, the candidates in
// the order they are tried. Other processes get it through their [Config].Elsewhere. It uses the last
// probes while they are fresh, and fails only when ctx ends.
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

// watch keeps the probe results of one server fresh.
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

// probeAll probes every candidate that is due and returns the results. While [Toolbox.Watch] runs, it does not wait.
func (s *survey) probeAll(ctx context.Context) (*probed, error) {
	return s.probeThose(ctx, func(Server) bool { return true })
}

// probeNeeded is probeAll without servers that are assumed to be up.
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

// ask probes the due candidates of the selected servers in parallel. It takes at most roundTime, and
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

// round probes the candidates of one server that are due.
func (s *survey) round(ctx context.Context, p *prober) error {
	select {
	case p.turn <- struct{}{}: // concurrent rounds want the same answers
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
			if ctx.Err() != nil { // an interrupted probe says nothing
				return fmt.Errorf("probe the tools: %w", ctx.Err())
			}
			if err != nil && mine.Err() != nil && !errors.Is(err, ErrLoading) {
				err = &plan.Fault{Sentence: plan.Say("%s does not answer in time.", p.server.name()), Err: fmt.Errorf("%w: %w", ErrDown, err)}
			}
			model := ""
			if err == nil || errors.Is(err, ErrLoading) {
				model = s.modelOf(mine, before.candidate)
			}
			s.answers.store(at, err, model)
			return nil
		})
	}
	return g.Wait()
}

// probed holds the probe results of this process. It is read-only.
type probed struct {
	tools []local // in the order of the catalogue
}

// local is what this process knows about a tool.
type local struct {
	tool       Tool
	answers    []answer
	candidates []plan.Candidate // live here, in the order they are tried
	whys       []Obstacle       // why there are no candidates
}

// snapshot returns the current probe results.
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
				p.tools[i].answers[j].err = s.health.paused(a.candidate)
			}
		}
		s.summarize(&p.tools[i])
	}
	if !broken {
		s.answers.seen = p
	}
	return p
}

// summarize fills in the candidates that can run the tool, or what is missing if there are none.
func (s *survey) summarize(l *local) {
	var whys []Obstacle
	for _, a := range l.answers {
		told := a.candidate.told()
		told.Model = cmp.Or(told.Model, a.model)
		told.Loading = a.loading
		switch {
		case !a.live():
			whys = append(whys, a.why())
		case s.here != nil && !s.here(told):
			whys = append(whys, Obstacle{Sentence: plan.Say("It can run on this machine, but this process does not serve the queue %s.", told.Device)})
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
	l.whys = slices.Concat(distinct(whys), mergeLacks(lacks))
}

// with merges in what other processes can run. Tools that are not in the catalogue cannot be planned
// with, and are left out.
func (p *probed) with(others map[string][]plan.Candidate) *Liveness {
	l := &Liveness{statuses: make([]Status, len(p.tools)), byName: make(map[string]int, len(p.tools))}
	for i, at := range p.tools {
		status := Status{Tool: at.tool, Candidates: union(at.tool, at.candidates, others[at.tool.Name])}
		if status.Live = len(status.Candidates) > 0; !status.Live {
			status.Obstacles, status.Why = at.whys, clauses(at.whys)
		}
		l.statuses[i], l.byName[at.tool.Name] = status, i
	}
	return l
}

// union merges the candidates here and elsewhere, sorted by rank. For candidates in both, those here
// win. Backings that are not in the catalogue cannot be planned with, and are left out.
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

// distinct removes duplicates.
func distinct(all []Obstacle) []Obstacle {
	var each []Obstacle
	for _, w := range all {
		if !slices.ContainsFunc(each, w.equal) {
			each = append(each, w)
		}
	}
	return each
}

// others returns what other processes can run. If that cannot be found out, it returns nothing: a plan
// with only local tools is better than none.
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
		return nil, fmt.Errorf("ask other processes what they can run: %w", ctx.Err())
	}
	s.log.WarnContext(ctx, "cannot find out what other processes can run", "error", plan.ForOperator(err))
	return nothing, nil
}

// agreed keeps the candidates of processes whose tool file has the same hash. Others would interpret
// this process's plans differently.
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

// State is the state of a server.
type State string

// The states of servers.
const (
	Up      State = "up"
	Loading State = "loading" // it answers, and its models are loading
	Down    State = "down"    // nothing can run on it now
)

// Health is the state of a server as seen by this process.
type Health struct {
	Server string `json:"server"`
	Kind   string `json:"kind"`
	Cloud  bool   `json:"cloud,omitempty"`
	State  State  `json:"state"`
	// Why says what is wrong, for people; empty unless Down.
	Why string `json:"why,omitempty"`
	// Ways is the number of its candidates that can run, out of All.
	Ways int `json:"ways"`
	All  int `json:"all"`
	// Running and Waiting count the current calls. Parallel limits Running; 0 means no limit.
	Running  int `json:"running"`
	Waiting  int `json:"waiting"`
	Parallel int `json:"parallel,omitempty"`
	// Alone lists the models paused after several consecutive failures, "" for calls without a model name.
	Alone []string `json:"alone,omitempty"`
}

// fill sets the state and the candidate counts of a server.
func (p *probed) fill(h *Health) {
	var whys []Obstacle
	loading := 0
	for _, l := range p.tools {
		for _, a := range l.answers {
			if a.candidate.server() != h.Server {
				continue
			}
			h.All++
			switch {
			case a.live() && a.loading:
				loading++
				fallthrough
			case a.live():
				h.Ways++
			default:
				whys = append(whys, a.why())
			}
		}
	}
	switch {
	case h.Ways > loading:
		h.State = Up
	case loading > 0:
		h.State = Loading
	default:
		h.State = Down
		h.Why = most(whys)
	}
}

// most returns the most frequent sentence.
func most(whys []Obstacle) string {
	var best Obstacle
	most := 0
	for _, w := range distinct(whys) {
		n := 0
		for _, o := range whys {
			if o.equal(w) {
				n++
			}
		}
		if n > most {
			best, most = w, n
		}
	}
	return best.operator().String()
}
