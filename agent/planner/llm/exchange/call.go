package exchange

import (
	"context"
	"fmt"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/token"
)

// answer is what a model wrote, without its thoughts.
type answer struct {
	content string
	// open reports that the server gave no reason for the end. The connection may have broken.
	open bool
}

// blame turns the error of an answer without a proper end into one that says that it was cut off.
func (a answer) blame(wrong *ComplaintError) *ComplaintError {
	if a.open && wrong.Kind == NotJSON {
		return &ComplaintError{cutOffAnswer, cutOffText}
	}
	return wrong
}

const cutOffText = "The answer was too long and was cut off. Answer again, whole and shorter."

// complete makes one call for an answer of at most that many tokens. If the server refuses a
// parameter or the format, complete tries without it, and remembers what worked. If the server
// does not know the chosen model, it asks another one. An empty, cut-off or refused answer is an
// error.
func (m *Model) complete(
	ctx context.Context, q Question, how manner, messages []openai.ChatCompletionMessage, most int, job *plan.Job,
) (answer, error) {
	for from := how; ; {
		response, err := m.config.Endpoint.Client().CreateChatCompletion(ctx, m.request(messages, q.Schema, how, most))
		if err != nil {
			err = m.config.Endpoint.Explain(err, how.model)
			if next, ok := how.plainer(err, from, q.Schema != nil); ok {
				how = next
				continue
			}
			if next, ok := m.another(ctx, err, how.model); ok {
				how, from, job.Model = next, next, next.model
				continue
			}
			if endpoint.Declined(err) {
				err = &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: err, Final: true}
			}
			return answer{}, fmt.Errorf("%s: %w", q.Job, err)
		}
		m.worked(how, q.Schema != nil)
		return m.read(response, messages, job)
	}
}

// read returns the content of an answer and counts its tokens.
func (m *Model) read(response openai.ChatCompletionResponse, messages []openai.ChatCompletionMessage, job *plan.Job) (answer, error) {
	job.Calls++
	if len(response.Choices) == 0 {
		count(response.Usage, messages, "", job)
		return answer{}, Complain(EmptyAnswer, "There was no answer.")
	}
	choice := response.Choices[0]
	count(response.Usage, messages, choice.Message.Content, job)
	content, cut := endpoint.WithoutThoughts(choice.Message.Content), endpoint.CutOff(choice.FinishReason)
	switch {
	case choice.Message.Refusal != "", choice.FinishReason == openai.FinishReasonContentFilter:
		return answer{}, &plan.Fault{
			Sentence: plan.Say("The language model declined this request. Please rephrase it, or ask for something else."),
			Err:      fmt.Errorf("%s: the model refused", job.Name),
			Final:    true, // no other backend may do what the model declined
		}
	case content == "" && cut:
		m.thought() // so that the next answer gets more room
		return answer{}, Complain(cutOffAnswer, "The answer was cut off before it began. Think less and answer briefly.")
	case content == "":
		return answer{}, Complain(EmptyAnswer, "The answer was empty.")
	case cut:
		return answer{content: content}, Complain(cutOffAnswer, cutOffText)
	}
	return answer{content: content, open: choice.FinishReason == ""}, nil
}

// count records the tokens of an answer. It estimates them if the server does not report them.
func count(u openai.Usage, messages []openai.ChatCompletionMessage, content string, job *plan.Job) {
	if u.PromptTokens == 0 && u.CompletionTokens == 0 {
		job.Estimated = true
		job.Input += tokensOf(messages)
		job.Output += token.Count(content)
		return
	}
	job.Input += u.PromptTokens
	job.Output += u.CompletionTokens
	if d := u.PromptTokensDetails; d != nil {
		job.Cached += d.CachedTokens
	}
}
