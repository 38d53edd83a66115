package localai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

const (
	// listLife is how long the list of models is cached, and so is a failure to get it.
	listLife = 10 * time.Second
	// listTimeout is the timeout for listing the models.
	listTimeout = 5 * time.Second
)

// model is a model on the server.
type model struct {
	ID string `json:"id"`
	// Capabilities are what the model can do, in LocalAI's terms (core/config, backend_capabilities.go); nil
	// means unknown.
	Capabilities []string `json:"capabilities"`
}

// can reports whether the server lists the capability for the model.
func (m model) can(capability string) bool { return slices.Contains(m.Capabilities, capability) }

// listing caches the list of the server's models.
type listing struct {
	endpoint *endpoint.Endpoint
	models   *memo.Memo[[]model]
}

func newListing(e *endpoint.Endpoint, clock func() time.Time) *listing {
	l := &listing{endpoint: e}
	l.models = memo.New(memo.Config[[]model]{Ask: l.ask, Life: memo.For(listLife), Clock: clock})
	return l
}

// all returns the server's models, or why the server cannot be used.
func (l *listing) all(ctx context.Context) ([]model, error) { return l.models.Get(ctx) }

// ask lists the models, with a timeout.
func (l *listing) ask(ctx context.Context) ([]model, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	models, err := l.list(ctx)
	return models, l.asFault(err)
}

// asFault turns a failure to list the models into a fault of the server.
func (l *listing) asFault(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return badAnswer(err, "The LocalAI server at %s does not answer.", l.endpoint.Host())
	}
	return asFault(err)
}

// list checks that the server is ready and lists its models. A server without /v1/models/capabilities lists
// the names alone.
func (l *listing) list(ctx context.Context) ([]model, error) {
	if _, err := l.get(ctx, "/readyz"); err != nil && !missing(err) {
		if e, ok := errors.AsType[*endpoint.Error](err); ok && e.Status == http.StatusServiceUnavailable {
			return nil, fault(fmt.Errorf("%w: %w", toolbox.ErrLoading, err), "The LocalAI server at %s is still starting.", l.endpoint.Host())
		}
		return nil, err
	}
	body, err := l.get(ctx, "/v1/models/capabilities")
	if missing(err) {
		body, err = l.get(ctx, "/v1/models")
	}
	if err != nil {
		return nil, err
	}
	return readModels(body)
}

func (l *listing) get(ctx context.Context, path string) ([]byte, error) {
	answer, err := l.endpoint.Do(ctx, endpoint.Request{Path: path})
	return answer.Body, err
}

// missing reports whether the error is a status 404 or 405.
func missing(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

// readModels parses a list of models (LocalAI, docs/content/features/api-discovery.md).
func readModels(body []byte) ([]model, error) {
	var list struct {
		Data *[]model `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Data == nil {
		return nil, unreadable(cmp.Or(err, errors.New("the answer has no list of models")))
	}
	return slices.DeleteFunc(*list.Data, func(m model) bool { return m.ID == "" }), nil
}

// choose returns the model for a need: the named one, or the best one on the server.
func (l *listing) choose(ctx context.Context, n need, named string) (string, error) {
	models, err := l.all(ctx)
	if err != nil {
		return "", err
	}
	if named != "" {
		if !slices.ContainsFunc(models, func(m model) bool { return m.ID == named }) {
			return "", &plan.Fault{
				Sentence: plan.Say("The LocalAI server does not have the model that is set for this."),
				Operator: plan.Say("The LocalAI server at %s has no model called %q: install it, or set another one in BACKENDS_FILE.",
					l.endpoint.Host(), named),
			}
		}
		return named, nil
	}
	best, rank := "", 0
	for _, m := range models {
		if r := n.rank(m); r > 0 && (rank == 0 || r < rank) {
			best, rank = m.ID, r
		}
	}
	if rank == 0 {
		return "", &plan.Fault{
			Sentence: plan.Say("The LocalAI server has no model for %s.", n.purpose),
			Operator: plan.Say("The LocalAI server at %s has no model for %s: install one such as %s, or set yours in BACKENDS_FILE.",
				l.endpoint.Host(), n.purpose, n.example),
		}
	}
	return best, nil
}
