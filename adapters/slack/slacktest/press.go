package slacktest

import (
	"context"
	"encoding/json"
	"time"
)

// Interaction is one press, command, shortcut or submission, on its way to the bot.
type Interaction struct {
	ID          string // the envelope's id
	TriggerID   string // opens one view
	ResponseURL string // where the bot may answer up to 5 times
	s           *Server
	d           *delivery
}

// Ack is how an event or an interaction was acknowledged.
type Ack struct {
	Body json.RawMessage // what came with it: response_action, text…; nil for none
	Took time.Duration   // since it was sent
}

// Wait waits for the acknowledgement. The error is the context's, or ErrNotTaken where
// nothing came within Options.AckWithin or the HTTP answer was not 200.
func (i *Interaction) Wait(ctx context.Context) (Ack, error) { return i.s.wait(ctx, i.d) }

// Press presses the button (or picks in the menu) with actionID in a message: a
// block_actions interaction.
func (s *Server) Press(user, channel, ts, actionID string) *Interaction {
	return s.press(user, channel, ts, actionID)
}

// Command enters a slash command: Command(user, channel, "/atelier", "status").
func (s *Server) Command(user, channel, command, text string) *Interaction {
	return s.command(user, channel, command, text)
}

// Shortcut picks a shortcut in the menu of a message: a message_action interaction.
func (s *Server) Shortcut(user, channel, ts, callbackID string) *Interaction {
	return s.shortcut(user, channel, ts, callbackID)
}

// SubmitView submits an open view (see Views) with what user typed, by action_id: a
// view_submission interaction. The view closes, unless the acknowledgement has a
// response_action of errors or update.
func (s *Server) SubmitView(user, viewID string, typed map[string]string) *Interaction {
	return s.submitView(user, viewID, typed)
}
