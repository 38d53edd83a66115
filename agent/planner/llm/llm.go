// Package llm is the planner that asks a language model, on any server that speaks OpenAI's chat
// completions.
//
// Each job is one question: a prompt (a file in the job's package, filled from the catalogue) whose
// first part is the same for every request, so that a provider's prompt cache hits, and whose last
// part is the request.
//
// Guarantees:
//   - A request takes at most four calls, one per job, and none where there is only one answer. A job
//     may take one more call to repair an answer.
//   - Answers are checked: they name only known tools, types, domains and resources, and refer only
//     backwards. A faulty answer is sent back once with the exact complaint. If that fails too, the
//     error is an [*AnswerError].
//   - A request takes no more tokens than [Config.MaxTokens]. Conversations lose their oldest turns,
//     and catalogues their least relevant tools.
//   - Requests, file names and texts are data to the model: whatever they say, a plan contains only
//     what is in the catalogue and the thread. No prompt contains a key.
//   - It is safe for concurrent use and stops with its context.
package llm

import (
	"errors"
	"fmt"
	"time"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/assess"
	"atelier/agent/planner/llm/decompose"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/planner/llm/respond"
	"atelier/agent/planner/llm/settle"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

type (
	// Model is a model of a server.
	Model = exchange.ModelConfig
	// Pictures gives a picture of the thread as a small JPEG.
	Pictures = decompose.Pictures
	// AnswerError is an answer that could not be used, and neither could the one after the
	// complaint.
	AnswerError = exchange.AnswerError
)

// DefaultContextTokens is the context of a [Config] that states none.
const DefaultContextTokens = exchange.DefaultContextTokens

// Config says which model is asked and how much it may cost.
type Config struct {
	// Catalogue holds the tools that the prompts speak of; required.
	Catalogue *toolbox.Catalogue
	// Model does every job; required.
	Model Model
	// Decomposer does the decomposition instead, as in ControlLLM-Mix: a model that was
	// tuned for it. Zero means Model.
	Decomposer Model
	// ContextTokens is how many tokens the models can read and write in one call. Zero
	// means [DefaultContextTokens].
	ContextTokens int
	// MaxTokens is how many tokens one request may take in all. Zero means 100,000.
	MaxTokens int
	// WithoutPrior leaves the hints at tools out of the decomposition (ControlLLM,
	// Table 4: without prior knowledge).
	WithoutPrior bool
	// Pictures shows pictures to the model. Nil shows none.
	Pictures Pictures
	// Tell tells people the sentences that are put behind an answer, in the language of
	// their request. Nil is English.
	Tell plan.Tell
	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
}

// Planner does the language jobs by a model.
type Planner struct {
	*decompose.Decomposer
	*assess.Assessor
	*settle.Settler
	*respond.Responder
}

var _ planner.Planner = (*Planner)(nil)

// New checks the configuration and reads the prompts. Nothing is asked yet.
func New(c Config) (*Planner, error) {
	m, err := join(c)
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	return m, nil
}

func join(c Config) (*Planner, error) {
	if c.Catalogue == nil {
		return nil, errors.New("a catalogue is needed")
	}
	all, splitting, err := exchanges(c)
	if err != nil {
		return nil, err
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, err
	}
	index := retrieve.New(lexicon, c.Catalogue.Tools())
	var m Planner
	if m.Decomposer, err = decompose.New(decompose.Config{
		Catalogue: c.Catalogue, Index: index, Exchange: splitting, WithoutPrior: c.WithoutPrior, Pictures: c.Pictures,
	}); err != nil {
		return nil, err
	}
	if m.Assessor, err = assess.New(assess.Config{Catalogue: c.Catalogue, Index: index, Exchange: all}); err != nil {
		return nil, err
	}
	if m.Settler, err = settle.New(settle.Config{Catalogue: c.Catalogue, Exchange: all}); err != nil {
		return nil, err
	}
	if m.Responder, err = respond.New(respond.Config{Catalogue: c.Catalogue, Exchange: all, Tell: c.Tell}); err != nil {
		return nil, err
	}
	return &m, nil
}

// exchanges are that of all jobs, and that of the decomposition.
func exchanges(c Config) (all, splitting *exchange.Exchange, err error) {
	model, err := exchange.NewModel(c.Model)
	if err != nil {
		return nil, nil, err
	}
	shared := exchange.Config{Model: model, ContextTokens: c.ContextTokens, MaxTokens: c.MaxTokens, Clock: c.Clock}
	if all, err = exchange.New(shared); err != nil || c.Decomposer == (Model{}) {
		return all, all, err
	}
	shared.Repairer = model
	if shared.Model, err = exchange.NewModel(c.Decomposer); err != nil {
		return nil, nil, err
	}
	splitting, err = exchange.New(shared)
	return all, splitting, err
}

// Versions names the wording of each prompt by a short hash of its file, and that of the
// words of types and meanings which stand in several, so that a recording tells by which
// it was made.
func Versions() map[string]string {
	return map[string]string{
		decompose.Name: decompose.PromptVersion(),
		assess.Name:    assess.PromptVersion(),
		settle.Name:    settle.PromptVersion(),
		respond.Name:   respond.PromptVersion(),
		"repair":       exchange.RepairVersion(),
		"words":        prompt.WordsVersion(),
	}
}
