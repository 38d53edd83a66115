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
	// wellFor is how long it is believed what a server says of its health: all the
	// candidates that it has are asked after at once.
	wellFor = 5 * time.Second
	// wellWithin is how long it may take to say so.
	wellWithin = 5 * time.Second
)

// checkup is a backend on a server with a path of its own that reports whether it is well.
// Nothing can run there while that path answers with no status of success.
type checkup struct {
	toolbox.Backend

	server   string
	path     string
	endpoint *endpoint.Endpoint // the root of the server's host

	turn chan struct{} // holds a token for who asks
	at   time.Time
	err  error
}

// Capacity is that of the backend, 0 where it does not tell.
func (k *checkup) Capacity(ctx context.Context) int {
	if sized, ok := k.Backend.(toolbox.Sized); ok {
		return sized.Capacity(ctx)
	}
	return 0
}

// withHealth has a backend asked after by the path that the file names for its server. The
// endpoint is the root of the server's host.
func withHealth(b toolbox.Backend, s settings.BackendServer, root *endpoint.Endpoint) toolbox.Backend {
	return &checkup{Backend: b, server: s.Name, path: s.Health, endpoint: root, turn: make(chan struct{}, 1)}
}

// rootOf is the root of the host of an address, with the name and the password that stand
// in it.
func rootOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("its url cannot be read")
	}
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String(), nil
}

// watched has what was made for a server asked after by its health path, if it has one.
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

// Probe asks after the server, and then after the candidate.
func (k *checkup) Probe(ctx context.Context, c toolbox.Candidate) error {
	if err := k.well(ctx); err != nil {
		return err
	}
	return k.Backend.Probe(ctx, c)
}

// ModelOf is what the backend says.
func (k *checkup) ModelOf(ctx context.Context, c toolbox.Candidate) string {
	if knows, ok := k.Backend.(toolbox.Knowing); ok {
		return knows.ModelOf(ctx, c)
	}
	return ""
}

// well reports whether the server is, as it said a moment ago or says now.
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
	case ctx.Err() != nil: // nobody answered, and nobody is to blame
		return fmt.Errorf("ask for the health of %s: %w", k.server, ctx.Err())
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
