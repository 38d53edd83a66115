package jobs

import (
	"atelier/adapters"
	"atelier/jobs/record"
)

// What callers see of the records, under the names of this package.
type (
	// Status is how a run stands, or ended.
	Status = record.Status
	// Answer is what is said at the end of a run.
	Answer = record.Answer
	// Options say how a request is to be done.
	Options = record.Options
	// Reason is why a run ended before its time.
	Reason = record.Reason
)

// The statuses. The first three are of a run that is not over.
const (
	Waiting   = record.Waiting
	Planning  = record.Planning
	Running   = record.Running
	Done      = record.Done
	Asking    = record.Asking
	Partial   = record.Partial
	Failed    = record.Failed
	Cancelled = record.Cancelled
)

// Broken is the reason of a run of which a stage could not be done.
const Broken = record.Broken

// ErrUnknown means that there is no such request, run or solution.
var ErrUnknown = record.ErrUnknown

// RequestID is the id of the request that an event starts. It is the same however often the
// event comes.
func RequestID(e adapters.Event) string { return record.RequestID(e) }

// ThreadID is the id of a thread, by which people name it to [Jobs.Forget].
func ThreadID(t adapters.Thread) string { return record.ThreadID(t) }

// ThreadFolder is the folder of Blobs below which all media of a thread lie.
func ThreadFolder(thread string) string { return record.ThreadFolder(thread) }
