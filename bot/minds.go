package main

import (
	"fmt"

	"atelier/agent/endpoint"
	"atelier/agent/mind"
	"atelier/agent/mind/llm"
	"atelier/agent/mind/standin"
	"atelier/agent/plan"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
)

// mind is the mind that the configuration names. It sees the pictures that are shown, if it is
// one that looks at them; none are where there are no blobs. Fixed sentences are told by tell.
func (c Config) mind(catalogue *toolbox.Catalogue, shown pictures, tell plan.Tell) (mind.Mind, error) {
	if c.Mind == llmMind && !c.Fallback {
		return c.languageModel(catalogue, shown, tell)
	}
	planner, err := rules.New(rules.Config{Catalogue: catalogue, Tell: tell})
	if err != nil {
		return nil, fmt.Errorf("prepare the offline mind: %w", err)
	}
	if c.Mind != llmMind {
		return planner, nil
	}
	model, err := c.languageModel(catalogue, shown, tell)
	if err != nil {
		return nil, err
	}
	return standin.New(standin.Config{First: model, Second: planner, Tell: tell, Log: c.logger()})
}

// languageModel is the mind that asks a model.
func (c Config) languageModel(catalogue *toolbox.Catalogue, shown pictures, tell plan.Tell) (*llm.Mind, error) {
	m := c.Models
	asked := endpoint.Config{Timeout: m.Timeout, Transport: m.Transport, Wrap: m.Wrap, Log: c.logger()}
	e, err := m.Server.endpoint(asked)
	if err != nil {
		return nil, err
	}
	choice, err := c.choice()
	if err != nil {
		return nil, err
	}
	config := llm.Config{
		Catalogue:     catalogue,
		Model:         llm.Model{Endpoint: e, Name: m.Name, Choice: choice, TokenField: m.TokenField},
		ContextTokens: m.Context,
		MaxTokens:     m.Budget,
		WithoutPrior:  c.WithoutPrior,
		Tell:          tell,
	}
	if m.DecomposerName != "" {
		asked.Names = m.decomposerNames()
		own, err := m.Decomposer.endpoint(asked)
		if err != nil {
			return nil, err
		}
		config.Decomposer = llm.Model{Endpoint: own, Name: m.DecomposerName}
		if m.Decomposer.BaseURL == m.Server.BaseURL { // another server may know another one
			config.Decomposer.TokenField = m.TokenField
		}
	}
	if m.Vision && shown.blobs != nil {
		config.Pictures = shown
	}
	return llm.New(config)
}

// decomposerNames are those of the settings that are the decomposer's own.
func (m *Models) decomposerNames() endpoint.Names {
	names := endpoint.Names{Model: "DECOMPOSER_MODEL"}
	if m.Decomposer.BaseURL != m.Server.BaseURL {
		names.BaseURL, names.Key = "DECOMPOSER_BASE_URL", "DECOMPOSER_API_KEY"
	}
	if m.Decomposer.Key != m.Server.Key {
		names.Key = "DECOMPOSER_API_KEY"
	}
	return names
}

// endpoint speaks to the server, as patiently as how says.
func (s server) endpoint(how endpoint.Config) (*endpoint.Endpoint, error) {
	how.BaseURL, how.Key, how.AzureVersion = s.BaseURL, string(s.Key), s.AzureVersion
	e, err := endpoint.New(how)
	if err != nil {
		return nil, usage("The settings of the model server are wrong: %s.", err)
	}
	return e, nil
}
