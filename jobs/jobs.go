package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/intake"
	"atelier/jobs/post"
	"atelier/jobs/progress"
	"atelier/jobs/queue"
	"atelier/jobs/quota"
	"atelier/jobs/record"
	"atelier/jobs/retention"
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
	// Command answers a command such as /tools in a language (a BCP 47 tag), with example requests to
	// try. Nil knows no command.
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
	// QuestionExpiry is how long a question can be answered. Zero means 24 hours.
	QuestionExpiry time.Duration
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

// Jobs runs requests in one process. It is safe for concurrent use.
type Jobs struct {
	config   Config
	id       string // of this process
	adapters map[string]adapters.Adapter

	tasks    *queue.Tasks
	running  *queue.Running
	workers  *queue.Workers
	others   *queue.Others
	reaper   *queue.Reaper
	recovery *queue.Recovery
	acks     *post.Signs
	shutdown time.Duration // how long to wait for tasks after their contexts are cancelled
	stuck    chan error    // the error that ends an impatient process

	early      *early
	admission  *admission
	editor     *editor
	reactions  *reactions
	chooser    *chooser
	stopper    *stopper
	dispatcher *dispatcher
	progress   *progress.Display
	viewer     *view.Viewer
	forgetter  *retention.Forgetter
	sweeper    *retention.Sweeper
	log        *slog.Logger
}

// sayer translates a fixed sentence into the language of a request.
type sayer func(r *record.Request, m plan.Message) string

// New checks the configuration. It starts nothing and connects to nothing.
func New(c Config) (*Jobs, error) {
	switch {
	case c.Redis == nil || c.State == nil || c.Blobs == nil:
		return nil, errors.New("jobs: Redis, State and Blobs are required")
	case c.Deadline < 0 || c.Grace < 0 || c.Check < 0 || c.Retention < 0 ||
		c.QuestionExpiry < 0 || c.Beat < 0 || c.Patience < 0 || c.MaxFile < 0:
		return nil, errors.New("times and sizes must not be negative")
	}
	c = c.complete()
	counted, err := c.quota()
	if err != nil {
		return nil, err
	}
	j := &Jobs{
		config: c, id: c.Name + "-" + record.Hash(rand.Text())[:8], adapters: map[string]adapters.Adapter{},
		tasks: queue.NewTasks(c.Redis), running: queue.NewRunning(), workers: queue.NewWorkers(c.State, c.Beat),
		shutdown: 5 * time.Second, stuck: make(chan error, 1), log: c.Log,
	}
	for _, a := range c.Adapters {
		if _, twice := j.adapters[a.Name()]; twice {
			return nil, fmt.Errorf("duplicate adapter %s", a.Name())
		}
		j.adapters[a.Name()] = a
	}
	for _, p := range c.Pools {
		if err := c.checkPool(p); err != nil {
			return nil, err
		}
	}
	j.wire(counted)
	return j, nil
}

// limitsOf returns the platform's limits in a thread; zero if it has none.
func (j *Jobs) limitsOf(t adapters.Thread) adapters.Limits {
	if to, ok := j.adapters[t.Adapter].(adapters.Limiter); ok {
		return to.Limits(t)
	}
	return adapters.Limits{}
}

// wire connects the stages to their dependencies.
func (j *Jobs) wire(counted *quota.Quota) {
	c := j.config
	store := record.NewStore(record.StoreConfig{State: c.State, Blobs: c.Blobs, Retention: c.Retention, Deadline: c.Deadline, Now: c.Now})
	index, hints := record.NewIndex(store), queue.NewHints(c.State, c.Log)
	j.others = queue.NewOthers(j.workers, j.id, c.Patience, c.Deadline)
	say := j.config.say

	limits := &limits{Quota: counted, metrics: c.Metrics, log: c.Log}
	flow := &flow{store: store, tasks: j.tasks, hints: hints, agent: c.Agent, deadline: c.Deadline}
	j.acks = &post.Signs{Adapters: j.adapters, Log: c.Log}
	inputs := &inputs{store: store, programs: c.Programs}
	j.stopper = &stopper{store: store, index: index, limits: limits, tasks: j.tasks, hints: hints, running: j.running, log: c.Log}

	j.early = &early{store: store, adapters: j.adapters, now: c.Now, handle: j.handle}
	j.admission = &admission{
		store: store, early: j.early, index: index, state: c.State, limits: limits, tasks: j.tasks, flow: flow, acks: j.acks, metrics: c.Metrics,
		say: say, deadline: c.Deadline, now: c.Now, log: c.Log,
	}
	links := &intake.Links{Adapters: j.adapters, Hosts: c.LinkHosts, Impatient: c.Impatient}
	downloads := &intake.Downloads{
		Adapters: j.adapters, Links: links, Samples: c.Samples, Quota: counted, Blobs: c.Blobs, Inspect: c.Inspect, Scratch: c.Scratch, MaxFile: c.MaxFile,
		Impatient: c.Impatient, Metrics: c.Metrics, Log: c.Log,
	}
	fetcher := &fetcher{
		store: store, blobs: c.Blobs, flow: flow, links: links, downloads: downloads, samples: c.Samples, say: say, log: c.Log,
		histories: &intake.Histories{Store: store, Blobs: c.Blobs, Adapters: j.adapters, Downloads: downloads, MaxFile: c.MaxFile, Log: c.Log},
	}
	reworker := &reworker{
		store: store, blobs: c.Blobs, agent: c.Agent, admission: j.admission, limits: limits, limitsOf: j.limitsOf, say: say,
		patience: c.QuestionExpiry, now: c.Now,
	}
	planner := &planner{reworker: reworker, store: store, flow: flow, agent: c.Agent, inputs: inputs, command: c.Command, metrics: c.Metrics, say: say}
	j.chooser = &chooser{
		store: store, index: index, limits: limits, tasks: j.tasks, flow: flow, deadline: c.Deadline,
		questionExpiry: c.QuestionExpiry, now: c.Now, log: c.Log,
	}
	j.editor = &editor{store: store, limits: limits, admission: j.admission, chooser: j.chooser, stopper: j.stopper, now: c.Now}
	j.reactions = &reactions{
		store: store, limits: limits, flow: flow, chooser: j.chooser, stopper: j.stopper, adapters: j.adapters, acks: j.acks, metrics: c.Metrics,
		refuse: j.admission.refuse, say: say, reworker: reworker, tryer: &tryer{reworker, c.Samples},
	}
	j.admission.shorthand = &shorthand{
		store: store, index: index, reactions: j.reactions, stopper: j.stopper, admission: j.admission, expiry: c.QuestionExpiry, now: c.Now,
	}
	runner := &runner{agent: c.Agent, others: j.others, tasks: j.tasks, flow: flow, blobs: c.Blobs}
	actor := &actor{
		store: store, flow: flow, agent: c.Agent, inputs: inputs, runner: runner, metrics: c.Metrics, say: say, self: j.id,
		retry: c.Retry, impatient: c.Impatient, log: c.Log,
		transcriber: &transcriber{
			store: store, flow: flow, agent: c.Agent, inputs: inputs, runner: runner, metrics: c.Metrics, say: say,
		},
	}
	composer := &composer{
		store: store, blobs: c.Blobs, flow: flow, limits: limits, agent: c.Agent, inputs: inputs, markLinks: c.MarkLink,
		metrics: c.Metrics, say: say, log: c.Log,
		limitsOf: j.limitsOf,
	}
	posts := post.NewTries()
	sender := &sender{
		store: store, early: j.early, state: c.State, tasks: j.tasks, flow: flow, limits: limits, adapters: j.adapters, acks: j.acks, posts: posts,
		poster: &post.Poster{Blobs: c.Blobs, Posts: posts, Tell: c.Tell, Log: c.Log}, self: j.id, metrics: c.Metrics,
		shrinker:  &shrinker{agent: c.Agent, blobs: c.Blobs, log: c.Log},
		retention: c.Retention, questionExpiry: c.QuestionExpiry, now: c.Now, log: c.Log,
	}
	deadlines := &deadlines{
		store: store, tasks: j.tasks, flow: flow, stopper: j.stopper, composer: composer, deadline: c.Deadline,
	}
	j.dispatcher = &dispatcher{
		fetcher: fetcher, planner: planner, actor: actor, composer: composer, sender: sender, deadlines: deadlines,
		store: store, state: c.State, tasks: j.tasks, running: j.running, flow: flow, stopper: j.stopper, metrics: c.Metrics,
		say: say, self: j.id, impatient: c.Impatient, stuck: j.stuck, log: c.Log,
	}

	j.watch(store, index, hints, flow, inputs, limits)
}

// watch connects the background workers to their dependencies.
func (j *Jobs) watch(store *record.Store, index *record.Index, hints *queue.Hints, flow *flow, inputs *inputs, limits *limits) {
	c := j.config
	j.reaper = &queue.Reaper{Tasks: j.tasks, Workers: j.workers, Running: j.running, Beat: c.Beat, GiveUp: j.dispatcher.giveUp, Log: c.Log}
	j.recovery = &queue.Recovery{
		State: c.State, Store: store, Index: index, Tasks: j.tasks, Workers: j.workers, Self: j.id,
		Due: flow.due, NextInThread: flow.nextInThread, Say: j.config.say, Deadline: c.Deadline, Retention: c.Retention, Log: c.Log,
	}
	steps := func(run *record.Run) []plan.Message {
		return c.Agent.Steps(Account{Plan: run.Route.Plan(), Route: run.Route})
	}
	j.progress = &progress.Display{
		Store: store, State: c.State, Hints: hints, Workers: j.workers, Self: j.id, Retention: c.Retention, Retry: c.Retry,
		Say: j.config.say, Steps: steps, Log: c.Log,
	}
	j.viewer = &view.Viewer{Store: store, Index: index, Hints: hints, Input: inputs.of, Quota: limits.Quota, Retention: c.Retention, Now: c.Now}
	if c.Agent != nil { // commands for operators run without one
		j.viewer.Steps = steps
	}
	j.forgetter = &retention.Forgetter{
		Store: store, State: c.State, Blobs: c.Blobs, Tasks: j.tasks, Adapters: j.adapters, Release: limits.release, Log: c.Log,
		Stop: func(ctx context.Context, request string) error {
			return ignoreOver(j.stopper.cancel(ctx, request, record.Halted{Why: record.HaltDeleted}))
		},
	}
	j.sweeper = &retention.Sweeper{State: c.State, Blobs: c.Blobs, Self: j.id, Retention: c.Retention, Log: c.Log}
}

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
	def(&c.QuestionExpiry, 24*time.Hour)
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

// say translates a sentence into the language of a request.
func (c Config) say(r *record.Request, m plan.Message) string { return c.Tell.In(r.Language(), m) }

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
