package workshop

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/settings"
)

const (
	// wellFor is how long a server's health is cached, since all of its candidates are probed at
	// once.
	wellFor = 5 * time.Second
	// wellWithin is the timeout of the health check.
	wellWithin = 5 * time.Second
)

// checkup is a backend on a server with a health path. Nothing can run on it unless that path responds with
// success.
type checkup struct {
	toolbox.Backend

	server   string
	path     string
	endpoint *endpoint.Endpoint // the root of the server's host

	turn chan struct{} // a semaphore: one check at a time
	at   time.Time
	err  error
}

// Capacity is the backend's capacity, 0 if unknown.
func (k *checkup) Capacity(ctx context.Context) int {
	if sized, ok := k.Backend.(toolbox.Sized); ok {
		return sized.Capacity(ctx)
	}
	return 0
}

// withHealth adds the health check of the server to a backend. root is the root of the server's host.
func withHealth(b toolbox.Backend, s settings.BackendServer, root *endpoint.Endpoint) toolbox.Backend {
	return &checkup{Backend: b, server: s.Name, path: s.Health, endpoint: root, turn: make(chan struct{}, 1)}
}

// rootOf returns the root URL of an address, with its user and password.
func rootOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("its url is invalid")
	}
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String(), nil
}

// watched adds the server's health check, if it has one, to its backends.
func (w *workbench) watched(s settings.BackendServer, made []toolbox.Server) ([]toolbox.Server, error) {
	if s.Health == "" {
		return made, nil
	}
	root, err := rootOf(s.URL)
	if err != nil {
		return nil, err
	}
	e, err := w.endpoint(s, root)
	if err != nil {
		return nil, err
	}
	for i, m := range made {
		made[i].Backend = withHealth(m.Backend, s, e)
	}
	return made, nil
}

// Probe checks the server, and then the candidate.
func (k *checkup) Probe(ctx context.Context, c toolbox.Candidate) error {
	if err := k.well(ctx); err != nil {
		return err
	}
	return k.Backend.Probe(ctx, c)
}

// ModelOf returns the backend's model.
func (k *checkup) ModelOf(ctx context.Context, c toolbox.Candidate) string {
	if knows, ok := k.Backend.(toolbox.ModelNamer); ok {
		return knows.ModelOf(ctx, c)
	}
	return ""
}

// well checks the server's health, or returns the cached result.
func (k *checkup) well(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the health of %s: %w", k.server, ctx.Err())
	}
	if !k.at.IsZero() && time.Since(k.at) < wellFor {
		return k.err
	}
	mine, cancel := context.WithTimeout(ctx, wellWithin)
	defer cancel()
	_, err := k.endpoint.Do(mine, endpoint.Request{Path: k.path, Plainly: true})
	switch {
	case ctx.Err() != nil: // the caller gave up; the server is not to blame
		return fmt.Errorf("check the health of %s: %w", k.server, ctx.Err())
	case endpoint.Loading(err):
		err = fmt.Errorf("%w: %w", toolbox.ErrLoading, err)
	case err != nil:
		err = &plan.Fault{
			Sentence: plan.Say("The server %s does not report that it is healthy.", k.server),
			Err:      fmt.Errorf("%w: %w", toolbox.ErrDown, err),
		}
	}
	k.at, k.err = time.Now(), err
	return err
}
