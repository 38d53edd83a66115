// Package jobs runs requests durably: each stage of a request is an asynq task, and its result is
// recorded before the next stage is enqueued. So any number of processes can share the work, and
// any of them may crash at any time.
//
//	Handle ─► admit ─► fetch ─► plan ─► act … ─► compose ─► send
//	                             └►write─┘         ▲
//	                            deadline ──────────┘
//
// # The path of a request
//
// [Jobs.Handle] passes a platform's event to the type that handles it. A message
// goes through the stages, each a type with its own dependencies:
//
//   - admission (admit.go) records the request, within the quota, puts it in its thread's
//     line and starts its deadline.
//   - flow (dispatch.go) begins it when its turn comes, and after each stage enqueues what has
//     become ready, the writing of programs included. A few other places enqueue as well:
//     admit.go the first request of a thread, stop.go the answer of a run that was stopped,
//     act.go a step that another queue runs better, compose.go the sending of the answer, every
//     run its deadline, and queue/recovery.go and queue/reaper.go what a process left behind.
//   - dispatcher (dispatch.go) passes each task to its stage. A task that fails is retried, or
//     given up with an answer that says why.
//   - fetcher (fetch.go) collects the files and the thread's history (package intake).
//   - transcriber (act.go) turns a voice message into the request.
//   - planner (plan.go) has the agent plan.
//   - actor (act.go) runs one step, through runner, here or in another process. If a
//     step needs a program, a task of the kind write on the queue plan has a language model
//     draft it first, and redraft it when it fails.
//   - composer (compose.go) writes the answer, once.
//   - sender (send.go) posts it (package post) and ends the run; the thread goes on.
//
// A button or a reaction on an answer (react.go), or a message that stands for one (shorthand.go),
// starts a further run (choose.go), stops a run (stop.go), tries an example (try.go), or continues
// from the results (rework.go): in a request of its own, or with the person's next message. An edit
// of a message stops its request and begins another (edit.go). Events about a message that is not
// recorded yet are held back (early.go). A run that exceeds its deadline is closed (dispatch.go).
//
// The stages use package agent only through [Agent], which bot/workshop/jobs_agent.go implements.
// Package record stores requests and threads, queue manages the tasks and the processes that share
// them, progress shows the progress of requests, view shows requests to people, retention deletes
// them, and quota limits who may ask for how much.
//
// # Guarantees
//
//   - An event for which Handle returned nil is recorded, and its request is answered once: with
//     a result or an error. A repeated event is the same request.
//   - Requests of one thread begin in the order in which they were handled, each when the one
//     before it has ended. Further runs of a request (an alternative, a repeat) begin at once.
//   - A run ends within its deadline plus the time to send the answer, which waits for a platform
//     that is down. The deadline of the first run counts from its turn in the thread. The
//     deadline's task is never given up, and a patrol finds runs that lost even that.
//   - No task is given up without an answer: while State cannot be written, it is retried with
//     backoff.
//   - Each attempt at a step has its own folder for media. The first attempt to be recorded counts,
//     and the media of others are deleted.
//   - Concurrent runs share the plan and every step they have in common, and a later run reuses
//     finished steps. [Jobs.Again] shares nothing.
//   - A task whose worker died is taken over within half a minute, and a task that keeps
//     killing its workers is abandoned (package queue).
//   - A cancelled run stops on every worker: at once if the hint arrives, and at the next stage
//     if it is lost.
//   - During shutdown, a process takes no more work, lets its tasks run for the grace period,
//     cancels them, and only then returns them to the queue.
//   - No log line, metric or error that asynq stores quotes a request, a file name or any other
//     words of a person.
//
// # What may happen twice
//
//   - A step: if its worker dies before the result is recorded, or is considered dead because its
//     heartbeats fail for some seconds.
//   - An answer: only if a process dies between the post and its record, or is considered dead
//     while it posts, and the platform does not recognize the key of the second post. The adapter
//     documents when it does. The benchmark in jobs/faults counts both.
package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

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
)

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
	statuses *post.Statuses
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

// New checks the configuration. It starts nothing and connects to nothing.
func New(c Config) (*Jobs, error) {
	switch {
	case c.Redis == nil || c.State == nil || c.Blobs == nil:
		return nil, errors.New("jobs: Redis, State and Blobs are required")
	case c.Deadline < 0 || c.Grace < 0 || c.Check < 0 || c.Retention < 0 ||
		c.Beat < 0 || c.Patience < 0 || c.MaxFile < 0:
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

// Handle handles an event of an adapter; it is an [adapters.Handler]. If it returns nil, the event is
// recorded, or is not meant for the bot.
func (j *Jobs) Handle(ctx context.Context, e adapters.Event) error {
	if err := e.Validate(); err != nil {
		return err
	}
	return j.early.event(ctx, e)
}

// Submit records a request and enqueues it. A repeated event is the same request. Once Submit has
// returned, the request will be answered, by this process or another.
func (j *Jobs) Submit(ctx context.Context, e adapters.Event, o Options) (id string, err error) {
	return j.admission.new(ctx, e, o)
}

// Choose starts another run of a request with choice c of the plan of run of, and returns the new run's
// number. Steps that both runs have in common are not run again.
func (j *Jobs) Choose(ctx context.Context, id string, of int, c plan.Choice, by string) (int, error) {
	return j.chooser.choose(ctx, id, of, c, by)
}

// ChooseGuess starts another run of a request, for a guess of the question that run of asked, and returns
// the new run's number. Guesses count from 1.
func (j *Jobs) ChooseGuess(ctx context.Context, id string, of, guess int, by string) (int, error) {
	return j.chooser.chooseGuess(ctx, id, of, guess, by)
}

// Again runs a request again from the beginning, planning included, and returns the run's number.
func (j *Jobs) Again(ctx context.Context, id, by string) (int, error) {
	return j.chooser.again(ctx, id, by)
}

// Cancel stops every active run of a request for the person with id by; "" is the operator. Finished
// steps are kept. It fails with [ErrOver] if there is nothing to stop.
func (j *Jobs) Cancel(ctx context.Context, id, by string) error {
	return j.stopper.cancel(ctx, id, record.Halted{Why: record.HaltCancelled, By: by})
}

// Show returns everything known about a request.
func (j *Jobs) Show(ctx context.Context, id string) (Request, error) {
	return j.viewer.Show(ctx, id)
}

// Requests returns the latest n requests, newest first, for a list: without Asked and without long texts.
// [Jobs.Show] returns a whole request.
func (j *Jobs) Requests(ctx context.Context, n int) ([]Request, error) {
	return j.viewer.Latest(ctx, n)
}

// Wait waits until run n has ended, and returns the request.
func (j *Jobs) Wait(ctx context.Context, id string, n int) (Request, error) {
	return j.viewer.Wait(ctx, id, n)
}

// Find returns the request and the run that a message belongs to: an answer of the bot, or a person's
// request. It fails with [ErrUnknown] if there is none.
func (j *Jobs) Find(ctx context.Context, message adapters.MessageRef) (id string, run int, err error) {
	return j.viewer.Find(ctx, message)
}

// Standing returns the state of a person's requests in a thread, and the remaining quota.
func (j *Jobs) Standing(ctx context.Context, by adapters.Person, in adapters.Thread) (Standing, error) {
	return j.viewer.Standing(ctx, by, in)
}

// Forget deletes everything known about a thread: its requests, answers and media. Active runs are
// stopped without an answer. It fails with [ErrUnknown] if nothing is known.
func (j *Jobs) Forget(ctx context.Context, threadID string) (requests int, err error) {
	return j.forgetter.Forget(ctx, threadID)
}

// Elsewhere returns the tools that other processes can run now, each with its candidates, so that plans
// can use them too. The result is cached for a beat.
func (j *Jobs) Elsewhere(ctx context.Context) (map[string][]plan.Candidate, error) {
	return j.others.Tools(ctx)
}

// Workers returns the live processes, by id.
func (j *Jobs) Workers(ctx context.Context) ([]Worker, error) { return j.workers.List(ctx) }

// Queues returns the queues that exist or have workers, by name.
func (j *Jobs) Queues(ctx context.Context) ([]Queue, error) {
	workers, err := j.workers.List(ctx)
	if err != nil {
		return nil, err
	}
	return j.tasks.Statuses(workers)
}

// RetryFailed retries the archived tasks of a queue and returns their number. Requests that were answered
// meanwhile are not answered again.
func (j *Jobs) RetryFailed(_ context.Context, name string) (int, error) {
	return j.tasks.RetryFailed(name)
}

// DropFailed deletes the archived tasks of a queue and returns their number.
func (j *Jobs) DropFailed(_ context.Context, name string) (int, error) {
	return j.tasks.DropFailed(name)
}

// Resume enqueues the pending tasks of all requests that have not ended, and returns the number of
// requests. It is for a process that does not share State and whose queues were lost with the previous
// process. Call it once, before Run and before any event is handled.
//
// A request keeps its deadline, unless that passed while no process ran: then it gets a new one. A
// request that cannot be read is logged and left as it is.
func (j *Jobs) Resume(ctx context.Context) (requests int, err error) { return j.recovery.Resume(ctx) }

// Run processes tasks until ctx is cancelled. Then it takes no more, lets the running ones continue for the
// grace period, and cancels the rest, which other processes take over once they have returned. A task that
// ignores its cancellation is logged and taken over while it still runs. Run does not run the adapters: the
// caller does, and passes their events to [Jobs.Handle].
func (j *Jobs) Run(ctx context.Context) error {
	// Running tasks may continue after ctx has ended.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	servers, err := queue.Start(working, queue.ServerConfig{
		Redis: j.config.Redis, Pools: j.config.Pools, Adapters: slices.Collect(maps.Keys(j.adapters)), Check: j.config.Check,
		Shutdown: j.config.Grace + j.shutdown, Retry: j.config.Retry, Work: j.dispatcher.run, Log: j.log,
	})
	if err != nil {
		return err
	}
	var background sync.WaitGroup
	background.Go(func() { j.heartbeat().Run(working, j.self()) })
	background.Go(func() { j.stopper.follow(working) })
	if j.config.serves(queue.Plan) {
		background.Go(func() { j.reaper.Run(working) })
		background.Go(func() { j.sweeper.Run(working) })
		background.Go(func() { j.recovery.Patrol(working) })
	}
	if j.config.serves(queue.Gateway) {
		for _, a := range j.adapters {
			if reporter, ok := a.(adapters.Reporter); ok {
				background.Go(func() { j.progress.Run(working, a.Name(), reporter) })
			}
		}
	}
	var stuck error
	select {
	case <-ctx.Done():
	case stuck = <-j.stuck:
	}
	servers.Stop()
	grace := time.AfterFunc(j.config.Grace, j.running.End)
	defer grace.Stop()
	obeyed, forget := context.WithTimeout(context.WithoutCancel(ctx), j.config.Grace+j.shutdown)
	defer forget()
	servers.Shutdown()
	stop() // including tasks that asynq no longer waits for
	j.statuses.Wait()
	background.Wait()
	for _, t := range j.running.Wait(obeyed) {
		j.log.WarnContext(ctx, "a task does not end", "request", t.Request, "run", t.Run, "generation", t.Generation, "stage", string(t.Kind))
	}
	return errors.Join(stuck, j.workers.Remove(context.WithoutCancel(ctx), j.id))
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
	j.statuses = &post.Statuses{Adapters: j.adapters, Log: c.Log}
	inputs := &inputs{store: store, programs: c.Programs}
	j.stopper = &stopper{store: store, index: index, limits: limits, tasks: j.tasks, hints: hints, running: j.running, log: c.Log}

	j.early = &early{store: store, adapters: j.adapters, now: c.Now, handle: j.handle}
	j.admission = &admission{
		store: store, early: j.early, index: index, state: c.State, limits: limits, tasks: j.tasks, flow: flow, statuses: j.statuses, metrics: c.Metrics,
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
		store: store, blobs: c.Blobs, agent: c.Agent, admission: j.admission, limits: limits, adapters: j.adapters, limitsOf: j.limitsOf, say: say,
		now: c.Now,
	}
	planner := &planner{reworker: reworker, store: store, flow: flow, agent: c.Agent, inputs: inputs, command: c.Command, metrics: c.Metrics, say: say}
	j.chooser = &chooser{
		store: store, index: index, limits: limits, tasks: j.tasks, flow: flow, deadline: c.Deadline,
		now: c.Now, log: c.Log,
	}
	j.editor = &editor{store: store, limits: limits, admission: j.admission, chooser: j.chooser, stopper: j.stopper, now: c.Now}
	j.reactions = &reactions{
		store: store, limits: limits, flow: flow, chooser: j.chooser, stopper: j.stopper, adapters: j.adapters, statuses: j.statuses, metrics: c.Metrics,
		refuse: j.admission.refuse, say: say, reworker: reworker, tryer: &tryer{reworker, c.Samples},
	}
	j.admission.shorthand = &shorthand{
		store: store, index: index, reactions: j.reactions, stopper: j.stopper, admission: j.admission, now: c.Now,
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
		store: store, early: j.early, state: c.State, blobs: c.Blobs, tasks: j.tasks, flow: flow, limits: limits, adapters: j.adapters,
		statuses: j.statuses, posts: posts,
		poster: &post.Poster{Blobs: c.Blobs, Posts: posts, Tell: c.Tell, Log: c.Log}, self: j.id, metrics: c.Metrics,
		shrinker:  &shrinker{agent: c.Agent, blobs: c.Blobs, log: c.Log},
		retention: c.Retention, now: c.Now, log: c.Log,
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
		Say: j.config.say, Steps: steps, Release: j.early.release, Log: c.Log,
	}
	j.viewer = &view.Viewer{Store: store, Index: index, Hints: hints, Input: inputs.of, Quota: limits.Quota, Retention: c.Retention, Now: c.Now}
	if c.Agent != nil { // commands for operators run without one
		j.viewer.Steps = steps
	}
	j.forgetter = &retention.Forgetter{
		Store: store, State: c.State, Blobs: c.Blobs, Tasks: j.tasks, Adapters: j.adapters, Release: limits.release, ShownAt: j.progress.ShownAt, Log: c.Log,
		Stop: func(ctx context.Context, request string) error {
			return ignoreOver(j.stopper.cancel(ctx, request, record.Halted{Why: record.HaltDeleted}))
		},
	}
	j.sweeper = &retention.Sweeper{State: c.State, Blobs: c.Blobs, Self: j.id, Retention: c.Retention, Log: c.Log}
}

// handle handles an event. If the event is about a message of the bot, that message is recorded.
func (j *Jobs) handle(ctx context.Context, e adapters.Event) error {
	switch e.Kind {
	case adapters.MessageSent:
		return j.admission.message(ctx, e)
	case adapters.MessageEdited:
		return j.editor.edited(ctx, e)
	case adapters.CommandGiven:
		return j.admission.command(ctx, e)
	case adapters.PictureMarked:
		return j.admission.mark(ctx, e)
	case adapters.ReactionAdded:
		return j.reactions.added(ctx, e)
	case adapters.ReactionRemoved:
		return j.reactions.removed(ctx, e)
	case adapters.CancelAsked:
		in, err := j.stopper.asked(ctx, e)
		if errors.Is(err, errNotTheirs) {
			return j.admission.refuse(ctx, e, in, quota.RefuseStop())
		}
		return ignoreOver(err)
	}
	return fmt.Errorf("%w: unknown event kind %q", adapters.ErrInvalid, e.Kind)
}

// heartbeat publishes that this process is alive.
func (j *Jobs) heartbeat() *queue.Heartbeat {
	h := &queue.Heartbeat{Workers: j.workers, Running: j.running, Beat: j.config.Beat, Log: j.log}
	if j.config.Agent != nil && (j.config.serves(queue.CPU) || j.config.serves(queue.GPU) || j.config.serves(queue.Program)) {
		h.Tools = j.config.Agent.Capabilities
	}
	return h
}

// self is the description of this process for others.
func (j *Jobs) self() queue.Worker {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	me := queue.Worker{ID: j.id, Host: host, Process: os.Getpid(), Since: j.config.Now()}
	for _, p := range j.config.Pools {
		me.Queues = append(me.Queues, slices.Sorted(maps.Keys(p.Weights(slices.Collect(maps.Keys(j.adapters)))))...)
	}
	return me
}
