package main

import (
	"fmt"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/mind"
	"atelier/agent/mind/llm"
	"atelier/agent/mind/standin"
	"atelier/agent/plan"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
)

// mind is the mind that the settings name. It sees the pictures that are shown, if it is
// one that looks at them; none are where there are no blobs. Fixed sentences are told by tell.
func (w Workshop) mind(catalogue *toolbox.Catalogue, shown pictures, tell plan.Tell) (mind.Mind, error) {
	if w.Mind == llmMind && !w.Fallback {
		return w.languageModel(catalogue, shown, tell)
	}
	planner, err := rules.New(rules.Config{Catalogue: catalogue, Tell: tell})
	if err != nil {
		return nil, fmt.Errorf("prepare the offline mind: %w", err)
	}
	if w.Mind != llmMind {
		return planner, nil
	}
	model, err := w.languageModel(catalogue, shown, tell)
	if err != nil {
		return nil, err
	}
	return standin.New(standin.Config{First: model, Second: planner, Tell: tell, Log: w.logger()})
}

// languageModel is the mind that asks a model.
func (w Workshop) languageModel(catalogue *toolbox.Catalogue, shown pictures, tell plan.Tell) (*llm.Mind, error) {
	m := w.Models
	asked := endpoint.Config{Timeout: m.Timeout, Transport: w.Transport, Wrap: w.Wrap, Log: w.logger()}
	e, err := m.Server.endpoint(asked)
	if err != nil {
		return nil, err
	}
	choice, err := w.choice()
	if err != nil {
		return nil, err
	}
	config := llm.Config{
		Catalogue:     catalogue,
		Model:         llm.Model{Endpoint: e, Name: m.Name, Choice: choice, TokenField: m.TokenField},
		ContextTokens: m.Context,
		MaxTokens:     m.Budget,
		WithoutPrior:  w.WithoutPrior,
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

// choice is what chooses among the models of the server, which is asked nothing yet.
func (w Workshop) choice() (*family.Choice, error) {
	if w.Choice != nil {
		return w.Choice, nil
	}
	m := w.Models
	e, err := m.Server.endpoint(endpoint.Config{Retries: 1, MaxBody: maxModelList, Transport: w.Transport, Log: w.logger()})
	if err != nil {
		return nil, err
	}
	named := []string{m.Name, m.seeing(), m.Image, m.Speech, m.Transcription}
	if m.Decomposer == m.Server {
		named = append(named, m.DecomposerName)
	}
	choice, err := family.New(family.Config{Endpoint: e, Named: named, Log: w.logger()})
	if err != nil {
		return nil, fmt.Errorf("prepare the choice of models: %w", err)
	}
	return choice, nil
}
