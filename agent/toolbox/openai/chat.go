package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox"
)

// maxRounds is how many attempts a model has to answer in the right form.
const maxRounds = 2

// texts runs the tasks in which a model answers in words, about texts and pictures.
type texts struct {
	config      *Config
	formatLevel atomic.Int32 // the response format that the server supports: bySchema, byJSON or byWords
	limitField  atomic.Int32 // index of the token limit that the server supports, in bounds
}

// chat asks a model to follow the backing's prompt, with the call's texts and pictures.
func (ts *texts) chat(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	f, err := formOf(c.Returns)
	if err != nil {
		return toolbox.Output{}, err
	}
	return ts.askForm(ctx, r, f, backing, c)
}

// askForm asks a model for an answer in a form, and once more with a correction if the answer does not have
// it.
func (ts *texts) askForm(ctx context.Context, r run, f form, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	messages, err := ts.question(ctx, f, backing, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	for round := 1; ; round++ {
		answer, err := ts.complete(endpoint.Label(ctx, c.Request, "act."+c.Tool, round), r, messages, f)
		if err != nil {
			return toolbox.Output{}, err
		}
		if strings.Contains(backing.Prompt, nothing) && isNothing(answer) {
			return toolbox.Output{}, errNothing
		}
		value, err := f.read(answer)
		why, wrong := errors.AsType[complaint](err)
		switch {
		case !wrong && err != nil:
			return toolbox.Output{}, err
		case !wrong:
			return toolbox.Output{Value: value}, nil
		case round == maxRounds:
			return toolbox.Output{}, fault(err, "The model's answer was not in the right form, even when asked again.")
		}
		messages = append(messages,
			api.ChatCompletionMessage{Role: api.ChatMessageRoleAssistant, Content: clip(answer)},
			api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: "That is not of the form that is needed: " + string(why) +
				". Do the task again and answer in this form. " + f.about})
	}
}

// maxRepeated is how much of a malformed answer is shown to the model again, in bytes.
const maxRepeated = 2000

// clip returns the beginning of an answer.
func clip(answer string) string {
	if len(answer) <= maxRepeated {
		return answer
	}
	return strings.ToValidUTF8(answer[:maxRepeated], "") + "…"
}

// The response formats, from the strictest to none.
const (
	bySchema = iota
	byJSON
	byWords
)

// complete asks for an answer in a form. If the server rejects the response format, it falls back to a
// plainer one, and remembers the one that worked.
func (ts *texts) complete(ctx context.Context, r run, messages []api.ChatCompletionMessage, f form) (string, error) {
	request := api.ChatCompletionRequest{Model: r.model, Messages: messages}
	if f.schema == nil {
		return ts.completeOnce(ctx, r, request)
	}
	for formatLevel := ts.formatLevel.Load(); ; formatLevel++ {
		request.ResponseFormat = f.format(formatLevel)
		answer, err := ts.completeOnce(ctx, r, request)
		if formatLevel == byWords || !endpoint.RefusesFormat(err) {
			if err == nil {
				ts.formatLevel.Store(formatLevel)
			}
			return answer, err
		}
	}
}

// maxAnswer is the longest answer in bytes, for servers without a token limit: more than maxOutput tokens
// have in any language.
const maxAnswer = 16 * maxOutput

// completeOnce sends one request and returns a fault for an answer that is refused, cut off, empty or too
// long. An answer without a finish reason counts as complete, since its form is checked anyway.
func (ts *texts) completeOnce(ctx context.Context, r run, request api.ChatCompletionRequest) (string, error) {
	response, err := ts.bounded(ctx, r, request)
	if err != nil {
		return "", err
	}
	r.countUsage(request.Messages, response)
	if len(response.Choices) == 0 {
		return "", fault(down(errors.New("the answer has no choices")), "The model gave no answer; please try again.")
	}
	choice := response.Choices[0]
	content, finish := strings.TrimSpace(choice.Message.Content), choice.FinishReason
	answer := endpoint.WithoutThoughts(content)
	switch {
	case choice.Message.Refusal != "" || finish == api.FinishReasonContentFilter:
		return "", final(fmt.Errorf("refused, finish reason %q", finish), "The model refused to do this; rephrase your request, or ask for something else.")
	case endpoint.CutOff(finish):
		return "", fault(fmt.Errorf("finish reason %q", finish), "The model's answer was cut off before its end; ask for less at once.")
	case len(answer) > maxAnswer:
		return "", fault(fmt.Errorf("the answer has %d bytes", len(answer)), "The model's answer was much too long; ask for less at once.")
	case answer == "" && content != "":
		return "", fault(errors.New("the answer has only thoughts"), "The model spent its whole answer on thinking; ask for less at once.")
	case answer == "":
		return "", fault(errors.New("the answer is empty"), "The model's answer was empty; please try again.")
	}
	return answer, nil
}
