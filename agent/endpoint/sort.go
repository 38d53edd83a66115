package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/plan"
)

// Sort makes of what a call of Client failed with a *plan.Fault that wraps an *Error:
// a sentence that says what happened and what to do, by the names that the settings of this
// server have, and the detail. The model is the one that was asked for. The end of a context
// is handed on as it is, and so is a Fault.
func (e *Endpoint) Sort(err error, model string) error { return e.names.sort(err, model, e.key == "") }

// Sort is [Endpoint.Sort] of a server that was shown a key, with the usual names of the settings.
func Sort(err error, model string) error { return Names{}.sort(err, model, false) }

// sort is [Endpoint.Sort]; keyless means that the server was shown no key.
func (n Names) sort(err error, model string, keyless bool) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*plan.Fault](err); ok {
		return err
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		e = errorOf(err)
	}
	if keyless && e.Kind == KeyRefused {
		return &plan.Fault{
			Sentence: plan.Say("The model server needs a key, and none is set. Please ask the operator to set it."), Err: e,
			Operator: plan.Say("The model server needs a key, and none is set: set %s.", n.key()),
		}
	}
	return &plan.Fault{Sentence: sentence(e, model), Operator: n.advice(e, model), Err: e}
}

// errorOf sorts what go-openai itself makes of an answer, or refuses to send.
// A RequestError may hold an APIError that does not know the status, so it goes first.
func errorOf(err error) *Error {
	if r, ok := errors.AsType[*openai.RequestError](err); ok {
		return newError(r.HTTPStatusCode, parseRefusal(r.Body), nil, nil)
	}
	if a, ok := errors.AsType[*openai.APIError](err); ok {
		r := refusal{message: a.Message, kind: a.Type}
		if a.Code != nil {
			r = r.withCode(fmt.Sprint(a.Code))
		}
		if a.Param != nil {
			r.param = *a.Param
		}
		return newError(a.HTTPStatusCode, r, nil, nil)
	}
	if unreadable(err) {
		return &Error{Kind: Malformed, Err: fmt.Errorf("the answer is not the JSON that was expected: %s", secrets(nil).detail(err.Error()))}
	}
	e := &Error{Kind: Rejected, Err: errors.New(secrets(nil).detail(plain(err)))}
	e.refused = refusedBefore(err)
	e.Param = e.refused
	if _, ok := errors.AsType[net.Error](err); ok {
		e.Kind = Down
	}
	if timedOut(err) {
		e.Kind = TimedOut
	}
	return e
}

// unreadable reports whether an answer could not be decoded.
func unreadable(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, shape := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || shape || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// filtered are the codes of a refusal by the provider's rules on content (OpenAI, Azure).
var filtered = map[string]bool{
	"content_filter": true, "contentfilter": true, "content_policy_violation": true, "moderation_blocked": true, "responsibleaipolicyviolation": true,
}

// key is the setting of the key.
func (n Names) key() string { return cmp.Or(n.Key, "OPENAI_API_KEY") }

// advice is what the operator is told where a setting may help; zero where none does.
func (n Names) advice(e *Error, model string) plan.Message {
	base := cmp.Or(n.BaseURL, "OPENAI_BASE_URL")
	switch e.Kind { //nolint:exhaustive // no setting helps against the others
	case KeyRefused:
		return plan.Say("The model server refused the key: check %s.", n.key())
	case ModelUnknown:
		named := cmp.Or(n.Model, "OPENAI_MODEL")
		if model = called(model); model == "" {
			return plan.Say("The model server does not have this model: check %s and %s.", named, base)
		}
		return plan.Say("The model server does not have the model %q: check %s and %s.", model, named, base)
	case Down:
		if !e.Loading {
			return plan.Say("The model server does not answer: check that it is running, and %s.", base)
		}
	case Malformed:
		return plan.Say("The model server's answer could not be read: check %s.", base)
	}
	return plan.Message{}
}

// sentence is what people are told.
func sentence(e *Error, model string) plan.Message {
	switch e.Kind {
	case KeyRefused:
		return plan.Say("The model server refused the key. Please ask the operator to check it.")
	case Forbidden:
		return plan.Say("The model server does not allow this with the key that is set. Please ask the operator to check what the key may use.")
	case ModelUnknown:
		if model = called(model); model == "" {
			return plan.Say("The model server does not have this model. Please ask the operator to check which one is set.")
		}
		return plan.Say("The model server does not have the model %q. Please ask the operator to check which one is set.", model)
	case Limited:
		return plan.Say("The model server is getting too many requests at the moment. Please try again in %s.", span(e.After))
	case Quota:
		return plan.Say("The quota at the model server is used up. Please ask the operator to look at the account's plan and billing.")
	case TooLong:
		return plan.Say("This is too long for the model. Please shorten the text, send less, or start a new thread.")
	case Down:
		if e.Loading {
			return plan.Say("The model is still loading. Please try again in %s.", span(e.After))
		}
		return plan.Say("The model server does not answer. Please try again later; if that does not help, ask the operator to check that it is running.")
	case TimedOut:
		return plan.Say("The model took too long to answer. Please try again, or ask for less at once.")
	case Malformed:
		return plan.Say("The model server's answer could not be read. Please try again; if that does not help, ask the operator to check the server's address.")
	case Rejected:
	}
	if filtered[strings.ToLower(e.Code)] {
		return plan.Say("The model's provider declined this because of its content rules. Please say it in other words, or ask for something else.")
	}
	return plan.Say("The model server rejected the request. Please say it in other words; if that does not help, ask the operator to check the log.")
}

// called is a model's name for people. Servers that read models from files go by their
// paths, which are nobody's concern.
func called(model string) string {
	if strings.HasPrefix(model, "/") || strings.HasPrefix(model, ".") || strings.Contains(model, `\`) {
		return path.Base(strings.ReplaceAll(model, `\`, "/"))
	}
	return model
}

// span is a time as people say it; a minute where the server did not say it.
func span(d time.Duration) plan.Message {
	if d <= 0 {
		return plan.Say("a minute")
	}
	return plan.Wait(d)
}
