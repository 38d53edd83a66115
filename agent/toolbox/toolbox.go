package toolbox

import (
	"errors"
	"fmt"
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
	// Fresh is how long the answers of the probes are believed. Zero means 30 s.
	Fresh time.Duration
	// Patience is how long one backing may work on one call. Zero means 10 minutes.
	Patience time.Duration
	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
}

// Toolbox runs the tools of a catalogue with the backends of this process. It is safe
// for concurrent use.
type Toolbox struct {
	catalogue *Catalogue
	backends  map[string]Backend
	fresh     time.Duration
	patience  time.Duration
	clock     func() time.Time

	mu     sync.Mutex
	last   *Liveness
	probed time.Time
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
	return t, nil
}

// Catalogue is the catalogue that the toolbox was made of.
func (t *Toolbox) Catalogue() *Catalogue { return t.catalogue }

// Candidate names the backing in plans and results: "native:image_to_edge".
func (b Backing) Candidate() string { return b.Kind + ":" + b.Run }
