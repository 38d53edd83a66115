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

// Types of package record that callers need.
type (
	// Status is the state of a run.
	Status = record.Status
	// Answer is the message that ends a run.
	Answer = record.Answer
	// Options are the settings of a request.
	Options = record.Options
	// Vote is a person's rating of an answer.
	Vote = record.Vote
)

// File is what [Config] Inspect reports about a file that a person sent.
type File = intake.File

// Requests as shown to people.
type (
	// Request is a request.
	Request = view.Request
	// Run is a run of a request.
	Run = view.Run
	// Step is a step of a run.
	Step = view.Step
	// Standing is a person's pending requests and remaining quota in a thread, or in a channel with its threads.
	Standing = view.Standing
)

// StepState converts the status of a step to the state that adapters show.
func StepState(s plan.Status) adapters.StepState { return progress.StepState(s) }

// Types of package queue that callers need.
type (
	// Pool is a set of queues that share workers.
	Pool = queue.Pool
	// Queue is the state of a queue.
	Queue = queue.Status
	// Worker is what a process publishes about itself.
	Worker = queue.Worker
)

// Queue names. QueueGateway stands for the queues of all adapters of a process.
const (
	QueuePlan    = queue.Plan
	QueueCPU     = queue.CPU
	QueueGPU     = queue.GPU
	QueueProgram = queue.Program
	QueueGateway = queue.Gateway
)

// ToolsOf returns the tools that any of the workers can run, each with its candidates.
func ToolsOf(workers []Worker) map[string][]plan.Candidate { return queue.ToolsOf(workers) }

// Statuses of a run. In the first three, the run has not ended.
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

// Broken is the reason of a run that ended because a stage failed.
const Broken = record.Broken

// ErrUnknown means that the request, run or solution does not exist.
var ErrUnknown = record.ErrUnknown

// RequestID is the id of the request that an event starts. A repeated event has the same id.
func RequestID(e adapters.Event) string { return record.RequestID(e) }

// ThreadID is the id of a thread, as [Jobs.Forget] takes it.
func ThreadID(t adapters.Thread) string { return record.ThreadID(t) }

// ThreadFolder is the folder in Blobs that holds all media of a thread.
func ThreadFolder(thread string) string { return record.ThreadFolder(thread) }
