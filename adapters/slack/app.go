package slack

import (
	"atelier/adapters/slack/convert"
)

// The manifest of the app, besides its scopes ([Scopes]).
const (
	// Command is the slash command.
	Command = "/atelier"
	// Shortcut is the callback id of the entry in the menu of a message.
	Shortcut = convert.ShortcutID
)

// Events returns the events that the app subscribes to.
func Events() []string {
	return []string{
		"agent_session_stopped", "app_home_opened", "app_mention", "app_uninstalled", "message.channels", "message.groups", "message.im", "message.mpim",
		"reaction_added", "reaction_removed", "tokens_revoked",
	}
}
