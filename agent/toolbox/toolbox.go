package toolbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// Config is what a toolbox is made of.
type Config struct {
	Catalogue *Catalogue
	// Backends are the makes of this process, by the kind that a [Backing] names.
	// A kind that is not here is not live, and says so.
	Backends map[string]Backend
	// Elsewhere tells what other processes can run now: for each tool the candidates
	// ([Backing.Candidate]), as their [Toolbox.Local] has them. What the catalogue does
	// not have is ignored. While it fails, only what is here is live. It must be safe
	// for concurrent use. Nil means that there are no others.
	Elsewhere func(ctx context.Context) (map[string][]string, error)
	// Fresh is how long the answers of the probes are believed. Zero means 30 s.
	Fresh time.Duration
	// Patience is how long one backing may work on one call. Zero means 10 minutes.
	Patience time.Duration
	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
	// Log takes what operators want to know. Nil logs nothing.
	Log *slog.Logger
}

// Toolbox runs the tools of a catalogue with the backends of this process, and knows
// what other processes can run. It is safe for concurrent use.
type Toolbox struct {
	catalogue *Catalogue
	backends  map[string]Backend
	fresh     time.Duration
	patience  time.Duration
	clock     func() time.Time
	elsewhere func(context.Context) (map[string][]string, error)
	log       *slog.Logger

	probing sync.Mutex
	probes  *probed

	mu   sync.Mutex
	last *Liveness
}

// New checks the configuration. Nothing is probed yet.
func New(c Config) (*Toolbox, error) {
	if c.Catalogue == nil {
		return nil, errors.New("a toolbox needs a catalogue")
	}
	for kind, b := range c.Backends {
		if b == nil {
			return nil, fmt.Errorf("the backend of the kind %q is nil", kind)
		}
	}
	t := &Toolbox{
		catalogue: c.Catalogue,
		backends:  maps.Clone(c.Backends),
		fresh:     c.Fresh,
		patience:  c.Patience,
		clock:     c.Clock,
		elsewhere: c.Elsewhere,
		log:       c.Log,
	}
	if t.fresh == 0 {
		t.fresh = 30 * time.Second
	}
	if t.patience == 0 {
		t.patience = 10 * time.Minute
	}
	if t.clock == nil {
		t.clock = time.Now
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	return t, nil
}

// Catalogue is the catalogue that the toolbox was made of.
func (t *Toolbox) Catalogue() *Catalogue { return t.catalogue }

// Candidate names the backing in plans and results: "native:image_to_edge".
func (b Backing) Candidate() string { return b.Kind + ":" + b.Run }
