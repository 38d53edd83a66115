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

// Explain turns an error of a Client call into a *plan.Fault that wraps an *Error: it says what
// happened and what to do, using this server's names of the settings, and has the detail. The model
// is the one that was requested. Context errors and Faults are returned unchanged.
func (e *Endpoint) Explain(err error, model string) error {
	return e.names.explain(err, model, e.key == "")
}

// Explain is [Endpoint.Explain] for a server that was sent a key, with the default names of the
// settings.
func Explain(err error, model string) error { return Names{}.explain(err, model, false) }

// explain is [Endpoint.Explain]; keyless means that no key was sent.
func (n Names) explain(err error, model string, keyless bool) error {
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

// errorOf classifies go-openai's own errors. A RequestError may contain an APIError without the
// status, so it is checked first.
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
		return &Error{Kind: Malformed, Err: fmt.Errorf("unexpected JSON in the answer: %s", secrets(nil).detail(err.Error()))}
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

// filtered are the error codes for violated content rules (OpenAI, Azure).
var filtered = map[string]bool{
	"content_filter": true, "contentfilter": true, "content_policy_violation": true, "moderation_blocked": true, "responsibleaipolicyviolation": true,
}

// key returns the name of the key's setting.
func (n Names) key() string { return cmp.Or(n.Key, "OPENAI_API_KEY") }

// advice returns the operator's sentence if a setting may help; zero otherwise.
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

// sentence returns the sentence for people.
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
		return plan.Say("The model's provider declined this because of its content rules. Please rephrase your request, or ask for something else.")
	}
	return plan.Say("The model server rejected the request. Please rephrase it; if that does not help, ask the operator to check the log.")
}

// called shortens a model's name for people: a file path becomes its base name.
func called(model string) string {
	if strings.HasPrefix(model, "/") || strings.HasPrefix(model, ".") || strings.Contains(model, `\`) {
		return path.Base(strings.ReplaceAll(model, `\`, "/"))
	}
	return model
}

// span words a duration for people; "a minute" if it is unknown.
func span(d time.Duration) plan.Message {
	if d <= 0 {
		return plan.Say("a minute")
	}
	return plan.Wait(d)
}
