// Package decompose splits a request into subtasks, or asks back, or answers plain
// conversation.
//
// What comes back is checked: it names only known types, domains and resources, refers
// only backwards, and quotes no prompt.
package decompose

import (
	"context"
	_ "embed"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Name is that of the job, in labels and in [plan.Job].
const Name = "decompose"

// Config says what is known of the tools, and who is asked.
type Config struct {
	// Catalogue holds the tools that the prompt speaks of; required.
	Catalogue *toolbox.Catalogue
	// Index finds those nearest to a text; required.
	Index *retrieve.Index
	// Exchange asks the model; required.
	Exchange *exchange.Exchange
	// WithoutPrior leaves the hints at tools out (ControlLLM, Table 4: without prior
	// knowledge).
	WithoutPrior bool
	// Pictures shows pictures to the model. Nil shows none.
	Pictures Pictures
}

// Pictures gives a picture of the thread as a small JPEG.
type Pictures interface {
	Picture(ctx context.Context, r plan.Resource) ([]byte, error)
}

// Decomposer splits requests. It is safe for concurrent use.
type Decomposer struct {
	config  Config
	context int // in tokens
	known   vocabulary
	prompt  *prompt.Prompt
	schema  *exchange.Schema
}

//go:embed prompt.txt
var promptText string

// PromptVersion is the version of the prompt.
func PromptVersion() string { return prompt.Version(promptText) }

// New reads the prompt. Nothing is asked yet.
func New(c Config) (*Decomposer, error) {
	p, err := prompt.Parse(Name, promptText)
	if err != nil {
		return nil, err
	}
	known := newVocabulary(c.Catalogue)
	schema, err := exchange.NewSchema[decomposition](Name, known.closed())
	if err != nil {
		return nil, err
	}
	d := &Decomposer{config: c, context: c.Exchange.ContextTokens(), known: known, prompt: p, schema: schema}
	d.known.moves = d.moves
	return d, nil
}

// What an answer may hold at most.
const (
	maxSubtasks = 64   // as many as an agent does steps
	maxWords    = 1000 // letters of one text

	// decomposeOutput is the most tokens of an answer, in a context that is large.
	decomposeOutput = 4096
)

// tooMuch is the kind of the complaint about an answer with too many or too long parts.
const tooMuch = "too much"

// Decompose splits the request.
func (job *Decomposer) Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	pictures, names, err := job.pictures(ctx, r)
	if err != nil {
		return planner.Decomposition{}, err
	}
	q := exchange.Question{
		Job: Name, Request: r.ID, Pictures: pictures, Schema: job.schema,
		Output: min(decomposeOutput, job.context/4),
	}
	if err := job.word(&q, r, names); err != nil {
		return planner.Decomposition{}, err
	}
	var d planner.Decomposition
	err = job.config.Exchange.Ask(ctx, q, t, func(content string) error {
		answer, err := readDecomposition(content)
		if err == nil {
			d, err = bind(answer, r, job.known)
		}
		if err == nil {
			err = talks(d.Question+d.Reply, r, q.System)
		}
		for _, guess := range d.Guesses {
			if err == nil {
				err = talks(guess, r, q.System)
			}
		}
		return err
	})
	if err != nil {
		return planner.Decomposition{}, err
	}
	return d, nil
}
