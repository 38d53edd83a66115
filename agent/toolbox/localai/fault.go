package localai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// sorted tells the server's own trouble from what is wrong with what it was given.
func sorted(err error) error {
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

// isLoading reports whether the server answers that a model is still on its way: 503, with
// how far it is under "loading" (LocalAI, core/schema/model_loading.go).
func isLoading(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return endpoint.Loading(err) || ok && e.Status == http.StatusServiceUnavailable && strings.Contains(strings.ToLower(e.Code+" "+e.Err.Error()), "loading")
}

// senseless is an answer that makes no sense: the server is to blame.
func senseless(err error, format string, args ...any) error {
	return fault(fmt.Errorf("%w: %w", toolbox.ErrDown, err), format, args...)
}

// unreadable is an answer that is not of the documented form.
func unreadable(err error) error {
	return senseless(err, "The LocalAI server's answer could not be read.")
}

// told makes sure that an error carries a sentence.
func told(ctx context.Context, err error) error {
	if stopped := media.Stopped(ctx); stopped != nil {
		return stopped
	}
	if _, ok := errors.AsType[*plan.Fault](err); !ok {
		return fault(err, "It could not be done, because a file could not be read or written here.")
	}
	return err
}

// fault is an error with a sentence for people and a detail for the operator.
func fault(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err}
}
