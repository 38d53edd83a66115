package hftask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/jsonfind"
)

// providersBelieved is how long it is believed who serves a model.
const providersBelieved = 10 * time.Minute

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

// onHub is the route to a provider of the model. Only those are asked that take the task
// API, which is hf-inference, and for texts those that take OpenAI's form, which are all:
// the router chooses among them. The forms of others for pictures, sound and video are
// their own, and not spoken here.
func (b *Backend) onHub(ctx context.Context, t task, c toolbox.Candidate, how asking) (route, error) {
	switch {
	case t.extended:
		return route{}, fault(nil, "Hugging Face's API does not support that; it needs a tool server.")
	case c.Model == "":
		return route{}, fault(nil, "Hugging Face needs the name of a model for that.")
	}
	all, remembered := b.hub.remembered(c.Model)
	if !remembered || how == anew {
		var err error
		if all, err = b.hub.look(ctx, c.Model); err != nil {
			return route{}, b.sorted(err, c.Model)
		}
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
	return route{}, fault(nil, "The providers of %s on Hugging Face accept only their own formats, which this version does not support.", c.Model)
}

// directory is who serves a model, by the word of the hub.
type directory = book[[]provided]

func newDirectory(e *endpoint.Endpoint, clock func() time.Time) *directory {
	return newBook(providersBelieved, clock, func(ctx context.Context, model string) ([]provided, error) { return askProviders(ctx, e, model) })
}

func askProviders(ctx context.Context, e *endpoint.Endpoint, model string) ([]provided, error) {
	mine, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	response, err := e.Do(mine, endpoint.Request{
		Path: "/api/models/" + model, Query: url.Values{"expand[]": {"inferenceProviderMapping"}}, Model: model, MaxBody: maxTold,
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
			return nil, fmt.Errorf("the list of providers: %w", jsonfind.ErrForm)
		}
		return list, nil
	}
	var byName map[string]provided
	if err := json.Unmarshal(raw, &byName); err != nil {
		return nil, fmt.Errorf("the providers by name: %w", jsonfind.ErrForm)
	}
	var list []provided
	for name, p := range byName {
		p.Provider = name
		list = append(list, p)
	}
	return list, nil
}
