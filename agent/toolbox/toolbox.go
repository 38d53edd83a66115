package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"atelier/agent/plan"
)

// Config configures a toolbox.
type Config struct {
	Catalogue *Catalogue
	// Servers run the backings of this process, in the order they are tried for the same backing.
	// Backings of a kind without a server are reported as not live.
	Servers []Server
	// Ways lists, for the tools it names, the only candidates, in order. An empty list means no candidate.
	Ways map[string][]Way
	// Here reports whether this process serves what a candidate needs, such as the queue of its
	// device. Other candidates are not reported to anyone. Nil accepts all.
	Here func(c plan.Candidate) bool
	// Elsewhere returns what other processes can run now: the candidates by tool, as from their
	// [Toolbox.Local]. Tools that are not in the catalogue are ignored. While it fails, only local
	// candidates are live. It must be safe for concurrent use. Nil means that there are no other
	// processes.
	Elsewhere func(ctx context.Context) (map[string][]plan.Candidate, error)
	// Fresh is how long a successful probe is valid. Zero means 30 s. Failed probes are retried sooner
	// at first, with backoff.
	Fresh time.Duration
	// Patience is the timeout of one call. Zero means 10 minutes.
	Patience time.Duration
	// Clock returns the time. Nil means time.Now.
	Clock func() time.Time
	// Log receives messages for operators. Nil logs nothing.
	Log *slog.Logger
}

// Toolbox runs the tools of a catalogue with the backends of this process, and knows what other
// processes can run. It is safe for concurrent use.
type Toolbox struct {
	*ways   // Candidate, Capacity, Writes, Write
	*survey // Live, Statuses, Health, Watch, Local

	patience time.Duration
}

// New checks the configuration. It probes nothing.
func New(c Config) (*Toolbox, error) {
	if c.Catalogue == nil {
		return nil, errors.New("Catalogue is required")
	}
	if err := check(c); err != nil {
		return nil, err
	}
	c.Fresh, c.Patience = cmp.Or(c.Fresh, 30*time.Second), cmp.Or(c.Patience, 10*time.Minute)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Clock == nil {
		c.Clock = time.Now
	}
	w := &ways{catalogue: c.Catalogue, servers: slices.Clone(c.Servers), byTool: map[string][]Candidate{}}
	for _, tool := range c.Catalogue.All() {
		w.byTool[tool.Name] = candidates(tool, c)
	}
	health := newHealth(w.servers, func(server, model string, open bool) {
		if open {
			c.Log.Warn("a backend failed several times in a row and is paused for a while", "server", server, "model", model)
		} else {
			c.Log.Info("a backend that failed works again", "server", server, "model", model)
		}
	})
	return &Toolbox{ways: w, patience: c.Patience, survey: &survey{
		ways: w, answers: newAnswers(w, c.Fresh, c.Clock), health: health, probers: newProbers(w),
		here: c.Here, elsewhere: c.Elsewhere, clock: c.Clock, log: c.Log,
	}}, nil
}

// Catalogue returns the toolbox's catalogue.
func (t *Toolbox) Catalogue() *Catalogue { return t.catalogue }

// check validates the servers and the ways.
func check(c Config) error {
	for i, s := range c.Servers {
		switch {
		case s.Backend == nil:
			return fmt.Errorf("the backend of the server %q is nil", s.name())
		case slices.ContainsFunc(c.Servers[:i], func(o Server) bool { return o.name() == s.name() && o.Kind == s.Kind }):
			return fmt.Errorf("duplicate server %q", s.name())
		}
	}
	for name, ways := range c.Ways {
		tool, ok := c.Catalogue.Tool(name)
		if !ok {
			return fmt.Errorf("unknown tool %s", name)
		}
		for _, w := range ways {
			if len(listed(tool, c.Servers, []Way{w})) == 0 {
				return fmt.Errorf("the tool %s cannot run on %q as %q", name, w.Server, w.Run)
			}
		}
	}
	return nil
}
