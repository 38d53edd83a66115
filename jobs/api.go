package jobs

import (
	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/intake"
	"atelier/jobs/progress"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/jobs/view"
)

// What callers see of the records, under the names of this package.
type (
	// Status is how a run stands, or ended.
	Status = record.Status
	// Answer is what is said at the end of a run.
	Answer = record.Answer
	// Options say how a request is to be done.
	Options = record.Options
	// Vote is what a person thinks of an answer.
	Vote = record.Vote
)

// File is what [Config] Inspect finds out about a file that a person sent.
type File = intake.File

// How requests look to people.
type (
	// Request is a request.
	Request = view.Request
	// Run is a run of a request.
	Run = view.Run
	// Step is a step of a run.
	Step = view.Step
	// Standing is how a person stands in a thread, or in a channel with its threads.
	Standing = view.Standing
)

// StepState is how a step stands, as people are shown it.
func StepState(s plan.Status) adapters.StepState { return progress.StepState(s) }

// What callers see of the queues.
type (
	// Pool is queues that share workers.
	Pool = queue.Pool
	// Queue is the state of a queue.
	Queue = queue.Status
	// Worker is what a process publishes of itself.
	Worker = queue.Worker
)

// The queues. QueueGateway stands for the queues of all adapters of a process.
const (
	QueuePlan    = queue.Plan
	QueueCPU     = queue.CPU
	QueueGPU     = queue.GPU
	QueueProgram = queue.Program
	QueueGateway = queue.Gateway
)

// ToolsOf are the tools that any of the workers can run, each with its candidates.
func ToolsOf(workers []Worker) map[string][]plan.Candidate { return queue.ToolsOf(workers) }

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
