package api

import (
	"errors"

	"atelier/adapters"
)

// AppFault is the fault of opening a connection of Socket Mode, which takes the app-level token.
// Before is the fault of the bot token, if any.
func AppFault(err, before error) error {
	err = Fault(err)
	switch {
	case errors.Is(err, adapters.ErrRefused), errors.Is(err, adapters.ErrForbidden):
	case before != nil:
		return before
	default:
		return err
	}
	f := &adapters.Fault{Sentence: refusedApp, Kind: adapters.ErrRefused, Err: err}
	if before != nil {
		f.Sentence = refusedBoth
	}
	return f
}

const (
	refusedApp  = "Slack does not take the app-level token. Look at SLACK_APP_TOKEN, which has the scope connections:write and belongs to the same app."
	refusedBoth = "Slack takes neither the bot token nor the app-level token. Look at SLACK_BOT_TOKEN and SLACK_APP_TOKEN, and install the app again."
)
