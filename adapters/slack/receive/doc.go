// Package receive converts what Slack sends to events of the adapter, and queues them for the handler.
//
//   - [Listener] runs while somebody listens. It keeps the events of a thread in order, confirms each
//     when the handler has accepted it, and waits for background work at the end.
//   - [Events] handles messages, mentions and reactions. A mention arrives as two events, which are paired.
//   - [Interactions] handles buttons ([Buttons]) and dialogs ([Shortcuts]), and [Commands] slash
//     commands. Requests without a message are posted publicly ([Requests]).
//
// It does not know how events arrive: see package connect.
package receive
