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
	// fresh is how long a server's list of models is believed, and so is that there is none.
	fresh = 30 * time.Second
	// patience is how long the server may take to list them.
	patience = 5 * time.Second
)

// Config says of which server models are chosen.
type Config struct {
	// Endpoint is the server; required.
	Endpoint *endpoint.Endpoint
	// Named are the models that the operator has named: the log warns of their end too.
	Named []string
	// Clock tells how old a list is, and which models have ended. Nil means time.Now.
	Clock func() time.Time
	// Log takes what operators want to know. Nil logs nothing.
	Log *slog.Logger
}

// Choice knows the models of one server and chooses among them. It is safe for concurrent
// use.
type Choice struct {
	config   Config
	families *Families

	listed *memo.Memo[[]endpoint.Model]

	mu      sync.Mutex
	unknown map[Role][]string // models that the server turned out not to know
	told    map[string]bool   // what was logged
}

// New checks the configuration. It asks the server nothing.
func New(c Config) (*Choice, error) {
	if c.Endpoint == nil {
		return nil, errors.New("a choice among models needs their server")
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

// List lists the server's models, none if it does not tell. The error is that of [endpoint.Endpoint.Models], or says that
// ctx ended or that the list did not come in time.
func (c *Choice) List(ctx context.Context) ([]endpoint.Model, error) {
	return c.listed.Get(ctx)
}

// Model chooses the model for a role. It fails where ctx ends, and with an error of the kind
// [endpoint.ModelUnknown] where the server lists models and it is not clear which is meant.
func (c *Choice) Model(ctx context.Context, role Role) (string, error) {
	listed, left, err := c.left(ctx, role)
	if err != nil {
		return "", err
	}
	c.tellEnd(ctx, listed, left[0])
	return left[0], nil
}

// Unknown notes that the server does not know the model that was chosen for a role, so that
// [Choice.Model] chooses another one, and reports whether there is one. Where the server knows
// none of them, all of them may be asked again.
func (c *Choice) Unknown(ctx context.Context, role Role, model string) bool {
	c.note(role, model)
	_, left, err := c.left(ctx, role)
	if err != nil || slices.Contains(left, model) {
		return false
	}
	c.tellOnce(ctx, string(role)+" is not "+model, "a model that was chosen is not known to its server, and another one is asked: "+
		"name one in the settings to choose it yourself", "server", c.config.Endpoint.Host(), "for", string(role), "model", model, "instead", left[0])
	return true
}

// ask asks the server for its models.
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

// left are the models for a role that are not known to be unknown, one at least.
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

// unclear is the error where nothing that the server lists is known.
func (c *Choice) unclear(ctx context.Context, role Role, listed []endpoint.Model) error {
	if role == Chat { // what the operator may well not use is not missed
		c.tellOnce(ctx, "unclear", "the server lists models, and which one is to be asked is not clear: set OPENAI_MODEL to one of them",
			"server", c.config.Endpoint.Host(), "models", len(listed))
	}
	err := fmt.Errorf("none of the %d models that %s lists is known to be for %s", len(listed), c.config.Endpoint.Host(), role)
	return c.config.Endpoint.Sort(&endpoint.Error{Kind: endpoint.ModelUnknown, Err: err}, "")
}

// tellEnd tells when a model that is in use is shut down, if that is announced.
func (c *Choice) tellEnd(ctx context.Context, listed []endpoint.Model, name string) {
	at := slices.IndexFunc(listed, func(m endpoint.Model) bool { return m.Name == name && !m.Ends.IsZero() })
	if at >= 0 {
		c.tellOnce(ctx, "end of "+name, "a model that is in use will be shut down by its server: bot doctor says what takes its place",
			"server", c.config.Endpoint.Host(), "model", name, "ends", listed[at].Ends.Format(time.DateOnly))
	}
}

// tellOnce warns of a thing once.
func (c *Choice) tellOnce(ctx context.Context, thing, message string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.told[thing] {
		c.told[thing] = true
		c.config.Log.WarnContext(ctx, message, args...)
	}
}
