package toolbox

import (
	"context"
	"slices"
)

// State is how a server fares.
type State string

// The states of servers.
const (
	Up      State = "up"
	Loading State = "loading" // it answers, and its models are on their way
	Down    State = "down"    // nothing can run on it now
)

// Health is how a server of this process fares.
type Health struct {
	Server string `json:"server"`
	Kind   string `json:"kind"`
	Cloud  bool   `json:"cloud,omitempty"`
	State  State  `json:"state"`
	// Why says what is wrong, for people; only where Down.
	Why string `json:"why,omitempty"`
	// Ways is how many candidates can run on it, of all that it is asked for.
	Ways int `json:"ways"`
	All  int `json:"all"`
	// Running and Waiting are the calls of this moment, Parallel is how many may run; 0
	// is any number.
	Running  int `json:"running"`
	Waiting  int `json:"waiting"`
	Parallel int `json:"parallel,omitempty"`
	// Alone are the models that failed several times in a row and are left alone for a
	// while, "" where none was named.
	Alone []string `json:"alone,omitempty"`
}

// Health tells how the servers of this process fare, as the last probes say while they
// are fresh, and the calls of this moment. It fails only when ctx ends.
func (t *Toolbox) Health(ctx context.Context) ([]Health, error) {
	p, err := t.probeAll(ctx)
	if err != nil {
		return nil, err
	}
	var all []Health
	for _, s := range t.servers {
		if slices.ContainsFunc(all, func(h Health) bool { return h.Server == s.name() }) { // another dialect of the same one
			continue
		}
		g := t.health.gates[s.name()]
		h := Health{
			Server: s.name(), Kind: s.Kind, Cloud: s.Cloud, Parallel: s.Parallel,
			Running: int(g.running.Load()), Waiting: int(g.waiting.Load()), Alone: t.health.open(s.name()),
		}
		p.fill(&h)
		all = append(all, h)
	}
	return all, nil
}

// fill counts what of a server can run.
func (p *probed) fill(h *Health) {
	var whys []Why
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

// most is the sentence that is said most often.
func most(whys []Why) string {
	var best Why
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

// servedHere tells whether any server of this process is of that kind.
func (t *Toolbox) servedHere(kind string) bool {
	return slices.ContainsFunc(t.servers, func(s Server) bool { return s.Kind == kind })
}
