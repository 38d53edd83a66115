// Package respond has the language model write the answer to a request.
package respond

import (
	"context"
	_ "embed"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/flaw"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
)

// Name is the name of the job, in labels and in [plan.Job].
const Name = "respond"

// Config configures a Responder.
type Config struct {
	// Catalogue holds the tools; required.
	Catalogue *toolbox.Catalogue
	// Exchange asks the model; required.
	Exchange *exchange.Exchange
	// Tell translates sentences that are appended to an answer. Nil means English.
	Tell plan.Translate
}

// Responder words answers. It is safe for concurrent use.
type Responder struct {
	config  Config
	context int // in tokens
	prompt  *prompt.Prompt
}

//go:embed prompt.txt
var promptText string

// PromptVersion is the version of the prompt.
func PromptVersion() string { return prompt.Version(promptText) }

// New parses the prompt. It sends no request.
func New(c Config) (*Responder, error) {
	p, err := prompt.Parse(Name, promptText)
	if err != nil {
		return nil, err
	}
	return &Responder{config: c, context: c.Exchange.ContextTokens(), prompt: p}, nil
}

// mostSaid is the token limit of an answer: a chat message in a script that takes a token per
// character.
const mostSaid = 1500

// complaintTokens is the token limit of the complaint about an answer.
const complaintTokens = 300

// Respond words the answer. Long texts are not retyped: the model writes a placeholder, which is
// replaced by the text. Anything that the model omits, even after a complaint, is appended.
func (job *Responder) Respond(ctx context.Context, a planner.Account, t *plan.Thinking) (string, error) {
	if len(a.Plan.Tasks) == 0 {
		return a.Plan.Reply + a.Plan.Question, nil
	}
	q := exchange.Question{Job: Name, Request: a.Request.ID, Output: min(mostSaid, job.context/6)}
	var err error
	if q.System, err = job.prompt.System(nil); err != nil {
		return "", err
	}
	// a repair repeats the answer
	told, user, err := job.tell(a, job.context-token.Count(q.System)-exchange.MessagesTokens-2*q.Output-complaintTokens)
	if err != nil {
		return "", err
	}
	q.User = user
	answer := "" // the latest usable one
	err = job.config.Exchange.Ask(ctx, q, t, func(content string) error {
		said := messageOf(content)
		found := job.flaws(a, told, said)
		if !slices.ContainsFunc(found, flaw.Flaw.IsGrave) {
			answer = found.Mend(told.texts.fill(job.plain(a, said)))
		}
		return found.Complaint()
	})
	if answer != "" && ctx.Err() == nil {
		return answer, nil
	}
	return "", err
}
