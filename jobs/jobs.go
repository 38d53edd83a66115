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

// Agent is what jobs need of an agent.
type Agent interface {
	// Plan plans a request. An error that is [ErrPassing] is tried again; of any other
	// people are told its sentence ([plan.Fault]).
	Plan(ctx context.Context, r plan.Request) (*plan.Plan, error)
	// Act does one step. What goes wrong is in the result. It fails with [ErrLacking]
	// where another process is to do it, and where the step is to be tried again with
	// [ErrPassing] or what the storage says of a place that is away or full.
	Act(ctx context.Context, w Work) (plan.Result, error)
	// Respond words the answer of a run. The thinking is that of the plan, and its own.
	Respond(ctx context.Context, a Account) (text string, thinking plan.Thinking, err error)
	// Ways are labels of offers for people: how each differs from the chosen solution.
	Ways(p *plan.Plan, chosen plan.Choice, offers []plan.Offer) []plan.Message
	// Steps say for people what each step of a run makes, or has made.
	Steps(a Account) []plan.Message
	// Alts describe what each step of a run made, for people who cannot see it. A step that is not done
	// has the zero message.
	Alts(a Account) []plan.Message
	// Device is where an action is done: cpu, gpu or program.
	Device(ctx context.Context, a plan.Action) string
	// Hears is the action that transcribes a voice message, by the best tool that can run here
	// or in another process; false if none can.
	Hears(ctx context.Context, voice plan.Resource) (plan.Action, bool)
	// Capabilities are the tools that this process can run now on the queues that it works
	// on, each with its candidates.
	Capabilities(ctx context.Context) (map[string][]plan.Candidate, error)
}

// Writer is an [Agent] that has a program written for some steps. Writing is done on the queue plan, and
// running on the queue program. What fails to run is written again, [plan.MaxDrafts] times in all.
type Writer interface {
	// Writes reports whether a program is written for the action before it can run.
	Writes(a plan.Action) bool
	// Write has the next program written, after the Drafts of the work. Its errors are like those of Plan;
	// with one, the Usage of the draft is what was used in vain.
	Write(ctx context.Context, w Work) (plan.Draft, error)
}

// What errors of an [Agent] mean to the jobs.
var (
	// ErrPassing means that the same may succeed later.
	ErrPassing = queue.ErrPassing
	// ErrLacking means that another process has to do it.
	ErrLacking = queue.ErrLacking
)

// Work is one step to be done.
type Work struct {
	Request plan.Request
	Steps   []plan.Step
	At      int
	// Results are those of the steps before, by key.
	Results map[string]plan.Result
	// Resources are those of the plan.
	Resources []plan.Resource
	// Folder is where in the Blobs its media go; no other attempt has it.
	Folder string
	// Salt distinguishes the work from that of a step with the same key.
	Salt string
	// Program is the program that was written for the step; "" if there is none.
	Program string
	// Drafts are the programs that were written for the step. All but the Program failed.
	Drafts []plan.Draft
	// Spent is how many tokens planning and all drafts of the run took.
	Spent int
	// Anyhow has it done here as well as this process can: a better one was waited for in vain.
	Anyhow bool
}

// Account is what an answer is about.
type Account struct {
	Request plan.Request
	Plan    *plan.Plan
	// Route is the route that was run; nil if the plan has no steps.
	Route *plan.Route
}

// Config is what jobs are made of.
type Config struct {
	// Redis is where the queues are. It is closed by who made it, after Run has returned.
	Redis redis.UniversalClient
	State storage.State
	Blobs storage.Blobs
	// Agent works on the queues plan, cpu, gpu and program; nil where none of them is served.
	Agent Agent
	// Adapters are those that this process is connected with, or holds the tokens of.
	Adapters []adapters.Adapter
	// Inspect looks into a file that a person sent, and rejects by a [plan.Fault] what no tool
	// may be given. It is needed if gateway is served.
	Inspect func(ctx context.Context, path string) (File, error)
	// LinkHosts open files that people link to, at the hosts that the operator names. Nil opens none.
	LinkHosts intake.Hosts
	// Command answers a command such as /tools, in the language of that BCP 47 tag, with requests that
	// people can try. Nil knows none.
	Command func(ctx context.Context, e adapters.Event, language string) (reply string, try []plan.Sample, err error)
	// Samples are what people try by the buttons of examples. Nil has none.
	Samples Samples
	// Quota is who may ask, and how much; the zero value lets everybody ask for anything. Its
	// State, Longest and Now are those of the jobs.
	Quota quota.Config
	// Programs reports whether programs may be written for requests of that thread. Nil allows them
	// everywhere.
	Programs func(adapters.Thread) bool
	// MarkLink gives the address of a page on which people of that thread can point at
	// things on a picture that an answer shows, or "" where there is none. Nil gives none.
	MarkLink func(ctx context.Context, t adapters.Thread, picture plan.Resource) (string, error)

	// Tell tells people fixed sentences in the language of their request. Nil is English.
	Tell plan.Tell

	// Pools are what this process works on. None: it only submits and looks.
	Pools []Pool
	// Deadline is how long a request may take from its turn in the thread on; it may wait
	// as long for its turn. Zero means 30 minutes.
	Deadline time.Duration
	// Grace is how long running tasks may go on when Run is to end: then their contexts end,
	// which they have a few seconds to obey. Zero means 20 s.
	Grace time.Duration
	// Check is how often an idle worker looks for work. Zero means 100 ms.
	Check time.Duration
	// Retention is how long requests and threads are kept after they were last touched,
	// and media after they were stored. Zero means 30 days.
	Retention time.Duration
	// QuestionExpiry is how long a question waits for its answer. Zero means 24 hours.
	QuestionExpiry time.Duration
	// Beat is how often a worker says that it lives. Zero means 2 s; it is taken for dead
	// after four and a half of them.
	Beat time.Duration
	// Patience is how long each process leaves a step to another one that does it better
	// than it can itself, and may be busy. Zero means a minute.
	Patience time.Duration
	// Retry is how long to wait before what failed is tried again, after so many retries
	// before. Nil begins with a second and ends with five minutes.
	Retry func(retries int) time.Duration
	// MaxFile is the most bytes of one file. Zero means 100 MB.
	MaxFile int64
	// Impatient tries nothing again that failed: somebody waits at a terminal. Where not
	// even the failure can be written down, Run ends with the cause.
	Impatient bool

	// Scratch is the folder for passing files; whoever gives it removes what a killed process
	// leaves there. Empty is the system's.
	Scratch string
	// Name tells people which process this is; empty makes one up.
	Name string
	Now  func() time.Time
	// Metrics are told what happens; nil are told nothing.
	Metrics Metrics
	Log     *slog.Logger
}

// Metrics are told what is worth counting. Each method returns at once.
type Metrics interface {
	// Accepted tells of a request that was taken, and Refused of one that was not, and why.
	Accepted(adapter string)
	Refused(adapter, why string)
	// Stage tells of a task that was done: outcome is done, again, waiting or failed.
	Stage(stage, outcome string, took time.Duration)
	// Tool tells of a step.
	Tool(tool string, r plan.Result)
	// Thinking tells of what models took for a request.
	Thinking(t plan.Thinking)
	// Ended tells of a run that is over, and how long it took from when it began.
	Ended(adapter string, s record.Status, took time.Duration)
	// Rated tells that a person found an answer good or bad, and whether that changes the person's vote.
	Rated(adapter string, good, changed bool)
}

// Jobs is the work of a process. It is safe for concurrent use.
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
	shutdown time.Duration // how long tasks whose contexts ended are waited for
	stuck    chan error    // what an impatient process cannot go on with

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

// sayer says a fixed sentence in the language of a request.
type sayer func(r *record.Request, m plan.Message) string

// New checks the configuration. It starts nothing and asks nothing.
func New(c Config) (*Jobs, error) {
	switch {
	case c.Redis == nil || c.State == nil || c.Blobs == nil:
		return nil, errors.New("jobs need Redis, State and Blobs")
	case c.Deadline < 0 || c.Grace < 0 || c.Check < 0 || c.Retention < 0 ||
		c.QuestionExpiry < 0 || c.Beat < 0 || c.Patience < 0 || c.MaxFile < 0:
		return nil, errors.New("a time or size is negative")
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
			return nil, fmt.Errorf("two adapters are called %s", a.Name())
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

// limitsOf are those of what a platform takes in a thread; zero where it has none.
func (j *Jobs) limitsOf(t adapters.Thread) adapters.Limits {
	if to, ok := j.adapters[t.Adapter].(adapters.Limiter); ok {
		return to.Limits(t)
	}
	return adapters.Limits{}
}

// wire gives every stage what it needs.
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
		store: store, limits: limits, flow: flow, chooser: j.chooser, stopper: j.stopper, adapters: j.adapters, metrics: c.Metrics,
		refuse: j.admission.refuse, say: say, reworker: reworker, tryer: &tryer{reworker, c.Samples},
	}
	runner := &runner{agent: c.Agent, others: j.others, tasks: j.tasks, flow: flow, blobs: c.Blobs}
	actor := &actor{
		store: store, flow: flow, agent: c.Agent, inputs: inputs, runner: runner, metrics: c.Metrics, say: say, self: j.id,
		retry: c.Retry, impatient: c.Impatient,
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

// watch gives what works beside the stages what it needs.
func (j *Jobs) watch(store *record.Store, index *record.Index, hints *queue.Hints, flow *flow, inputs *inputs, limits *limits) {
	c := j.config
	j.reaper = &queue.Reaper{Tasks: j.tasks, Workers: j.workers, Running: j.running, Beat: c.Beat, GiveUp: j.dispatcher.giveUp, Log: c.Log}
	j.recovery = &queue.Recovery{
		State: c.State, Store: store, Index: index, Tasks: j.tasks, Workers: j.workers, Self: j.id,
		Due: flow.due, NextInThread: flow.nextInThread, Say: j.config.say, Deadline: c.Deadline, Retention: c.Retention, Log: c.Log,
	}
	j.progress = &progress.Display{
		Store: store, State: c.State, Hints: hints, Workers: j.workers, Self: j.id, Retention: c.Retention, Retry: c.Retry,
		Say: j.config.say, Log: c.Log,
		Steps: func(run *record.Run) []plan.Message {
			return c.Agent.Steps(Account{Plan: run.Route.Plan(), Route: run.Route})
		},
	}
	j.viewer = &view.Viewer{Store: store, Index: index, Hints: hints, Input: inputs.of, Quota: limits.Quota, Retention: c.Retention, Now: c.Now}
	j.forgetter = &retention.Forgetter{
		Store: store, State: c.State, Blobs: c.Blobs, Tasks: j.tasks, Adapters: j.adapters, Release: limits.release, Log: c.Log,
		Stop: func(ctx context.Context, request string) error {
			return ignoreOver(j.stopper.cancel(ctx, request, record.Halted{Why: record.HaltDeleted}))
		},
	}
	j.sweeper = &retention.Sweeper{State: c.State, Blobs: c.Blobs, Self: j.id, Retention: c.Retention, Log: c.Log}
}

// complete is the configuration with what was left out.
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

// quota is made of what is configured.
func (c Config) quota() (*quota.Quota, error) {
	limits := c.Quota
	// It may wait for its turn as long as it may run, and then for the platform.
	limits.State, limits.Now, limits.Longest = c.State, c.Now, 2*c.Deadline+10*time.Minute
	return quota.New(limits)
}

// say puts a sentence into the language of a request.
func (c Config) say(r *record.Request, m plan.Message) string { return c.Tell.In(r.Language(), m) }

// checkPool reports what a pool asks for that there is not.
func (c Config) checkPool(p Pool) error {
	if p.Concurrency < 1 {
		return errors.New("a pool needs a concurrency of at least 1")
	}
	for q, weight := range p.Queues {
		switch {
		case weight < 1:
			return fmt.Errorf("the weight of the queue %s must be at least 1", q)
		case q == queue.Gateway:
			if len(c.Adapters) > 0 && c.Inspect == nil {
				return errors.New("the gateway needs Inspect")
			}
		case !slices.Contains([]string{queue.Plan, queue.CPU, queue.GPU, queue.Program}, q):
			return fmt.Errorf("there is no queue %s", q)
		case c.Agent == nil:
			return fmt.Errorf("the queue %s needs an agent", q)
		}
	}
	return nil
}
