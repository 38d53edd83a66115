// Package receive turns what the gateway sends into events of the adapter, and queues them for the
// handler.
//
//   - [Run] runs while somebody listens. The events of a channel stay in order; none waits for
//     another channel's.
//   - [Events] reads messages, deletions and reactions. Interactions are buttons, commands and forms;
//     requests that leave no message are posted for all to see.
//   - The watermark records up to which message all were taken. What was missed since is read from
//     the channels (catchUp).
//
// It does not know how events arrive: see package connect.
package receive
