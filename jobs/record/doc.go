// Package record holds what is known of requests and threads. Each is a log in State, a list
// of entries that only grows: what was asked, the files, the plan, each step's start and end,
// the answer, where it was sent. Everything else is folded from the log, by every process
// alike; of several entries that say the same, the first counts.
//
// [Store] reads and writes requests and threads, [Index] lists them by day and by person.
// Long texts are blobs that the logs name ([Texts]), so that an entry always fits. The package
// knows neither queues nor platforms: it decides nothing, and only says how things stand.
//
// # States of a run
//
//	waiting ─► planning ─► running ─► done, asking, failed or cancelled
package record
