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
	// Model is a server and its model.
	Model = exchange.ModelConfig
	// Pictures returns a picture of the thread as a small JPEG.
	Pictures = decompose.Pictures
	// AnswerError is returned if neither an answer nor its correction could be used.
	AnswerError = exchange.AnswerError
)

// DefaultContextTokens is the default of [Config].ContextTokens.
const DefaultContextTokens = exchange.DefaultContextTokens

// Config configures a Planner.
type Config struct {
	// Catalogue holds the tools in the prompts; required.
	Catalogue *toolbox.Catalogue
	// Model does every job; required.
	Model Model
	// Decomposer is a model tuned for decomposition, which then does that job, as in
	// ControlLLM-Mix. Zero means Model.
	Decomposer Model
	// ContextTokens is the context size of the models in tokens. Zero means [DefaultContextTokens].
	ContextTokens int
	// MaxTokens is the token limit of one request. Zero means 100,000.
	MaxTokens int
	// WithoutPrior omits the tool hints from the decomposition (ControlLLM, Table 4: without prior
	// knowledge).
	WithoutPrior bool
	// Pictures provides pictures for the model. Nil shows none.
	Pictures Pictures
	// Tell translates sentences that are appended to an answer. Nil means English.
	Tell plan.Translate
	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
}

// Planner is a [planner.Planner] that uses a language model.
type Planner struct {
	*decompose.Decomposer
	*assess.Assessor
	*settle.Settler
	*respond.Responder
}

var _ planner.Planner = (*Planner)(nil)

// New validates the configuration and parses the prompts. It sends no request.
func New(c Config) (*Planner, error) {
	m, err := join(c)
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	return m, nil
}

func join(c Config) (*Planner, error) {
	if c.Catalogue == nil {
		return nil, errors.New("a catalogue is required")
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

// exchanges returns the exchange for all jobs, and the one for the decomposition.
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

// Versions returns a short hash of each prompt file, and of the explanations of types and meanings
// shared by several prompts, so that a recording can tell which prompts it was made with.
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
