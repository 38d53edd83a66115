package record

import (
	"errors"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

// FaultOf returns the sentence for people about an error that has none of its own.
func FaultOf(err error) plan.Message {
	switch {
	case errors.Is(err, ErrVersion):
		return plan.Say("This request was made with another version of the bot, so I cannot read it. Please ask again.")
	case errors.Is(err, storage.ErrUnreachable), errors.Is(err, storage.ErrFull), errors.Is(err, storage.ErrRefused), errors.Is(err, storage.ErrNoBucket):
		return plan.Say("I cannot reach my file storage at the moment. Please ask again later, and tell the operator.")
	}
	return plan.Say("Something unexpected went wrong. The operator can find out more in the log.")
}

// ForOperator formats an error of a platform for the log. Missing permissions keep the platform's own
// words, which never quote people ([adapters.Fault]).
func ForOperator(err error) string {
	own, ok := errors.AsType[*adapters.Fault](err)
	if ok && (errors.Is(own.Kind, adapters.ErrForbidden) || errors.Is(own.Kind, adapters.ErrRefused)) {
		return own.Text() + " " + plan.ForOperator(err)
	}
	return plan.ForOperator(err)
}

// WaitFor returns how long the platform's rate limit asks to wait, 0 if not at all.
func WaitFor(err error) time.Duration {
	wait := adapters.Wait(err)
	if wait <= 0 && errors.Is(err, adapters.ErrRateLimited) {
		wait = time.Second
	}
	return wait
}
