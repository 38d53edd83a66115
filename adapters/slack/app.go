package slack

import (
	"atelier/adapters/slack/convert"
)

// What the manifest of an app says besides its scopes ([Scopes]).
const (
	// Command is the slash command.
	Command = "/atelier"
	// Shortcut is the callback id of the entry in the menu of a message.
	Shortcut = convert.ShortcutID
)

// Prompt is a request that Slack suggests to who writes to the app.
type Prompt struct{ Title, Message string }

// Prompts are suggested before anything is known of a person. They need no file and no model.
func Prompts() []Prompt {
	return []Prompt{
		{"What can you do?", "What can you do?"},
		{"Make a QR code", "make a QR code for https://example.com"},
		{"What time is it?", "What time is it in Tokyo?"},
	}
}

// Events are those that the app subscribes to.
func Events() []string {
	return []string{
		"app_home_opened", "app_mention", "app_uninstalled", "message.channels", "message.groups", "message.im", "message.mpim",
		"reaction_added", "reaction_removed", "tokens_revoked",
	}
}
