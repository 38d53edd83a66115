package hftask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox"
)

const (
	// providersBelieved is how long it is believed who serves a model.
	providersBelieved = 10 * time.Minute
	// failureBelieved is how long a failure to learn that is.
	failureBelieved = 30 * time.Second
	// maxAsked is how many models are asked after at a time.
	maxAsked = 4
	// maxRemembered is of how many models it is remembered who serves them.
	maxRemembered = 1000
)

// ownProvider is the provider that takes the task API; conversation is the task of models
// that write, for which every provider has OpenAI's form.
const (
	ownProvider  = "hf-inference"
	conversation = "conversational"
	generation   = "text-generation"
)

// provided is one provider of a model (Hugging Face, Inference Providers, Hub API).
type provided struct {
	Provider   string `json:"provider"`
	ProviderID string `json:"providerId"` //nolint:tagliatelle // the hub's word
	Status     string `json:"status"`
	Task       string `json:"task"`
}

// directory asks the hub who serves a model, once a model.
type directory struct {
	endpoint *endpoint.Endpoint
	clock    func() time.Time
	asking   chan struct{}

	mu     sync.Mutex
	models map[string]kept[[]provided]
	turns  map[string]turn
}

func newDirectory(e *endpoint.Endpoint, clock func() time.Time) *directory {
	return &directory{
		endpoint: e, clock: clock, asking: make(chan struct{}, maxAsked),
		models: map[string]kept[[]provided]{}, turns: map[string]turn{},
	}
}

// onHub is the route to a provider of the model. Only those are asked that take the task
// API, which is hf-inference, and for texts those that take OpenAI's form, which are all:
// the router chooses among them. The forms of others for pictures, sound and video are
// their own, and not spoken here.
func (b *Backend) onHub(ctx context.Context, t task, c toolbox.Candidate) (route, error) {
	switch {
	case t.extended:
		return route{}, fault(nil, "Hugging Face's API has no way to ask for that; it needs a tool server.")
	case c.Model == "":
		return route{}, fault(nil, "Hugging Face needs the name of a model for that.")
	}
	all, err := b.hub.providers(ctx, c.Model)
	if err != nil {
		return route{}, b.sorted(err, c.Model)
	}
	live := slices.DeleteFunc(slices.Clone(all), func(p provided) bool { return p.Status != "live" })
	switch {
	case len(live) == 0:
		return route{}, fault(nil, "No provider serves %s on Hugging Face at the moment.", c.Model)
	case t.name == generation && slices.ContainsFunc(live, func(p provided) bool { return p.Task == conversation }):
		return route{path: chatPath, model: c.Model}, nil
	case slices.ContainsFunc(live, func(p provided) bool { return p.Provider == ownProvider && p.Task == t.name && t.name != generation }):
		return route{path: "/" + ownProvider + "/models/" + c.Model, model: c.Model}, nil
	case !slices.ContainsFunc(live, func(p provided) bool { return p.Task == t.name }):
		return route{}, fault(nil, "%s does not do %s on Hugging Face.", c.Model, t.name)
	}
	return route{}, fault(nil, "The providers of %s on Hugging Face take only forms of their own, which this version does not speak.", c.Model)
}

// providers are those of a model.
func (d *directory) providers(ctx context.Context, model string) ([]provided, error) {
	mine := d.turn(model)
	if err := mine.take(ctx); err != nil {
		return nil, err
	}
	defer mine.end()
	now := d.clock()
	d.mu.Lock()
	last := d.models[model]
	d.mu.Unlock()
	if life := providersBelieved; last.err == nil && last.fresh(now, life) || last.fresh(now, failureBelieved) {
		return last.value, last.err
	}
	select {
	case d.asking <- struct{}{}:
		defer func() { <-d.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	all, err := d.ask(ctx, model)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.models[model] = kept[[]provided]{now, all, err}
	return all, err
}

// turn is that of a model. What is remembered is bounded.
func (d *directory) turn(model string) turn {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.turns) > maxRemembered {
		clear(d.turns)
		clear(d.models)
	}
	t, ok := d.turns[model]
	if !ok {
		t = newTurn()
		d.turns[model] = t
	}
	return t
}

func (d *directory) ask(ctx context.Context, model string) ([]provided, error) {
	mine, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	response, err := d.endpoint.Do(mine, endpoint.Request{
		Path: "/api/models/" + model, Query: url.Values{"expand[]": {"inferenceProviderMapping"}}, Model: model,
	})
	switch {
	case missing(err):
		return nil, nil
	case err != nil:
		return nil, slow(err)
	}
	all, err := readProviders(response.Body)
	if err != nil {
		return nil, unreadable(err)
	}
	return all, nil
}

// readProviders reads who serves a model: a list, or an object by provider.
func readProviders(body []byte) ([]provided, error) {
	var told struct {
		Mapping json.RawMessage `json:"inferenceProviderMapping"` //nolint:tagliatelle // the hub's word
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return nil, errors.New("what the hub tells of a model is not of its form")
	}
	raw := bytes.TrimSpace(told.Mapping)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '[' {
		var list []provided
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("the list of providers: %w", errForm)
		}
		return list, nil
	}
	var byName map[string]provided
	if err := json.Unmarshal(raw, &byName); err != nil {
		return nil, fmt.Errorf("the providers by name: %w", errForm)
	}
	var list []provided
	for name, p := range byName {
		p.Provider = name
		list = append(list, p)
	}
	return list, nil
}

var errForm = errors.New("it is not of its form")
