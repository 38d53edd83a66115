// Package convert turns what Slack sends into the types of the adapters, and replies into messages
// of Slack. It is pure: it knows no connection.
//
//   - In: events (event.go), buttons, dialogs and commands (interaction.go), text and emoji (text.go),
//     and files (file.go).
//   - Out: replies ([Composer], compose.go), rich text (render.go), progress and requests
//     (progress.go).
//
// Odd values are cleaned instead of refused, since there are servers of the same protocol that
// write other types.
package convert
