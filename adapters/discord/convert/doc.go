// Package convert turns what Discord sends into the types of the adapters, and replies into
// messages of Discord. It knows no connection.
//
//   - In: Discord's objects (object.go) and their texts (text.go).
//   - Out: replies ([Composer], compose.go) in Discord's markup (render.go), progress and requests
//     (progress.go), commands and forms (command.go).
package convert
