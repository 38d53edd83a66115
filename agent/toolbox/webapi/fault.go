package webapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/template"
)

// notSetUp returns the fault of a service that the operator must set up first.
func notSetUp(operator plan.Message) error {
	return &plan.Fault{Sentence: plan.Say("It needs a service that is not set up here."), Operator: operator, Err: toolbox.ErrDown}
}

// outward decides whether media may be sent to the service.
func (b *Backend) outward() toolbox.MediaPolicy {
	return toolbox.MediaPolicy{Allowed: b.config.AllowMedia, Private: b.private, Host: b.host}
}

// answerError is the error of an answer that differs from the declaration in the tool's file.
type answerError struct{ why string }

func (m *answerError) Error() string { return m.why }

// unexpected returns an answerError. The message must not contain any of the service's answer.
func unexpected(format string, args ...any) error {
	return &answerError{fmt.Sprintf(format, args...)}
}

// failed turns the error of a call into a fault: whether the service or the input is to blame, and the
// sentences for people and the operator.
func (b *Backend) failed(ctx context.Context, r *template.Request, err error) error {
	if stopped := media.Stopped(ctx); stopped != nil {
		return stopped
	}
	down := func(sentence, operator plan.Message) error {
		return &plan.Fault{Sentence: sentence, Operator: operator, Err: fmt.Errorf("%w: %w", toolbox.ErrDown, detail(err))}
	}
	if m, ok := errors.AsType[*answerError](err); ok {
		return down(plan.Say("The service's answer is not what this tool expects. Please ask the operator to check it."),
			plan.Say("The answer of %s is not what the tool's file says: %s.", r.Host(), m.why))
	}
	e, ok := errors.AsType[*endpoint.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), ok && e.Kind == endpoint.TimedOut:
		return down(plan.Say("The service took too long to answer. Please try again later."), plan.Message{})
	case !ok:
		if _, ok := errors.AsType[*plan.Fault](err); ok { // about a file here
			return err
		}
		return &plan.Fault{Sentence: plan.Say("It could not be done, because a file could not be read or written here."), Err: err}
	}
	switch status := e.Status; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		says := plan.Say("%s needs a token: set token in the tool's file to the name of a variable.", r.Host())
		if r.Token() != "" {
			says = plan.Say("%s refused the token: check %s.", r.Host(), r.Token())
		}
		return down(plan.Say("The service refused access. Please ask the operator to check it."), says)
	case status == http.StatusTooManyRequests, status == http.StatusPaymentRequired:
		if e.After > 0 {
			return down(plan.Say("The service is getting too many requests at the moment. Please try again in %s.", plan.Wait(e.After)), plan.Message{})
		}
		return down(plan.Say("The service is getting too many requests at the moment. Please try again later."), plan.Message{})
	case status >= 400 && status < 500:
		return &plan.Fault{
			Sentence: plan.Say("The service rejected this input. Please try another one."),
			Operator: refused(r, e), Err: detail(err),
		}
	case status >= 300 && status < 400:
		return down(plan.Say("The service's answer is not what this tool expects. Please ask the operator to check it."),
			plan.Say("%s redirects to another address, which is not followed: check the url in the tool's file.", r.Host()))
	case e.Kind == endpoint.Malformed:
		return down(plan.Say("The service's answer could not be read. Please try again later."),
			plan.Say("The answer of %s could not be read: it is a web page, too large, or incomplete.", r.Host()))
	}
	if e.Status >= 500 {
		return down(plan.Say("The service failed. Please try again later."),
			plan.Say("%s failed with the status %d: check its log.", r.Host(), e.Status))
	}
	return down(plan.Say("The service does not answer. Please try again later."),
		plan.Say("%s does not answer: check that it is running, and the url in the tool's file.", r.Host()))
}

// refused explains a status of 4xx to the operator.
func refused(r *template.Request, e *endpoint.Error) plan.Message {
	switch {
	case e.Status == http.StatusNotFound:
		return plan.Say("%s has nothing at this path (status 404): check the url in the tool's file.", r.Host())
	case e.Status == http.StatusMethodNotAllowed:
		return plan.Say("%s does not accept %s there (status 405): check the method and the url in the tool's file.", r.Host(), r.Method())
	case e.Field != "":
		return plan.Say("%s rejected this input (status %d) because of %s. If it rejects every input, check that field in the tool's file.",
			r.Host(), e.Status, e.Field)
	}
	return plan.Say("%s rejected this input (status %d). If it rejects every input, check the url and the fields in the tool's file.", r.Host(), e.Status)
}

// detail returns an error for the log, without the sentences for model servers.
func detail(err error) error {
	if e, ok := errors.AsType[*endpoint.Error](err); ok {
		return fmt.Errorf("service (%s): %w", e.Kind, e.Err)
	}
	return err
}
