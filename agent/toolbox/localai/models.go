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
	// listFresh is how long the list of models is believed, and so is that there is none.
	listFresh = 10 * time.Second
	// listPatience is how long the server may take to list them.
	listPatience = 5 * time.Second
)

// model is one that the server has.
type model struct {
	ID string `json:"id"`
	// Capabilities are LocalAI's words for what it can do (core/config,
	// backend_capabilities.go): nil where the server does not tell.
	Capabilities []string `json:"capabilities"`
}

// can reports whether the model has a capability, as far as the server tells.
func (m model) can(capability string) bool { return slices.Contains(m.Capabilities, capability) }

// listing knows which models the server has.
type listing struct {
	endpoint *endpoint.Endpoint
	models   *memo.Memo[[]model]
}

func newListing(e *endpoint.Endpoint, clock func() time.Time) *listing {
	l := &listing{endpoint: e}
	l.models = memo.New(memo.Config[[]model]{Ask: l.ask, Life: memo.For(listFresh), Clock: clock})
	return l
}

// all are the server's models. The error says why it cannot be used.
func (l *listing) all(ctx context.Context) ([]model, error) { return l.models.Get(ctx) }

// ask asks the server for its models, for as long as it may take.
func (l *listing) ask(ctx context.Context) ([]model, error) {
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	models, err := l.list(ctx)
	return models, l.told(err)
}

// told is why the server cannot be used.
func (l *listing) told(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return senseless(err, "The LocalAI server at %s does not answer.", l.endpoint.Host())
	}
	return sorted(err)
}

// list asks whether the server is ready and which models it has; one that is too old to
// tell what they can do tells their names.
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

// missing reports whether the server does not have what was asked for.
func missing(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

// readModels reads a list of models (LocalAI, docs/content/features/api-discovery.md).
func readModels(body []byte) ([]model, error) {
	var list struct {
		Data *[]model `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Data == nil {
		return nil, unreadable(cmp.Or(err, errors.New("no list of models")))
	}
	return slices.DeleteFunc(*list.Data, func(m model) bool { return m.ID == "" }), nil
}

// choose names the model for a need: the one that is asked for by its name, or the best
// one that the server has.
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
