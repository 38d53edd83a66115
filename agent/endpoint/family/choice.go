package family

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
)

const (
	// fresh is how long a server's list of models is cached, even an empty one.
	fresh = 30 * time.Second
	// patience is the timeout for the list.
	patience = 5 * time.Second
)

// Config configures a Choice.
type Config struct {
	// Endpoint is the server; required.
	Endpoint *endpoint.Endpoint
	// Named are the models named by the operator; the log warns of their shutdown too.
	Named []string
	// Clock dates lists and decides which models have ended. Nil means time.Now.
	Clock func() time.Time
	// Log receives warnings for operators. Nil logs nothing.
	Log *slog.Logger
}

// Choice knows the models of one server and chooses among them. It is safe for concurrent
// use.
type Choice struct {
	config   Config
	families *Families

	listed *memo.Memo[[]endpoint.Model]

	mu      sync.Mutex
	unknown map[Role][]string // models that the server rejected as unknown
	told    map[string]bool   // warnings already logged
}

// New validates the configuration. It sends no request.
func New(c Config) (*Choice, error) {
	if c.Endpoint == nil {
		return nil, errors.New("family: Endpoint is required")
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	families, err := Read()
	if err != nil {
		return nil, err
	}
	choice := &Choice{config: c, families: families, unknown: map[Role][]string{}, told: map[string]bool{}}
	choice.listed = memo.New(memo.Config[[]endpoint.Model]{Ask: choice.ask, Life: memo.For(fresh), Clock: c.Clock})
	return choice, nil
}

// List returns the server's models, empty if it has no list. The error is that of
// [endpoint.Endpoint.Models], or says that ctx ended or the list timed out.
func (c *Choice) List(ctx context.Context) ([]endpoint.Model, error) {
	return c.listed.Get(ctx)
}

// Model chooses the model for a role. It fails if ctx ends, and with [endpoint.ModelUnknown] if the
// server lists models but the choice is unclear.
func (c *Choice) Model(ctx context.Context, role Role) (string, error) {
	listed, left, err := c.left(ctx, role)
	if err != nil {
		return "", err
	}
	c.tellEnd(ctx, listed, left[0])
	return left[0], nil
}

// Unknown notes that the server does not know the model chosen for a role, so that [Choice.Model]
// chooses another one, and reports whether there is one. Once all have failed, they may all be
// tried again.
func (c *Choice) Unknown(ctx context.Context, role Role, model string) bool {
	c.note(role, model)
	_, left, err := c.left(ctx, role)
	if err != nil || slices.Contains(left, model) {
		return false
	}
	c.tellOnce(ctx, string(role)+" is not "+model, "the server does not know the chosen model; trying another one: "+
		"set a model to choose it yourself", "server", c.config.Endpoint.Host(), "for", string(role), "model", model, "instead", left[0])
	return true
}

// ask fetches the list of models from the server.
func (c *Choice) ask(ctx context.Context) ([]endpoint.Model, error) {
	mine, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	listed, err := c.config.Endpoint.Models(mine)
	for _, name := range c.config.Named {
		c.tellEnd(ctx, listed, name)
	}
	return listed, err
}

func (c *Choice) note(role Role, model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.unknown[role], model) {
		c.unknown[role] = append(c.unknown[role], model)
	}
}

// left returns the models for a role that are not known to fail; at least one.
func (c *Choice) left(ctx context.Context, role Role) (listed []endpoint.Model, names []string, err error) {
	listed, err = c.List(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, nil, err
	}
	all := c.families.Of(role, listed, c.config.Clock())
	if len(all) == 0 {
		return nil, nil, c.unclear(ctx, role, listed)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(c.unknown[role], name) })
	if len(names) == 0 {
		delete(c.unknown, role)
		return listed, all, nil
	}
	return listed, names, nil
}

// unclear returns the error if no listed model is known to suit the role.
func (c *Choice) unclear(ctx context.Context, role Role, listed []endpoint.Model) error {
	if role == Chat { // operators may not need the other roles
		c.tellOnce(ctx, "unclear", "cannot tell which of the server's models to use: set OPENAI_MODEL to one of them",
			"server", c.config.Endpoint.Host(), "models", len(listed))
	}
	err := fmt.Errorf("none of the %d models listed by %s is known to suit %s", len(listed), c.config.Endpoint.Host(), role)
	return c.config.Endpoint.Explain(&endpoint.Error{Kind: endpoint.ModelUnknown, Err: err}, "")
}

// tellEnd warns if a model in use has an announced shutdown date.
func (c *Choice) tellEnd(ctx context.Context, listed []endpoint.Model, name string) {
	at := slices.IndexFunc(listed, func(m endpoint.Model) bool { return m.Name == name && !m.Ends.IsZero() })
	if at >= 0 {
		c.tellOnce(ctx, "end of "+name, "the server will shut down a model that is in use: bot doctor names its replacement",
			"server", c.config.Endpoint.Host(), "model", name, "ends", listed[at].Ends.Format(time.DateOnly))
	}
}

// tellOnce logs a warning once per thing.
func (c *Choice) tellOnce(ctx context.Context, thing, message string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.told[thing] {
		c.told[thing] = true
		c.config.Log.WarnContext(ctx, message, args...)
	}
}
