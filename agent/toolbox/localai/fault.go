package localai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// asFault marks the server's own failures as [toolbox.ErrDown] or [toolbox.ErrLoading]. Rejections of the
// input stay as they are.
func asFault(err error) error {
	if err == nil || endpoint.KindOf(err) == "" || errors.Is(err, toolbox.ErrDown) || errors.Is(err, toolbox.ErrLoading) {
		return err
	}
	switch endpoint.KindOf(err) {
	case endpoint.Rejected, endpoint.TooLong:
		return err
	case endpoint.KeyRefused, endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.Quota,
		endpoint.Down, endpoint.TimedOut, endpoint.Malformed:
	}
	if isLoading(err) {
		return fault(fmt.Errorf("%w: %w", toolbox.ErrLoading, err), "The model is loading; please try again in a minute.")
	}
	return &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: fmt.Errorf("%w: %w", toolbox.ErrDown, err)}
}

// isLoading reports whether a model is still loading: status 503 with its progress under "loading" (LocalAI,
// core/schema/model_loading.go).
func isLoading(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return endpoint.Loading(err) || ok && e.Status == http.StatusServiceUnavailable && strings.Contains(strings.ToLower(e.Code+" "+e.Err.Error()), "loading")
}

// badAnswer returns an error for an unusable response, attributed to the server.
func badAnswer(err error, format string, args ...any) error {
	return fault(fmt.Errorf("%w: %w", toolbox.ErrDown, err), format, args...)
}

// unreadable returns the fault of an answer that does not have the documented form.
func unreadable(err error) error {
	return badAnswer(err, "The LocalAI server's answer could not be read.")
}

// fault returns an error with a sentence for people; err is the detail for the operator.
func fault(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err}
}
