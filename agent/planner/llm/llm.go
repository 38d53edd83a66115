// Package llm is the planner that asks a language model: any server that speaks OpenAI's
// chat completions.
//
// A job is one question: a prompt (an embedded file of prompts, built from the
// catalogue) whose first part is the same for every request, so that a provider's cache
// of prompts hits, and whose last part is the request. The answer is JSON after a
// schema, where the server takes one; JSON without, and then plain text with the object
// found in it, where it refuses.
//
// Promises:
//   - A request costs at most four calls, one a job, and none where the answer is
//     forced; besides, one more for an answer that had to be repaired.
//   - What comes back is checked: it names only known tools, types, domains and
//     resources and refers only backwards. An answer that does not hold is sent back
//     once with the exact complaint, and is an [*AnswerError] after that.
//   - A request takes no more tokens than [Config.MaxTokens]; a conversation is cut from
//     its oldest turn, a catalogue to its most relevant tools.
//   - Wishes, file names and texts are data to the model: whatever they say, a plan holds
//     only what the catalogue and the thread hold. No prompt holds a key.
//   - It is safe for concurrent use and stops when its context does.
package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

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
	// means 32,768.
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

// Model is a model of a server.
type Model struct {
	Endpoint *endpoint.Endpoint
	Name     string
	// Choice chooses among the models of the server where Name is ""; one of the two is needed.
	Choice *family.Choice
	// TokenField is the field that bounds an answer: max_tokens or
	// max_completion_tokens. Empty chooses by the server and the name. Where the server
	// refuses the one, the other is taken.
	TokenField string
}

// Pictures gives a picture of the thread as a small JPEG.
type Pictures interface {
	Picture(ctx context.Context, r plan.Resource) ([]byte, error)
}

// The defaults of a [Config].
const (
	DefaultContextTokens = 32_768
	DefaultMaxTokens     = 100_000

	leastContext = 4096
)

// Planner does the language jobs by a model.
type Planner struct {
	config     Config
	model      *asked
	decomposer *asked
	index      *retrieve.Index
	prompts    prompts
	schemas    schemas
}

var _ planner.Planner = (*Planner)(nil)

// New checks the configuration and builds the prompts. Nothing is asked yet.
func New(c Config) (*Planner, error) {
	if c.Catalogue == nil {
		return nil, errors.New("llm: a catalogue is needed")
	}
	if c.ContextTokens == 0 {
		c.ContextTokens = DefaultContextTokens
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = DefaultMaxTokens
	}
	if c.ContextTokens < leastContext || c.MaxTokens < 0 {
		return nil, fmt.Errorf("llm: the model must take at least %d tokens, and a request more than none", leastContext)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	m := &Planner{config: c}
	var err error
	if m.model, err = newAsked(c.Model); err != nil {
		return nil, err
	}
	m.decomposer = m.model
	if c.Decomposer != (Model{}) {
		if m.decomposer, err = newAsked(c.Decomposer); err != nil {
			return nil, err
		}
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	m.index = retrieve.New(lexicon, c.Catalogue.Tools())
	if m.prompts, err = readPrompts(); err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	if m.schemas, err = newSchemas(c.Catalogue); err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	return m, nil
}
