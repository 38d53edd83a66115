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

// rounds is how often a model is asked for an answer of the right form.
const rounds = 2

// texts has a model answer in words, about texts and pictures.
type texts struct {
	config    *Config
	plainness atomic.Int32 // how little the server knows of structured output
	looseness atomic.Int32 // how little it knows of the bounds of an answer
}

// chat has a model do what the prompt says, with the texts and pictures of the call.
func (ts *texts) chat(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	f, err := formOf(c.Returns)
	if err != nil {
		return toolbox.Output{}, err
	}
	return ts.formed(ctx, r, f, backing, c)
}

// formed has a model answer in a form, and asks once more if it does not.
func (ts *texts) formed(ctx context.Context, r run, f form, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
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
		case round == rounds:
			return toolbox.Output{}, fault(err, "The model's answer was not in the right form, even when asked again.")
		}
		messages = append(messages,
			api.ChatCompletionMessage{Role: api.ChatMessageRoleAssistant, Content: clip(answer)},
			api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: "That is not of the form that is needed: " + string(why) +
				". Do the task again and answer in this form. " + f.about})
	}
}

// repeated is how much of an answer that is not of its form is shown to the model again,
// in bytes.
const repeated = 2000

// clip is the beginning of an answer.
func clip(answer string) string {
	if len(answer) <= repeated {
		return answer
	}
	return strings.ToValidUTF8(answer[:repeated], "") + "…"
}

// How a form of answers is asked for, from the strictest to words alone.
const (
	bySchema = iota
	byJSON
	byWords
)

// complete asks once for an answer of the form, and in a plainer way where the server
// does not know the strict one.
func (ts *texts) complete(ctx context.Context, r run, messages []api.ChatCompletionMessage, f form) (string, error) {
	request := api.ChatCompletionRequest{Model: r.model, Messages: messages}
	if f.schema == nil {
		return ts.completeOnce(ctx, r, request)
	}
	for plainness := ts.plainness.Load(); ; plainness++ {
		request.ResponseFormat = f.format(plainness)
		answer, err := ts.completeOnce(ctx, r, request)
		if plainness == byWords || !endpoint.RefusesFormat(err) {
			if err == nil {
				ts.plainness.Store(plainness)
			}
			return answer, err
		}
	}
}

// maxAnswer is the most bytes of an answer, for servers that take no bound of tokens:
// more than so many tokens have in any language.
const maxAnswer = 16 * maxOutput

// completeOnce asks once, and tells what is no whole answer. One whose end has no reason
// counts as whole: what is not of its form is complained of anyway.
func (ts *texts) completeOnce(ctx context.Context, r run, request api.ChatCompletionRequest) (string, error) {
	response, err := ts.bounded(ctx, r, request)
	if err != nil {
		return "", err
	}
	r.counts(request.Messages, response)
	if len(response.Choices) == 0 {
		return "", fault(down(errors.New("no choices")), "The model gave no answer; please try again.")
	}
	choice := response.Choices[0]
	content, finish := strings.TrimSpace(choice.Message.Content), choice.FinishReason
	answer := endpoint.WithoutThoughts(content)
	switch {
	case choice.Message.Refusal != "" || finish == api.FinishReasonContentFilter:
		return "", final(fmt.Errorf("refused, finish reason %q", finish), "The model refused to do this; say it in other words, or ask for something else.")
	case endpoint.CutOff(finish):
		return "", fault(fmt.Errorf("finish reason %q", finish), "The model's answer was cut off before its end; ask for less at once.")
	case len(answer) > maxAnswer:
		return "", fault(fmt.Errorf("%d bytes", len(answer)), "The model's answer was much too long; ask for less at once.")
	case answer == "" && content != "":
		return "", fault(errors.New("only thoughts"), "The model used up its answer on thinking; ask for less at once.")
	case answer == "":
		return "", fault(errors.New("an empty answer"), "The model's answer was empty; please try again.")
	}
	return answer, nil
}
