// Package record stores requests and threads. Each is an append-only log of entries in State: what was
// asked, the files, the plan, each step's start and end, the answer, where it was sent. All other state is
// derived by replaying the log, so every process gets the same result. If there are several entries of the
// same kind, the first one counts.
//
// [Store] reads and writes requests and threads, [Index] lists them by day and by person. Long texts are
// stored as blobs that the logs refer to ([Texts]), so that an entry never exceeds the size limit. The
// package calls neither queues nor platforms, and starts no work.
//
// # States of a run
//
//	waiting ─► planning ─► running ─► done, partial, asking, failed or cancelled
package record
