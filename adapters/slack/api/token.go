package api

import (
	"atelier/adapters"
	"errors"
)

// AppFault is what an error of opening a connection for Socket Mode is, which is asked for
// with the app-level token and not with the bot's. Before is what became of that one.
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
