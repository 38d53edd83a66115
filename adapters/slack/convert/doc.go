// Package convert converts what Slack sends to the types of the adapters, and replies to messages
// of Slack. It makes no calls.
//
//   - In: events (event.go), buttons, dialogs and commands (interaction.go), text and emoji (text.go),
//     and files (file.go).
//   - Out: replies ([Composer], compose.go), rich text (render.go), progress and requests
//     (progress.go).
//
// Unexpected values are cleaned rather than rejected, since some servers with the same protocol
// send other types.
package convert
