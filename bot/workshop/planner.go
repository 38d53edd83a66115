package workshop

import (
	"fmt"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/fallback"
	"atelier/agent/planner/llm"
	"atelier/agent/planner/rules"
	"atelier/agent/toolbox"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// NewPlanner returns the planner that the settings name. If it uses vision, it gets the pictures in shown.
// tell translates fixed sentences.
func (w Workshop) NewPlanner(catalogue *toolbox.Catalogue, shown Pictures, tell plan.Translate) (planner.Planner, error) {
	if w.Planner == settings.LLMPlanner && !w.Fallback {
		return w.LanguageModel(catalogue, shown, tell)
	}
	byRules, err := rules.New(rules.Config{Catalogue: catalogue, Tell: tell})
	if err != nil {
		return nil, fmt.Errorf("prepare the rules: %w", err)
	}
	if w.Planner != settings.LLMPlanner {
		return byRules, nil
	}
	model, err := w.LanguageModel(catalogue, shown, tell)
	if err != nil {
		return nil, err
	}
	return fallback.New(fallback.Config{First: model, Second: byRules, Tell: tell, Log: w.Logger()})
}

// LanguageModel returns the planner that uses a language model.
func (w Workshop) LanguageModel(catalogue *toolbox.Catalogue, shown Pictures, tell plan.Translate) (*llm.Planner, error) {
	m := w.Models
	asked := endpoint.Config{Timeout: m.Timeout, Transport: w.Transport, Wrap: w.Wrap, Log: w.Logger()}
	e, err := SpeakTo(m.Server, asked)
	if err != nil {
		return nil, err
	}
	choice, err := w.ModelChoice()
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
		asked.Names = m.DecomposerNames()
		own, err := SpeakTo(m.Decomposer, asked)
		if err != nil {
			return nil, err
		}
		config.Decomposer = llm.Model{Endpoint: own, Name: m.DecomposerName}
		if m.Decomposer.BaseURL == m.Server.BaseURL { // another server may have another limit
			config.Decomposer.TokenField = m.TokenField
		}
	}
	if m.Vision && shown.blobs != nil {
		config.Pictures = shown
	}
	return llm.New(config)
}

// SpeakTo returns the endpoint of a server, with the timeouts and retries of how.
func SpeakTo(s settings.Server, how endpoint.Config) (*endpoint.Endpoint, error) {
	how.BaseURL, how.Key, how.AzureVersion = s.BaseURL, string(s.Key), s.AzureVersion
	e, err := endpoint.New(how)
	if err != nil {
		return nil, fault.Usage("The settings of the model server are invalid: %s.", err)
	}
	return e, nil
}

// ModelChoice returns the choice among the server's models. It does not call the server yet.
func (w Workshop) ModelChoice() (*family.Choice, error) {
	if w.Choice != nil {
		return w.Choice, nil
	}
	m := w.Models
	e, err := SpeakTo(m.Server, endpoint.Config{Retries: 1, MaxBody: settings.MaxModelList, Transport: w.Transport, Log: w.Logger()})
	if err != nil {
		return nil, err
	}
	named := []string{m.Name, m.SeeingModel(), m.Image, m.Speech, m.Transcription}
	if m.Decomposer == m.Server {
		named = append(named, m.DecomposerName)
	}
	choice, err := family.New(family.Config{Endpoint: e, Named: named, Log: w.Logger()})
	if err != nil {
		return nil, fmt.Errorf("prepare the choice of models: %w", err)
	}
	return choice, nil
}
