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

// providersLife is how long the list of a model's providers is cached.
const providersLife = 10 * time.Minute

// ownProvider is the provider that speaks the task API. conversation is the task of language models, for
// which all providers speak OpenAI's form.
const (
	ownProvider  = "hf-inference"
	conversation = "conversational"
	generation   = "text-generation"
)

// providerEntry is one provider of a model (Hugging Face, Inference Providers, Hub API).
type providerEntry struct {
	Provider   string `json:"provider"`
	ProviderID string `json:"providerId"` //nolint:tagliatelle // the hub's name
	Status     string `json:"status"`
	Task       string `json:"task"`
}

// onHub returns the route to a provider of the model: to hf-inference, the only one that speaks the task
// API, or for texts to the router's chat completion, which all providers support. Other providers have their
// own forms for pictures, sound and video, which are not supported.
func (b *Backend) onHub(ctx context.Context, t task, c toolbox.Candidate, how lookup) (route, error) {
	switch {
	case t.extended:
		return route{}, fault(nil, "Hugging Face's API does not support that; it needs a tool server.")
	case c.Model == "":
		return route{}, fault(nil, "Hugging Face needs the name of a model for that.")
	}
	all, remembered := b.hub.remembered(c.Model)
	if !remembered || how == refresh {
		var err error
		if all, err = b.hub.look(ctx, c.Model); err != nil {
			return route{}, b.asFault(err, c.Model)
		}
	}
	live := slices.DeleteFunc(slices.Clone(all), func(p providerEntry) bool { return p.Status != "live" })
	switch {
	case len(live) == 0:
		return route{}, fault(nil, "No provider serves %s on Hugging Face at the moment.", c.Model)
	case t.name == generation && slices.ContainsFunc(live, func(p providerEntry) bool { return p.Task == conversation }):
		return route{path: chatPath, model: c.Model}, nil
	case slices.ContainsFunc(live, func(p providerEntry) bool {
		return p.Provider == ownProvider && p.Task == t.name && t.name != generation
	}):
		return route{path: "/" + ownProvider + "/models/" + c.Model, model: c.Model}, nil
	case !slices.ContainsFunc(live, func(p providerEntry) bool { return p.Task == t.name }):
		return route{}, fault(nil, "%s does not do %s on Hugging Face.", c.Model, t.name)
	}
	return route{}, fault(nil, "The providers of %s on Hugging Face accept only their own formats, which this version does not support.", c.Model)
}

// directory caches the providers of models on the hub.
type directory = book[[]providerEntry]

func newDirectory(e *endpoint.Endpoint, clock func() time.Time) *directory {
	return newBook(providersLife, clock, func(ctx context.Context, model string) ([]providerEntry, error) { return askProviders(ctx, e, model) })
}

func askProviders(ctx context.Context, e *endpoint.Endpoint, model string) ([]providerEntry, error) {
	mine, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	response, err := e.Do(mine, endpoint.Request{
		Path: "/api/models/" + model, Query: url.Values{"expand[]": {"inferenceProviderMapping"}}, Model: model, MaxBody: maxInfoBody,
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

// readProviders reads the providers of a model: a list, or an object by provider name.
func readProviders(body []byte) ([]providerEntry, error) {
	var info struct {
		Mapping json.RawMessage `json:"inferenceProviderMapping"` //nolint:tagliatelle // the hub's name
	}
	if err := json.Unmarshal(body, &info); err != nil {
		return nil, errors.New("the hub's description of a model is not valid JSON")
	}
	raw := bytes.TrimSpace(info.Mapping)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '[' {
		var list []providerEntry
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("the list of providers: %w", jsonfind.ErrForm)
		}
		return list, nil
	}
	var byName map[string]providerEntry
	if err := json.Unmarshal(raw, &byName); err != nil {
		return nil, fmt.Errorf("the providers by name: %w", jsonfind.ErrForm)
	}
	var list []providerEntry
	for name, p := range byName {
		p.Provider = name
		list = append(list, p)
	}
	return list, nil
}
