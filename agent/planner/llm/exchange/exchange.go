// Package exchange puts a question to a model and reads its answer.
//
// The answer is JSON after a schema, where the server takes one; JSON without, and then
// plain text with the object found in it, where it refuses.
//
//   - What a job complains of is sent back once with the exact complaint. An answer that
//     does not hold after that is an [*AnswerError].
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

// Config says who is asked and how much it may cost.
type Config struct {
	// Model is asked; required.
	Model *Model
	// Repairer is asked to repair an answer. A model that was tuned for its job may not
	// follow a complaint. Nil means Model.
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
	prompt *prompt.Prompt // of a repair
}

//go:embed repair.txt
var repairText string

// RepairVersion is the version of the prompt that asks for a repair.
func RepairVersion() string { return prompt.Version(repairText) }

// New checks the configuration. Nothing is asked yet.
func New(c Config) (*Exchange, error) {
	if c.Model == nil {
		return nil, errors.New("a model is needed")
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
		return nil, fmt.Errorf("the model must take at least %d tokens, and a request more than none", LeastContext)
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

// RepairRoom is what a long question leaves of the context for the complaint and the bad
// answer.
func (x *Exchange) RepairRoom() int { return x.config.ContextTokens / 16 }

// rounds is how often a question is put: once, and once more with the complaint.
const rounds = 2

// Ask puts a question and hands the answer to take, which checks it. What take
// complains of is sent back once. What it took is noted in t.
func (x *Exchange) Ask(ctx context.Context, q Question, t *plan.Thinking, take func(content string) error) error {
	model := x.config.Model
	began := x.config.Clock()
	job := plan.Job{Name: q.Job}
	defer func() {
		if job.Model == "" { // nobody was asked
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
				Sentence: plan.Say("The language model gave an answer that I could not use, twice. Please say it in other words, or try again."),
				Err:      &AnswerError{Job: q.Job, Kind: wrong.Kind},
			}
		}
		job.Repairs++
		if messages, err = x.repair(q, messages, answer.content, wrong.Text); err != nil {
			return err
		}
	}
}

// leastOutput is the room without which nothing is asked: no answer is shorter than that
// many tokens for sure.
const leastOutput = 256

// room is how many tokens the next answer may have: what the job needs, more for a model
// that thinks, and no more than is left of the context and of what the request may take.
func (x *Exchange) room(q Question, how manner, messages []openai.ChatCompletionMessage, spent int) (int, error) {
	most := q.Output
	if how.thinks {
		most *= thoughts
	}
	input := tokensOf(messages)
	least := min(q.Output, leastOutput)
	left := x.config.MaxTokens - spent - input
	if left < least {
		return 0, plan.TooDear(q.Job, spent+input+least, x.config.MaxTokens)
	}
	return min(most, left, max(x.config.ContextTokens-input, least)), nil
}

// How much of a bad answer is shown to the model again, in bytes, and of what is wrong
// with it, in tokens.
const (
	repeated   = 8000
	complained = 1024
)

// repair adds to the messages the bad answer and what is wrong with it, as much as leaves
// room for another one.
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
