package record

import (
	"errors"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

// FaultOf is what people are told of an error that has no sentence of its own.
func FaultOf(err error) plan.Message {
	switch {
	case errors.Is(err, ErrVersion):
		return plan.Say("This request was made with another version of the bot, so I cannot read it. Please ask again.")
	case errors.Is(err, storage.ErrUnreachable), errors.Is(err, storage.ErrFull), errors.Is(err, storage.ErrRefused), errors.Is(err, storage.ErrNoBucket):
		return plan.Say("I cannot reach my file storage at the moment. Please ask again later, and tell the operator.")
	}
	return plan.Say("Something unexpected went wrong. The operator can find out more in the log.")
}

// ForOperator writes an error of a platform for the log. What must be allowed there is said in the
// platform's own words, which never quote people ([adapters.Fault]).
func ForOperator(err error) string {
	own, ok := errors.AsType[*adapters.Fault](err)
	if ok && (errors.Is(own.Kind, adapters.ErrForbidden) || errors.Is(own.Kind, adapters.ErrRefused)) {
		return own.Told() + " " + plan.ForOperator(err)
	}
	return plan.ForOperator(err)
}

// WaitFor is how long the platform wants a pause, 0 if it does not.
func WaitFor(err error) time.Duration {
	wait := adapters.Wait(err)
	if wait <= 0 && errors.Is(err, adapters.ErrRateLimited) {
		wait = time.Second
	}
	return wait
}
