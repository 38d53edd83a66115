// Package guard lets people into what the web channel serves, and keeps others out.
//
// Promises:
//   - A request is served only where its Host is one of those that the channel is known
//     by: a page of somebody else's, whose name is made to lead to this machine, gets
//     nothing (DNS rebinding).
//   - What changes something comes from the channel's own origin only
//     ([http.CrossOriginProtection]).
//   - With a password nothing but the login page is served without a session. Sessions are
//     kept in a [State], under the hash of what the browser holds, so that any process
//     knows them, they outlive a restart, and logging out ends them.
//   - Behind a proxy that authenticates, the person is whom its header names; a request
//     that does not come from that proxy is refused.
//   - Whoever asks too often, or guesses passwords, is told to wait.
package guard
