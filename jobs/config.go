package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/intake"
	"atelier/jobs/progress"
	"atelier/jobs/queue"
	"atelier/jobs/quota"
	"atelier/jobs/record"
	"atelier/jobs/view"
	"atelier/storage"
)

// Agent plans requests, runs steps and writes answers.
type Agent interface {
	// Plan plans a request. It is retried after [ErrPassing]; people are told the sentence of any
	// other error ([plan.Fault]).
	Plan(ctx context.Context, r plan.Request) (*plan.Plan, error)
	// Act runs one step. If the tool fails, the result says so. Errors are [ErrLacking] if another
	// process has to run the step, and [ErrPassing] or the storage's errors for unavailable or full
	// if the step has to be retried.
	Act(ctx context.Context, w Work) (plan.Result, error)
	// Respond writes the text of a run's answer. It returns the model usage of the plan and its own.
	Respond(ctx context.Context, a Account) (text string, thinking plan.Thinking, err error)
	// Ways labels offers by how each differs from the chosen solution.
	Ways(p *plan.Plan, chosen plan.Choice, offers []plan.Offer) []plan.Message
	// Steps describes what each step of a run makes, or has made.
	Steps(a Account) []plan.Message
	// Alts are alternative texts for the results of a run's steps; zero for steps that are not done.
	Alts(a Account) []plan.Message
	// Device is where an action runs: cpu, gpu or program.
	Device(ctx context.Context, a plan.Action) string
	// Hears returns the action that transcribes a voice message, by the best tool that can run here
	// or in another process; false if none can.
	Hears(ctx context.Context, voice plan.Resource) (plan.Action, bool)
	// Capabilities returns the tools that this process can run now on its queues, each with its
	// candidates.
	Capabilities(ctx context.Context) (map[string][]plan.Candidate, error)
}

// Writer is an [Agent] that can have a language model write a program for a step. Programs are written on
// the queue plan and run on the queue program. A program that fails is rewritten, up to [plan.MaxDrafts]
// drafts in all.
type Writer interface {
	// Writes reports whether the action needs a program written first.
	Writes(a plan.Action) bool
	// Write writes the next program, after the Drafts of the work. Its errors are like those of Plan; the
	// draft's Usage is set even with an error.
	Write(ctx context.Context, w Work) (plan.Draft, error)
}

// Errors of an [Agent] that decide what jobs do.
var (
	// ErrPassing means that a retry may succeed.
	ErrPassing = queue.ErrPassing
	// ErrLacking means that another process has to run the step.
	ErrLacking = queue.ErrLacking
)

// Work is one step to run.
type Work struct {
	Request plan.Request
	Steps   []plan.Step
	At      int
	// Results are the results of earlier steps, by key.
	Results map[string]plan.Result
	// Resources are the resources of the plan.
	Resources []plan.Resource
	// Folder is the folder in Blobs for its media. Each attempt has its own.
	Folder string
	// Salt tells apart steps with the same key.
	Salt string
	// Again asks for a result that differs from an earlier one: a new seed.
	Again bool
	// Program is the program written for the step; "" if there is none.
	Program string
	// Drafts are the programs written for the step. All but Program failed.
	Drafts []plan.Draft
	// Spent is the number of tokens that planning and all drafts of the run used.
	Spent int
	// Anyhow runs it here as well as possible, because no better process took it.
	Anyhow bool
	// Progress takes the share of the step that is done, from 0 to 1, where that is known, and a small PNG or JPEG of
	// what is made so far, or nil. Progress may be nil.
	Progress func(share float64, preview []byte)
}

// Account is the run that an answer reports.
type Account struct {
	Request plan.Request
	Plan    *plan.Plan
	// Route is the route that was run; nil if the plan has no steps.
	Route *plan.Route
}

// Config configures [Jobs].
type Config struct {
	// Redis holds the queues. The caller closes it after Run has returned.
	Redis redis.UniversalClient
	State storage.State
	Blobs storage.Blobs
	// Agent works on the queues plan, cpu, gpu and program. Nil if none of them is served.
	Agent Agent
	// Adapters are the adapters that this process is connected to or has tokens for.
	Adapters []adapters.Adapter
	// Inspect examines a file that a person sent. It rejects files that no tool may be given with a
	// [plan.Fault]. Required if gateway is served.
	Inspect func(ctx context.Context, path string) (File, error)
	// LinkHosts opens linked files on the hosts that the operator allows. Nil opens none.
	LinkHosts intake.Hosts
	// Command answers a command such as "/atelier tools" in a language (a BCP 47 tag), with example
	// requests to try. Nil knows no command.
	Command func(ctx context.Context, e adapters.Event, language string) (reply string, try []plan.Sample, err error)
	// Samples are the examples that people can try by a button. Nil has none.
	Samples Samples
	// Quota limits who may ask and how much; the zero value sets no limits. Its State, Longest and Now
	// are ignored and set from this Config.
	Quota quota.Config
	// Programs reports whether programs may be written for requests of a thread. Nil allows them
	// everywhere.
	Programs func(adapters.Thread) bool
	// MarkLink returns the address of a page where people of a thread can mark things on a picture of an
	// answer, or "" if there is none. Nil is never asked.
	MarkLink func(ctx context.Context, t adapters.Thread, picture plan.Resource) (string, error)

	// Tell translates fixed sentences into the language of a request. Nil means English.
	Tell plan.Translate

	// Pools are the queues that this process works on. A process without pools only submits and reads.
	Pools []Pool
	// Deadline is how long a request may run once its turn in the thread has come. It may wait for its
	// turn for the same time. Zero means 30 minutes.
	Deadline time.Duration
	// Grace is how long running tasks may continue during shutdown. Then their contexts are cancelled,
	// and they have a few seconds to return. Zero means 20 s.
	Grace time.Duration
	// Check is how often an idle worker polls its queues. Zero means 100 ms.
	Check time.Duration
	// Retention is how long requests and threads are kept after their last use, and media after they
	// were stored. Zero means 30 days.
	Retention time.Duration
	// Beat is the interval of heartbeats. Zero means 2 s. A process is considered dead after four and a
	// half intervals without one.
	Beat time.Duration
	// Patience is how long each process leaves a step to another one that runs it better but may be
	// busy. Zero means a minute.
	Patience time.Duration
	// Retry is the backoff before the next retry of a task, given the number of retries so far. Nil
	// rises from one second to five minutes.
	Retry func(retries int) time.Duration
	// MaxFile is the maximum size of a file in bytes. Zero means 100 MB.
	MaxFile int64
	// Impatient disables retries, for a person waiting at a terminal. If not even the failure can be
	// recorded, Run returns its cause.
	Impatient bool

	// Scratch is the folder for temporary files. The caller removes files that a killed process left
	// there. Empty means the system's temporary folder.
	Scratch string
	// Name is the prefix of this process's ID. Empty means "bot".
	Name string
	Now  func() time.Time
	// Metrics counts what happens. Nil counts nothing.
	Metrics Metrics
	Log     *slog.Logger
}

// Metrics receives the events to count. Its methods must not block.
type Metrics interface {
	// Accepted counts an accepted request, and Refused a rejected one with the reason.
	Accepted(adapter string)
	Refused(adapter, why string)
	// Stage counts an attempt at a task; outcome is done, again, waiting or failed.
	Stage(stage, outcome string, took time.Duration)
	// Tool counts a step that was run.
	Tool(tool string, r plan.Result)
	// Thinking counts the model usage of a request.
	Thinking(t plan.Thinking)
	// Ended counts a run that ended, and how long it took.
	Ended(adapter string, s record.Status, took time.Duration)
	// Rated counts a person's rating of an answer; changed reports whether it replaces an earlier one.
	Rated(adapter string, good, changed bool)
}

// questionExpiry is how long a question can be answered, and how long after *Use this* a person's next message needs no
// mention.
const questionExpiry = 24 * time.Hour

// sayer translates a fixed sentence into the language of a request.
type sayer func(r *record.Request, m plan.Message) string

// complete fills in the defaults.
func (c Config) complete() Config {
	def := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	def(&c.Deadline, 30*time.Minute)
	def(&c.Grace, 20*time.Second)
	def(&c.Check, 100*time.Millisecond)
	def(&c.Retention, 30*24*time.Hour)
	def(&c.Beat, 2*time.Second)
	def(&c.Patience, time.Minute)
	if c.MaxFile == 0 {
		c.MaxFile = 100_000_000
	}
	if c.Retry == nil {
		c.Retry = queue.Backoff
	}
	if c.Name == "" {
		c.Name = "bot"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Metrics == nil {
		c.Metrics = noMetrics{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// quota returns the configured quota.
func (c Config) quota() (*quota.Quota, error) {
	limits := c.Quota
	// A request may wait for its turn as long as it may run, and then for the platform.
	limits.State, limits.Now, limits.Longest = c.State, c.Now, 2*c.Deadline+10*time.Minute
	return quota.New(limits)
}

// checkPool checks the queues of a pool.
func (c Config) checkPool(p Pool) error {
	if p.Concurrency < 1 {
		return errors.New("the concurrency of a pool must be at least 1")
	}
	for q, weight := range p.Queues {
		switch {
		case weight < 1:
			return fmt.Errorf("the weight of the queue %s must be at least 1", q)
		case q == queue.Gateway:
			if len(c.Adapters) > 0 && c.Inspect == nil {
				return errors.New("the gateway queue requires Inspect")
			}
		case !slices.Contains([]string{queue.Plan, queue.CPU, queue.GPU, queue.Program}, q):
			return fmt.Errorf("unknown queue %s", q)
		case c.Agent == nil:
			return fmt.Errorf("the queue %s requires an agent", q)
		}
	}
	return nil
}

// say translates a sentence into the language of a request.
func (c Config) say(r *record.Request, m plan.Message) string { return c.Tell.In(r.Language(), m) }

// serves reports whether this process works on a queue.
func (c Config) serves(name string) bool {
	return slices.ContainsFunc(c.Pools, func(p Pool) bool { return p.Queues[name] > 0 })
}

// noMetrics counts nothing.
type noMetrics struct{}

func (noMetrics) Accepted(string)                            {}
func (noMetrics) Refused(string, string)                     {}
func (noMetrics) Stage(string, string, time.Duration)        {}
func (noMetrics) Tool(string, plan.Result)                   {}
func (noMetrics) Thinking(plan.Thinking)                     {}
func (noMetrics) Ended(string, record.Status, time.Duration) {}
func (noMetrics) Rated(string, bool, bool)                   {}

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
