// Package receive turns what Slack sends into events of the adapter, and queues them for the handler.
//
//   - [Listener] runs while somebody listens. It keeps the events of a thread in order, confirms each
//     when the handler has taken it, and waits for background work at the end.
//   - [Events] reads messages, mentions and reactions. A mention comes as two events, which are paired.
//   - [Interactions] takes buttons ([Buttons]) and dialogs ([Shortcuts]), and [Commands] slash
//     commands. Requests that leave no message are posted for all to see ([Requests]).
//
// It does not know how events arrive: see package connect.
package receive
