// Package receive turns what the gateway sends into events of the adapter, and queues them for the
// handler.
//
//   - [Run] runs while somebody listens. The events of a channel stay in order; none waits for
//     another channel's.
//   - [Events] reads messages, deletions and reactions, and passes buttons, commands and forms on.
//     Requests that have no message of their own are posted publicly.
//   - The watermark is the message up to which all were accepted. catchUp reads what was missed since.
//
// It does not know how events arrive: see package connect.
package receive
