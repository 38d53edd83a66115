// Package exchange asks a model a question and reads its answer.
//
// The answer is JSON that follows a schema, if the server supports schemas. If it refuses, it is asked
// for JSON without a schema, and then for plain text with an object in it.
//
//   - An answer that a job rejects is sent back once with the complaint. If the next one is
//     rejected too, the exchange fails with an [*AnswerError].
//   - A request takes no more tokens than [Config.MaxTokens], its answers included.
//   - An exchange is safe for concurrent use and stops when its context does.
package exchange

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/planner/llm/token"
)

// Config says which model is asked and how many tokens it may take.
type Config struct {
	// Model is the model to ask; required.
	Model *Model
	// Repairer is the model that repairs answers, because a model that was tuned for its job may
	// not follow a complaint. Nil means Model.
	Repairer *Model
	// ContextTokens is how many tokens the models can read and write in one call. Zero
	// means 32,768.
	ContextTokens int
	// MaxTokens is how many tokens one request may take in all. Zero means 100,000.
	MaxTokens int
	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
}

// The defaults of a [Config].
const (
	DefaultContextTokens = 32_768
	defaultMaxTokens     = 100_000

	// LeastContext is the smallest context that a question fits into.
	LeastContext = 4096
)

// Exchange puts questions to a model.
type Exchange struct {
	config Config
	prompt *prompt.Prompt // of the repair
}

//go:embed repair.txt
var repairText string

// RepairVersion is the version of the prompt that asks for a repair.
func RepairVersion() string { return prompt.Version(repairText) }

// New checks the configuration. It asks nothing yet.
func New(c Config) (*Exchange, error) {
	if c.Model == nil {
		return nil, errors.New("Model is required")
	}
	if c.Repairer == nil {
		c.Repairer = c.Model
	}
	if c.ContextTokens == 0 {
		c.ContextTokens = DefaultContextTokens
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = defaultMaxTokens
	}
	if c.ContextTokens < LeastContext || c.MaxTokens < 0 {
		return nil, fmt.Errorf("ContextTokens must be at least %d, and MaxTokens must not be negative", LeastContext)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	p, err := prompt.Parse("repair", repairText)
	if err != nil {
		return nil, err
	}
	return &Exchange{config: c, prompt: p}, nil
}

// ContextTokens is how many tokens a question and its answer may take.
func (x *Exchange) ContextTokens() int { return x.config.ContextTokens }

// RepairRoom is how much of the context a long question leaves for the complaint and the rejected
// answer.
func (x *Exchange) RepairRoom() int { return x.config.ContextTokens / 16 }

// rounds is how often a question is asked: once, and once more with the complaint.
const rounds = 2

// Ask asks a question and passes the answer to take, which checks it. If take returns a complaint,
// the answer is sent back once. Ask records in t what it took.
func (x *Exchange) Ask(ctx context.Context, q Question, t *plan.Thinking, take func(content string) error) error {
	model := x.config.Model
	began := x.config.Clock()
	job := plan.Job{Name: q.Job}
	defer func() {
		if job.Model == "" { // no model was asked
			return
		}
		job.Took = x.config.Clock().Sub(began)
		t.Jobs = append(t.Jobs, job)
	}()
	messages := q.messages()
	for round := 1; ; round++ {
		if round > 1 {
			model = x.config.Repairer
		}
		how, err := model.manner(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Job, err)
		}
		job.Model = how.model
		most, err := x.room(q, how, messages, t.Tokens()+job.Input+job.Output)
		if err != nil {
			return err
		}
		answer, err := model.complete(endpoint.Label(ctx, q.Request, q.Job, round), q, how, messages, most, &job)
		if err == nil {
			err = take(answer.content)
		}
		wrong, ok := errors.AsType[*ComplaintError](err)
		if !ok {
			return err
		}
		wrong = answer.blame(wrong)
		if round == rounds {
			return &plan.Fault{
				Sentence: plan.Say("The language model twice gave an answer that I could not use. Please rephrase your request, or try again."),
				Err:      &AnswerError{Job: q.Job, Kind: wrong.Kind},
			}
		}
		job.Repairs++
		if messages, err = x.repair(q, messages, answer.content, wrong.Text); err != nil {
			return err
		}
	}
}

// leastOutput is the least room for an answer. With less, no question is asked.
const leastOutput = 256

// room returns how many tokens the next answer may have: what the job needs, more for a model that
// thinks, but at most what is left of the context and of the limit of the request.
func (x *Exchange) room(q Question, how manner, messages []openai.ChatCompletionMessage, spent int) (int, error) {
	most := q.Output
	if how.thinks {
		most *= thoughts
	}
	input := tokensOf(messages)
	least := min(q.Output, leastOutput)
	left := x.config.MaxTokens - spent - input
	if left < least {
		return 0, plan.OverBudget(q.Job, spent+input+least, x.config.MaxTokens)
	}
	return min(most, left, max(x.config.ContextTokens-input, least)), nil
}

// How much of a rejected answer the model is shown again, in bytes, and how much of the complaint,
// in tokens.
const (
	repeated   = 8000
	complained = 1024
)

// repair adds the rejected answer and the complaint to the messages, and leaves room for another
// answer.
func (x *Exchange) repair(q Question, messages []openai.ChatCompletionMessage, content, wrong string) ([]openai.ChatCompletionMessage, error) {
	left := x.config.ContextTokens - tokensOf(messages) - q.Output - MessagesTokens
	fixed, err := x.prompt.User("")
	if err != nil {
		return nil, err
	}
	left = max(left, leastOutput) - token.Count(fixed)
	wrong = token.ClipTo(wrong, min(left, complained))
	content = token.ClipTo(token.Clip(content, repeated), left-token.Count(wrong))
	text, err := x.prompt.User(wrong)
	if err != nil {
		return nil, err
	}
	if len(content) > len("…") {
		messages = append(messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: content})
	}
	return append(messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: text}), nil
}
