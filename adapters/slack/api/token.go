package api

import (
	"errors"

	"atelier/adapters"
)

// AppFault returns the fault of opening a Socket Mode connection, which uses the app-level token. Before is the
// fault of the bot token, if any.
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
	refusedApp  = "Slack rejected the app-level token. Check SLACK_APP_TOKEN: it must have the scope connections:write and belong to the same app."
	refusedBoth = "Slack rejected both the bot token and the app-level token. Check SLACK_BOT_TOKEN and SLACK_APP_TOKEN, and reinstall the app."
)
